import { isObject, type Problem } from '@errand/contracts';
import { escapeKey } from './json-pointer.js';
import { linearPattern } from './linear-pattern.js';
import { messageOf } from './thrown.js';

/** The dialects that a schema may name: all are read as JSON Schema 2020-12. */
export const DIALECTS =
  /^https?:\/\/json-schema\.org\/(?:draft\/20(?:19-09|20-12)\/schema|(?:draft-0[4-7]\/)?schema)#?$/;

/** A key of a schema with its value. */
export interface Keyword {
  key: string;
  value: unknown;
  /** Where it stands, as a JSON Pointer into the schema. */
  path: string;
}

/** Every key at any depth, whatever stands around it: the compiler, too, sees an address in places that mean nothing. */
export function* keywordsIn(value: unknown, path = ''): Generator<Keyword> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, child] of Object.entries(value)) {
    const place = `${path}/${escapeKey(key)}`;
    if (!Array.isArray(value)) yield { key, value: child, path: place };
    yield* keywordsIn(child, place);
  }
}

/** Whether a keyword refers to another schema. */
export function isReference(key: string): boolean {
  return key === '$ref' || key === '$dynamicRef';
}

/** Whether a keyword gives an address, or is understood by one: more than a pointer into the same schema. */
export function isAddress({ key, value }: Keyword): boolean {
  const isAddressing = isReference(key) && (key === '$dynamicRef' || !/^#(?:\/|$)/.test(String(value)));
  return ['$id', '$anchor', '$dynamicAnchor'].includes(key) || isAddressing;
}

/** What is wrong with keywords and would not be told by the compiler, or not with its place. */
export function faultsOfKeywords(keywords: readonly Keyword[]): Problem[] {
  const isAddressed = keywords.some(({ key }) => key === '$id');
  return keywords
    .filter(({ path }) => !IN_DATA.test(path))
    .flatMap((keyword) => [...faultOfKeyword(keyword), ...(isAddressed ? [] : faultOfReference(keyword))]);
}

/** In a schema without any `$id` only the schema itself can be meant, or the schema of schemas. */
function faultOfReference({ key, value, path }: Keyword): Problem[] {
  if (!isReference(key) || typeof value !== 'string' || value.startsWith('#') || DIALECTS.test(value)) return [];
  return [
    { path, message: `'${key}' must point into this schema, as #/$defs/name; got '${value}', and nothing is fetched` },
  ];
}

/** Inside a value (of `default`, `enum`, …) these are no keywords. */
const IN_DATA = /(?<!\/(?:properties|patternProperties|\$defs|dependentSchemas))\/(?:const|enum|default|examples)\//;

/** Wrong patterns and dialects, and enums without values, whose places the compiler would not tell. */
function faultOfKeyword({ key, value, path }: Keyword): Problem[] {
  if (key === 'pattern' && typeof value === 'string') return faultOfPattern(value, path);
  if (key === 'patternProperties' && isObject(value)) {
    return Object.keys(value).flatMap((name) => faultOfPattern(name, `${path}/${escapeKey(name)}`));
  }
  if (key === 'enum' && Array.isArray(value) && value.length === 0)
    return [{ path, message: 'An empty enum allows nothing' }];
  if (key !== '$schema' || typeof value !== 'string' || DIALECTS.test(value)) return [];
  return [{ path, message: `The dialect '${value}' is not known; schemas are read as JSON Schema 2020-12` }];
}

function faultOfPattern(pattern: string, path: string): Problem[] {
  try {
    linearPattern(pattern);
    return [];
  } catch (error) {
    return [{ path, message: messageOf(error) }];
  }
}
