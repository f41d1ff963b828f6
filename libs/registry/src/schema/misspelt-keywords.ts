import { didYouMean, isObject, own, type Json, type JsonSchema, type Problem } from '@errand/contracts';
import { knownFormats } from './bounded-formats.js';
import { escapeKey } from '../files/json-pointer.js';
import { NAMED_SCHEMAS, schemasIn, SCHEMAS } from './plain-schema.js';

/** Keywords that decide what fits; the shortest are left out, for too many words are like them. */
const DECIDING = [
  ...SCHEMAS.filter((keyword) => keyword.length > 4),
  ...NAMED_SCHEMAS,
  ...`type enum minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern format minItems maxItems
  uniqueItems minContains maxContains required minProperties maxProperties dependentRequired default defaultValue`.split(
    /\s+/,
  ),
];

/** Shorter names of formats are like too many others. */
const MIN_FORMAT_LENGTH = 5;

/**
 * A keyword or format that JSON Schema does not know means nothing, and is allowed; but one that is a letter away from a known one
 * was meant to be that, and without it the schema lets through what its author wanted refused.
 */
export function misspeltKeywords(schema: JsonSchema): Problem[] {
  return [...schemasIn(schema)].flatMap(({ schema: each, path }) =>
    Object.entries(each).flatMap(([keyword, value]) => {
      const place = `${path}/${escapeKey(keyword)}`;
      return keyword === 'format' ? misspeltFormat(value, place) : misspeltKeyword(keyword, place);
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
  return suggestion === undefined ? [] : [{ path, message: `There is no format '${format}'`, suggestion }];
}

/** Keywords that say more about which properties there may be than `properties` does. */
const OPENING = `additionalProperties unevaluatedProperties patternProperties dependentSchemas allOf anyOf oneOf if $ref
  $dynamicRef`.split(/\s+/);

/** Parameters that are required and not declared: without them a call lacks something, and with them it has something unknown. */
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
