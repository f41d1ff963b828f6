import { didYouMean, isObject, own, type Json, type JsonSchema, type Problem } from '@errand/contracts';
import { knownFormats } from './bounded-formats.js';
import { escapeKey } from '../files/json-pointer.js';
import { NAMED_SCHEMAS, schemasIn, SCHEMAS } from './plain-schema.js';

/** Keywords that affect validation. Short ones are left out, because too many words are similar to them. */
const DECIDING = [
  ...SCHEMAS.filter((keyword) => keyword.length > 4),
  ...NAMED_SCHEMAS,
  ...`type enum minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern format minItems maxItems
  uniqueItems minContains maxContains required minProperties maxProperties dependentRequired default defaultValue`.split(
    /\s+/,
  ),
];

/** Shorter format names are similar to too many words. */
const MIN_FORMAT_LENGTH = 5;

/**
 * Reports keywords and formats that are one letter away from a known one. Unknown keywords are allowed and mean
 * nothing, so the schema would accept values that its author wanted to refuse.
 */
export function misspeltKeywords(schema: JsonSchema): Problem[] {
  return [...schemasIn(schema)].flatMap(({ schema: each, path }) =>
    Object.entries(each).flatMap(([keyword, value]) => {
      const location = `${path}/${escapeKey(keyword)}`;
      return keyword === 'format' ? misspeltFormat(value, location) : misspeltKeyword(keyword, location);
    }),
  );
}

function misspeltKeyword(keyword: string, path: string): Problem[] {
  if (DECIDING.includes(keyword) || keyword.startsWith('x-')) return [];
  const suggestion = didYouMean(keyword, DECIDING);
  return suggestion === undefined ? [] : [{ path, message: `JSON Schema has no keyword '${keyword}'`, suggestion }];
}

function misspeltFormat(format: Json, path: string): Problem[] {
  const formats = knownFormats();
  if (typeof format !== 'string' || format.length < MIN_FORMAT_LENGTH || formats.includes(format)) return [];
  // `uuid4` and `uint32` are formats of other programs.
  if (/\d/.test(format)) return [];
  const suggestion = didYouMean(format, formats);
  return suggestion === undefined ? [] : [{ path, message: `The format '${format}' is not known`, suggestion }];
}

/** Keywords that allow other properties than `properties` does. */
const OPENING = `additionalProperties unevaluatedProperties patternProperties dependentSchemas allOf anyOf oneOf if $ref
  $dynamicRef`.split(/\s+/);

/** Reports parameters that are required but not declared: each call would be wrong. */
export function undeclaredRequired(schema: JsonSchema): Problem[] {
  if (OPENING.some((keyword) => Object.hasOwn(schema, keyword)) || !Array.isArray(schema.required)) return [];
  const declared = isObject(schema.properties) ? schema.properties : {};
  return schema.required.flatMap((name, index) => {
    if (typeof name !== 'string' || own(declared, name) !== undefined) return [];
    const suggestion = didYouMean(name, Object.keys(declared));
    const message = `'${name}' is required, but no such parameter is declared`;
    return [{ path: `/required/${index}`, message, ...(suggestion !== undefined && { suggestion }) }];
  });
}
