import type { Json, JsonSchema } from '@errand/contracts';

/** One argument of a script or function. */
export interface Parameter {
  name: string;
  schema: JsonSchema;
  required: boolean;
}

/** The arguments of a script, as far as its source declares them. */
export interface Arguments {
  parameters: Parameter[];
  /** Whether other arguments are allowed. */
  open: boolean;
}

/** A function of a script. */
export interface Signature extends Arguments {
  name: string;
  description: string;
  output?: JsonSchema;
  /** The names of the positional arguments, in order. Python takes the others by name. */
  positions: string[];
  /** The argument whose elements follow them (`*args`, `...rest`). */
  rest?: string;
  /** Whether it takes one object with all arguments. */
  takesObject: boolean;
  isAsync: boolean;
  /** Whether it yields its result in parts. */
  isGenerator: boolean;
  /** Whether another file may import it. */
  exported: boolean;
  /** Whether its exported name is `default`. */
  isDefault?: boolean;
}

/** The analysis of the source of a script. */
export interface ScriptAnalysis {
  /** The comment at the top of the file. */
  description: string;
  functions: Signature[];
  /** The arguments that the script reads from standard input, if it does. */
  reads?: Arguments;
  /** The description and output of the function whose result the script prints. */
  prints?: { description: string; output?: JsonSchema };
  /** Whether it reads command-line arguments, which no tool has. */
  usesCommandLine: boolean;
  /** Whether values without a form in JSON have to be made: dates, sets, classes. */
  needsMaking: boolean;
  /** Notes about parts that were not understood, for the person who edits the draft. */
  notes: string[];
}

/** Adds null to a schema. */
export function nullable(schema: JsonSchema): JsonSchema {
  if (Object.keys(schema).length === 0 || allowsNull(schema)) return schema;
  if (Array.isArray(schema.enum)) return { ...schema, enum: [...schema.enum, null], ...typesWithNull(schema) };
  if (schema.type !== undefined) return { ...schema, ...typesWithNull(schema) };
  return { anyOf: [...(Array.isArray(schema.anyOf) ? schema.anyOf : [schema]), { type: 'null' }] };
}

/** The schema of a value with one of several types. */
export function union(schemas: readonly JsonSchema[]): JsonSchema {
  const others = schemas.filter((schema) => schema.type !== 'null');
  if (others.length < schemas.length) return others.length === 0 ? { type: 'null' } : nullable(union(others));
  const [only] = others;
  if (only && others.length === 1) return only;
  if (others.some((schema) => Object.keys(schema).length === 0)) return {};
  if (others.every((schema) => Array.isArray(schema.enum)))
    return enumOf(others.flatMap((schema) => schema.enum as Json[]));
  if (others.every(isBare)) {
    const types = [...new Set(others.map((schema) => schema.type as string))];
    const merged = types.includes('number') ? types.filter((type) => type !== 'integer') : types;
    const [type = ''] = merged;
    return { type: merged.length === 1 ? type : merged };
  }
  return { anyOf: [...others] };
}

/** The schema of an enum. */
export function enumOf(values: readonly Json[]): JsonSchema {
  const types = [...new Set(values.map(typeOfValue))];
  const [type] = types;
  return { ...(type !== undefined && types.length === 1 && { type }), enum: [...new Set(values)] };
}

/** The schema of an object with these properties. It allows others only if it is open. */
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

/** Adds a default to a schema. A default of null makes the value optional, and adds null to the schema. */
export function withDefault(schema: JsonSchema, fallback: Json | undefined): JsonSchema {
  if (fallback === undefined) return schema;
  return fallback === null ? nullable(schema) : { ...schema, default: fallback };
}

/** Adds a description to a schema, if there is one. */
export function describe(schema: JsonSchema, description: string | undefined): JsonSchema {
  const words = description?.replace(/\s+/g, ' ').trim() ?? '';
  return words === '' ? schema : { ...schema, description: words };
}
