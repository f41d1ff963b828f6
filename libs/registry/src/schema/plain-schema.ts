import { isObject, type Json, type JsonSchema } from '@errand/contracts';
import { escapeKey } from '../files/json-pointer.js';

/** Keywords with a schema or a list of schemas, and keywords with schemas by name. */
export const SCHEMAS =
  `items prefixItems additionalProperties unevaluatedProperties unevaluatedItems contains propertyNames not if then else
  allOf anyOf oneOf`.split(/\s+/);
export const NAMED_SCHEMAS = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'];

/** Keywords that the meta-schema checks completely. */
const PLAIN = new Set([
  ...SCHEMAS,
  'properties',
  'patternProperties',
  ...`type const minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern format minItems
  maxItems uniqueItems required minProperties maxProperties title description default examples deprecated readOnly writeOnly
  $comment`.split(/\s+/),
]);

/** The schema with every schema in it replaced, from the innermost outwards. */
export function mapSchemas(schema: JsonSchema, replace: (schema: JsonSchema) => JsonSchema): JsonSchema {
  const nested = (value: Json): Json => (isObject(value) ? mapSchemas(value, replace) : value);
  const entries = Object.entries(schema).map(([keyword, value]): [string, Json] => {
    if (SCHEMAS.includes(keyword)) return [keyword, Array.isArray(value) ? value.map(nested) : nested(value)];
    if (!NAMED_SCHEMAS.includes(keyword) || !isObject(value)) return [keyword, value];
    return [keyword, Object.fromEntries(Object.entries(value).map(([name, child]) => [name, nested(child)]))];
  });
  return replace(Object.fromEntries(entries));
}

/** The schema and each schema in it, with its path as a JSON Pointer. */
export function* schemasIn(schema: JsonSchema, path = ''): Generator<{ schema: JsonSchema; path: string }> {
  yield { schema, path };
  for (const [keyword, value] of Object.entries(schema)) {
    const location = `${path}/${escapeKey(keyword)}`;
    if (SCHEMAS.includes(keyword) && isObject(value)) yield* schemasIn(value, location);
    const isCollection = NAMED_SCHEMAS.includes(keyword)
      ? isObject(value)
      : SCHEMAS.includes(keyword) && Array.isArray(value);
    for (const [name, child] of isCollection ? Object.entries(value as JsonSchema) : []) {
      if (isObject(child)) yield* schemasIn(child, `${location}/${escapeKey(name)}`);
    }
  }
}

/** Whether a valid schema always compiles: it has no references and no unusual keywords. */
export function isPlain(schema: JsonSchema): boolean {
  let plain = true;
  mapSchemas(schema, (each) => {
    plain &&= Object.entries(each).every(
      ([keyword, value]) => PLAIN.has(keyword) || (keyword === 'enum' && Array.isArray(value) && value.length > 0),
    );
    return each;
  });
  return plain;
}
