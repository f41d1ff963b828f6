import type { Json, JsonSchema } from '@errand/contracts';

/** One argument that a script or a function of it takes. */
export interface Parameter {
  name: string;
  schema: JsonSchema;
  required: boolean;
}

/** What a script takes, as far as its source says so. */
export interface Arguments {
  parameters: Parameter[];
  /** Whether it may take others, too. */
  open: boolean;
}

/** A function of a script that could be called from outside. */
export interface Signature extends Arguments {
  name: string;
  description: string;
  output?: JsonSchema;
  /** Those of its arguments that are given by position, in order; Python takes the others by name. */
  positions: string[];
  /** The argument whose elements come after them (`*args`, `...rest`). */
  rest?: string;
  /** Whether it takes one object that holds all arguments. */
  takesObject: boolean;
  isAsync: boolean;
  /** Whether it gives its result piece by piece. */
  isGenerator: boolean;
  /** Whether another file may import it. */
  exported: boolean;
  /** The name under which it is exported, where that is `default`. */
  isDefault?: boolean;
}

/** What the source of a script says of it. */
export interface ScriptAnalysis {
  /** What is said at the top of the file. */
  description: string;
  functions: Signature[];
  /** What it reads from standard input, where it does that itself. */
  reads?: Arguments;
  /** What the function says of itself whose result it then prints. */
  prints?: { description: string; output?: JsonSchema };
  /** Whether it takes words of a command line, which no tool has. */
  usesCommandLine: boolean;
  /** Whether values have to be made that JSON does not have: dates, sets, classes. */
  needsMaking: boolean;
  /** Where the source is not quite understood, for the person who edits the draft. */
  notes: string[];
}

/** A schema that allows null beside what it allows already. */
export function nullable(schema: JsonSchema): JsonSchema {
  if (Object.keys(schema).length === 0 || allowsNull(schema)) return schema;
  if (Array.isArray(schema.enum)) return { ...schema, enum: [...schema.enum, null], ...typesWithNull(schema) };
  if (schema.type !== undefined) return { ...schema, ...typesWithNull(schema) };
  return { anyOf: [...(Array.isArray(schema.anyOf) ? schema.anyOf : [schema]), { type: 'null' }] };
}

/** The schema of a value that is one of several kinds. */
export function union(schemas: readonly JsonSchema[]): JsonSchema {
  const others = schemas.filter((schema) => schema.type !== 'null');
  if (others.length < schemas.length) return others.length === 0 ? { type: 'null' } : nullable(union(others));
  if (others.length === 1) return others[0]!;
  if (others.some((schema) => Object.keys(schema).length === 0)) return {};
  if (others.every((schema) => Array.isArray(schema.enum)))
    return enumOf(others.flatMap((schema) => schema.enum as Json[]));
  if (others.every(isBare)) {
    const types = [...new Set(others.map((schema) => schema.type as string))];
    const told = types.includes('number') ? types.filter((type) => type !== 'integer') : types;
    return { type: told.length === 1 ? told[0]! : told };
  }
  return { anyOf: [...others] };
}

/** The schema of a choice of values. */
export function enumOf(values: readonly Json[]): JsonSchema {
  const types = [...new Set(values.map(typeOfValue))];
  return { ...(types.length === 1 && { type: types[0]! }), enum: [...new Set(values)] };
}

/** The schema of an object with these properties and, unless it is open, no others. */
export function objectOf({ parameters, open }: Arguments): JsonSchema {
  const required = parameters.filter((parameter) => parameter.required).map(({ name }) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
    ...(required.length > 0 && { required }),
    additionalProperties: open,
  };
}

/** The JSON Schema type of a value. */
export function typeOfValue(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

function isBare(schema: JsonSchema): boolean {
  return typeof schema.type === 'string' && Object.keys(schema).length === 1;
}

function allowsNull({ type, anyOf, enum: allowed }: JsonSchema): boolean {
  return (
    [type].flat().includes('null') ||
    (Array.isArray(allowed) && allowed.includes(null)) ||
    (Array.isArray(anyOf) && anyOf.some((part) => JSON.stringify(part) === '{"type":"null"}'))
  );
}

function typesWithNull({ type }: JsonSchema): JsonSchema {
  return type === undefined ? {} : { type: [type, 'null'].flat() };
}

/** The schema with a default; null says that it may be left out, and is allowed then. */
export function withDefault(schema: JsonSchema, fallback: Json | undefined): JsonSchema {
  if (fallback === undefined) return schema;
  return fallback === null ? nullable(schema) : { ...schema, default: fallback };
}

/** The schema with words, if there are any. */
export function describe(schema: JsonSchema, description: string | undefined): JsonSchema {
  const words = description?.replace(/\s+/g, ' ').trim() ?? '';
  return words === '' ? schema : { ...schema, description: words };
}
