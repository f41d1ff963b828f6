import { fullFormats } from 'ajv-formats/dist/formats.js';

/** Longer strings match no format. The patterns of some formats take quadratic time. */
const MAX_LENGTH = 4096;
/** Formats without a length limit. They are checked in linear time or not at all. */
const UNBOUNDED = new Set(['byte', 'binary', 'password']);
/** Formats whose pattern takes quadratic time. */
const QUADRATIC = new Set(['url']);

/** A format of JSON Schema or OpenAPI. */
export interface Format {
  /** The type of the checked values. Values of other types match. */
  type: 'string' | 'number';
  fits(value: unknown): boolean;
  /** The cost of a check, in steps. */
  stepsFor(value: unknown): number;
  /** Compares two strings of the format; undefined if one of them does not match the format. */
  compare?(a: string, b: string): number | undefined;
}

const formats = new Map<string, Format>(
  Object.entries(fullFormats).map(([name, format]) => [name, read(name, format)]),
);

/** Finds a format by name. A string with more than 4,096 characters matches no format except those of binary data. */
export function findFormat(name: string): Format | undefined {
  return formats.get(name);
}

function read(name: string, format: (typeof fullFormats)[keyof typeof fullFormats]): Format {
  const isNumeric = typeof format === 'object' && 'type' in format && format.type === 'number';
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only formats of strings have an order
  const compare = typeof format === 'object' && 'compare' in format ? (format.compare as Format['compare']) : undefined;
  const validate = typeof format === 'object' && 'validate' in format ? format.validate : format;
  const matches = validate instanceof RegExp ? (value: never) => validate.test(value) : validate;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- no format is asynchronous; each is called with its own type
  const check = (matches === true ? () => true : matches) as (value: unknown) => boolean;
  if (isNumeric) return { type: 'number', fits: check, stepsFor: () => 1 };
  const maxLength = UNBOUNDED.has(name) ? Infinity : MAX_LENGTH;
  return {
    type: 'string',
    fits: (value) => String(value).length <= maxLength && check(value),
    stepsFor: (value) => stepsFor(String(value).length, maxLength, QUADRATIC.has(name)),
    ...(compare && { compare }),
  };
}

function stepsFor(length: number, maxLength: number, isQuadratic: boolean): number {
  if (length > maxLength) return 1;
  return 4 + Math.ceil(isQuadratic ? (length * length) / 8 : length * 2);
}

/** Formats of JSON Schema that are not checked. */
const UNCHECKED = ['idn-email', 'idn-hostname', 'iri', 'iri-reference'];

/** The names of all known formats. */
export function knownFormats(): string[] {
  return [...formats.keys(), ...UNCHECKED];
}
