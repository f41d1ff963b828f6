import { isObject, type Problem } from '@errand/contracts';
import { escapeKey } from '../files/json-pointer.js';
import { linearPattern } from './linear-pattern.js';
import { messageOf } from '../plugins/thrown-values.js';

/** The dialects that a schema may name. All are read as JSON Schema 2020-12. */
export const DIALECTS =
  /^https?:\/\/json-schema\.org\/(?:draft\/20(?:19-09|20-12)\/schema|(?:draft-0[4-7]\/)?schema)#?$/;

/** A key of a schema with its value. */
export interface Keyword {
  key: string;
  value: unknown;
  /** The path, as a JSON Pointer into the schema. */
  path: string;
}

/** All keys at any depth, also where they have no meaning, because the compiler sees addresses there too. */
export function* keywordsIn(value: unknown, path = ''): Generator<Keyword> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, child] of Object.entries(value)) {
    const location = `${path}/${escapeKey(key)}`;
    if (!Array.isArray(value)) yield { key, value: child, path: location };
    yield* keywordsIn(child, location);
  }
}

/** Whether a keyword refers to another schema. */
export function isReference(key: string): boolean {
  return key === '$ref' || key === '$dynamicRef';
}

/** Whether a keyword is an address or uses one: more than a pointer into the same schema. */
export function isAddress({ key, value }: Keyword): boolean {
  const isAddressing = isReference(key) && (key === '$dynamicRef' || !/^#(?:\/|$)/.test(String(value)));
  return ['$id', '$anchor', '$dynamicAnchor'].includes(key) || isAddressing;
}

/** The problems of keywords that the compiler does not report, or reports without their path. */
export function faultsOfKeywords(keywords: readonly Keyword[]): Problem[] {
  const isAddressed = keywords.some(({ key }) => key === '$id');
  const meant = keywords.filter(({ path }) => !IN_DATA.test(path));
  const faults = meant.flatMap((keyword) => [
    ...faultOfKeyword(keyword),
    ...(isAddressed ? [] : faultOfReference(keyword)),
  ]);
  return [...faults, ...faultsOfPatterns(meant)];
}

/** The maximum number of instructions of all patterns of a schema. Compiling one takes some microseconds. */
const MAX_INSTRUCTIONS = 50_000;

/** Reports patterns that do not compile, or the first one after which all patterns are too large together. */
function faultsOfPatterns(keywords: readonly Keyword[]): Problem[] {
  const faults: Problem[] = [];
  let instructions = 0;
  for (const { pattern, path } of keywords.flatMap(patternsOf)) {
    try {
      instructions += linearPattern(pattern).size;
    } catch (error) {
      faults.push({ path, message: messageOf(error) });
    }
    if (instructions <= MAX_INSTRUCTIONS) continue;
    const message =
      `The patterns of the schema up to this one have more than ${MAX_INSTRUCTIONS} states together; ` +
      'use fewer or simpler patterns, or smaller counts in them';
    return [...faults, { path, message }];
  }
  return faults;
}

function patternsOf({ key, value, path }: Keyword): { pattern: string; path: string }[] {
  if (key === 'pattern' && typeof value === 'string') return [{ pattern: value, path }];
  if (key !== 'patternProperties' || !isObject(value)) return [];
  return Object.keys(value).map((pattern) => ({ pattern, path: `${path}/${escapeKey(pattern)}` }));
}

/** Reports references out of a schema without `$id`. They can only mean the schema itself or the meta-schema. */
function faultOfReference({ key, value, path }: Keyword): Problem[] {
  if (!isReference(key) || typeof value !== 'string' || value.startsWith('#') || DIALECTS.test(value)) return [];
  return [
    {
      path,
      message: `'${key}' must point into this schema, such as #/$defs/name; got '${value}', and nothing is fetched`,
    },
  ];
}

/** Matches paths inside data (of `default`, `enum`, …), which has no keywords. */
const IN_DATA = /(?<!\/(?:properties|patternProperties|\$defs|dependentSchemas))\/(?:const|enum|default|examples)\//;

/**
 * Reports wrong dialects and empty enums, because the compiler does not report their path. It also reports the rest of
 * an unquoted text after a comma: YAML reads `{ description: One, two words }` as the key `two words` without a value.
 */
function faultOfKeyword({ key, value, path }: Keyword): Problem[] {
  if (value === null && /\s/.test(key))
    return [{ path, message: `'${key}' has no value; in YAML, quote a text that contains a comma` }];
  if (key === 'enum' && Array.isArray(value) && value.length === 0)
    return [{ path, message: 'An empty enum allows nothing' }];
  if (key !== '$schema' || typeof value !== 'string' || DIALECTS.test(value)) return [];
  return [{ path, message: `The dialect '${value}' is not known; schemas are read as JSON Schema 2020-12` }];
}
