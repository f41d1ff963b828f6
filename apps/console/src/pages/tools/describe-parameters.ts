import type { Json, JsonSchema } from '@errand/contracts';

/** A parameter of a tool, for people. */
export interface Parameter {
  name: string;
  type: string;
  isRequired: boolean;
  description: string;
  /** Its default and its bounds, as `keyword: value`. */
  rest: string;
}

const DESCRIBED: ReadonlySet<string> = new Set([
  'type',
  'description',
  'title',
  'items',
  'properties',
  'required',
  '$ref',
]);

/** The parameters of an object schema, in its order. Other parts of the schema stay in its JSON. */
export function describeParameters({ properties, required }: JsonSchema): Parameter[] {
  const needed = new Set(Array.isArray(required) ? required : []);
  return Object.entries(isObject(properties) ? properties : {}).map(([name, schema]) => ({
    name,
    type: typeOf(schema),
    isRequired: needed.has(name),
    description: textAt(schema, 'description'),
    rest: restOf(schema),
  }));
}

/** `string`, `array of integer`, `string or null`, `any`, `#/$defs/name`. */
function typeOf(schema: Json | undefined): string {
  if (!isObject(schema)) return schema === false ? 'nothing' : 'any';
  const { type, items, enum: values, const: only, oneOf, anyOf, $ref } = schema;
  const named = typeof type === 'string' ? type : Array.isArray(type) ? type.join(' or ') : undefined;
  if (named === 'array') return `array of ${typeOf(items)}`;
  if (named !== undefined) return named;
  if (Array.isArray(values) || only !== undefined) return 'one of';
  const choices = [oneOf, anyOf].find(Array.isArray);
  if (choices) return choices.slice(0, 5).map(typeOf).join(' or ');
  return typeof $ref === 'string' ? $ref : 'any';
}

function restOf(schema: Json | undefined): string {
  if (!isObject(schema)) return '';
  return Object.entries(schema)
    .filter(([keyword, value]) => !DESCRIBED.has(keyword) && !(isObject(value) && keyword !== 'default'))
    .map(([keyword, value]) => `${keyword}: ${JSON.stringify(value)}`)
    .join(', ');
}

function textAt(schema: Json | undefined, field: string): string {
  const value = isObject(schema) ? Object.entries(schema).find(([name]) => name === field)?.[1] : undefined;
  return typeof value === 'string' ? value : '';
}

function isObject(value: Json | undefined): value is { [name: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
