import type { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { fullFormats } from 'ajv-formats/dist/formats.js';

/** Longer texts are no address, date or the like. The patterns of some formats take time quadratic in the length. */
const MAX_LENGTH = 4096;
/** Formats of any length, which are checked in linear time or not at all. */
const UNBOUNDED = new Set(['byte', 'binary', 'password']);

/** Adds the formats of JSON Schema and OpenAPI; a text of more than 4,096 characters fits none but those of binary data. */
export function addBoundedFormats(ajv: Ajv2020): void {
  addFormats.default(ajv);
  for (const [name, format] of Object.entries(ajv.formats)) {
    if (UNBOUNDED.has(name) || format === undefined || typeof format === 'boolean') continue;
    const check = typeof format === 'function' || format instanceof RegExp ? format : format.validate;
    // Those of numbers have a `type`, and no length.
    if ('type' in format && format.type === 'number') continue;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is not for numbers is for texts, and not asynchronous
    ajv.addFormat(name, bounded(check as RegExp | ((text: string) => boolean)));
  }
}

function bounded(check: RegExp | ((text: string) => boolean)): (text: string) => boolean {
  const fits = typeof check === 'function' ? check : (text: string) => check.test(text);
  return (text) => text.length <= MAX_LENGTH && fits(text);
}

/** Formats of JSON Schema that are no more than a remark here. */
const UNCHECKED = ['idn-email', 'idn-hostname', 'iri', 'iri-reference'];

/** The names of all formats that mean something to somebody. */
export function knownFormats(): string[] {
  return [...Object.keys(fullFormats), ...UNCHECKED];
}
