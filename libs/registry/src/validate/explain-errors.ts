import { didYouMean, isObject, type Problem } from '@errand/contracts';
import { explainChoice, withoutBranches } from './explain-choice.js';
import { declaredNames, suggestParameter } from './suggest-parameter.js';
import { escapeKey, nameOfPath, valueAt } from '../files/json-pointer.js';
import { among, describeLimit, nameOfType, nameOfTypes } from '../schema/schema-words.js';
import type { SchemaError } from '../schema/schema-error.js';

/** The words for the things that a schema describes. */
export interface Words {
  whole: string;
  unknown(name: string): string;
  missing(name: string): string;
  /** The original arguments. With them, suggestions are full paths, and names that only defaults filled in are free. */
  given?: unknown;
}

export const PARAMETER_WORDS: Words = {
  whole: 'The arguments',
  unknown: (name) => `Unknown parameter '${name}'`,
  missing: (name) => `Missing required parameter '${name}'`,
};

export const FIELD_WORDS: Words = {
  whole: 'The file',
  unknown: (name) => `Unknown field '${name}'`,
  missing: (name) => `Missing field '${name}'`,
};

export const OUTPUT_WORDS: Words = { ...FIELD_WORDS, whole: 'The result' };

const MAX_PROBLEMS = 100;

/**
 * Explains errors of a schema in plain words, one problem for each thing to fix; at most 100. `counts` can leave out
 * errors.
 */
export function explainErrors(
  errors: readonly SchemaError[],
  words: Words,
  counts: (error: SchemaError) => boolean = () => true,
): Problem[] {
  const problems = new Map<string, Problem>();
  for (const error of withoutBranches(errors)) {
    if (!counts(error) || isOfMissingTag(error, errors)) continue;
    const problem = explain(error, errors, words);
    problems.set(`${problem.path}\n${problem.message}`, problem);
    if (problems.size === MAX_PROBLEMS) break;
  }
  return [...problems.values()];
}

/** The depth of nested reasons. Deeper ones help nobody, and their number doubles with each level. */
const MAX_NESTED_CHOICES = 2;

function explain(error: SchemaError, all: readonly SchemaError[], words: Words, depth = 0): Problem {
  const { instancePath: path, keyword, params, parentSchema, data } = error;
  const subject = path === '' ? words.whole : `'${nameOfPath(path)}'`;
  switch (keyword) {
    case 'required':
      return misspelt(error, all, words) ?? missing(path, String(params.missingProperty), words);
    case 'dependentRequired': {
      const wanted = missing(path, String(params.missingProperty), words);
      return {
        ...wanted,
        message: `${wanted.message}, which goes with '${nameOfPath(`${path}/${escapeKey(String(params.property))}`)}'`,
      };
    }
    case 'additionalProperties':
      return unknown(error, String(params.additionalProperty), all, words);
    case 'unevaluatedProperties':
      return unknown(error, String(params.unevaluatedProperty), all, words);
    case 'type':
      return { path, message: `${subject} must be ${nameOfTypes(params.type)}, got ${nameOfType(data)}` };
    case 'enum':
      return {
        path,
        message: `${subject} must be one of ${among(params.allowedValues ?? [])}`,
        ...suggest(data, params.allowedValues ?? []),
      };
    case 'discriminator': {
      const tags = tagsOf(parentSchema, String(params.tag));
      const message = `'${nameOfPath(`${path}/${params.tag}`)}' must be one of ${among(tags)}`;
      return { path: `${path}/${params.tag}`, message, ...suggest(params.tagValue, tags) };
    }
    case 'anyOf':
    case 'oneOf':
      if (depth > MAX_NESTED_CHOICES) return { path, message: `${subject} fits none of its forms` };
      return {
        path,
        message: explainChoice(error, subject, (inner) => explain(inner, all, words, depth + 1).message),
      };
    case 'propertyNames':
      return { path, message: `${subject} may not have the name '${params.propertyName}'` };
    default:
      return { path, message: `${subject} ${describeLimit(error)}` };
  }
}

/** Whether an error of a choice follows from its missing tag. The error about the missing field is enough. */
function isOfMissingTag({ keyword, instancePath, params }: SchemaError, all: readonly SchemaError[]): boolean {
  const isOfTag = (error: SchemaError) => error.keyword === 'required' && error.params.missingProperty === params.tag;
  return keyword === 'discriminator' && all.some((error) => error.instancePath === instancePath && isOfTag(error));
}

function missing(path: string, name: string, words: Words): Problem {
  const location = `${path}/${escapeKey(name)}`;
  return { path: location, message: words.missing(nameOfPath(location)) };
}

/** Suggestions among many names take time, so only the first errors get one. */
const MANY_NAMES = 200;
const MAX_COSTLY_GUESSES = 10;

function isTooCostly(names: readonly string[], error: SchemaError, all: readonly SchemaError[]): boolean {
  return names.length > MANY_NAMES && all.indexOf(error) >= MAX_COSTLY_GUESSES;
}

function unknown(error: SchemaError, name: string, all: readonly SchemaError[], words: Words): Problem {
  const { instancePath: parent, parentSchema: schema, data } = error;
  const location = `${parent}/${escapeKey(name)}`;
  const given = 'given' in words ? valueAt(words.given, parent) : data;
  const found = isTooCostly(declaredNames(schema), error, all)
    ? undefined
    : suggestParameter({ name, parent, schema, missing: missingNames(parent, all), given });
  const message = words.unknown(nameOfPath(location));
  if (found === nameOfPath(location))
    return { path: location, message: `${message}: '${found.replace(/[.[][^.[]*$/, '')}' is what holds it` };
  const suggestion =
    found === undefined || 'given' in words ? found : found.slice(nameOfPath(`${parent}/x`).length - 1);
  return { path: location, message, ...(suggestion !== undefined && { suggestion }) };
}

/** The problem of a misspelled required name: the object has a similar name that its schema allows. */
function misspelt(error: SchemaError, all: readonly SchemaError[], words: Words): Problem | undefined {
  const { instancePath: parent, parentSchema, data, params } = error;
  if (!isObject(data) || all.some((each) => isUnknownName(each) && each.instancePath === parent)) return undefined;
  const declared = new Set(declaredNames(parentSchema));
  const undeclared = Object.keys(data).filter((key) => !declared.has(key));
  if (isTooCostly(undeclared, error, all)) return undefined;
  const name = didYouMean(String(params.missingProperty), undeclared);
  return name === undefined ? undefined : unknown(error, name, all, words);
}

function isUnknownName({ keyword }: SchemaError): boolean {
  return keyword === 'additionalProperties' || keyword === 'unevaluatedProperties';
}

function missingNames(path: string, all: readonly SchemaError[]): string[] {
  return all
    .filter((error) => error.keyword === 'required' && error.instancePath === path)
    .map((error) => String(error.params.missingProperty));
}

function tagsOf(schema: unknown, tag: string): unknown[] {
  const branches = isObject(schema) && Array.isArray(schema.oneOf) ? schema.oneOf : [];
  return branches.map((branch) => branch?.properties?.[tag]?.const);
}

function suggest(value: unknown, allowed: readonly unknown[]): { suggestion?: string } {
  if (typeof value !== 'string') return {};
  const suggestion = didYouMean(
    value,
    allowed.filter((item) => typeof item === 'string'),
  );
  return suggestion === undefined ? {} : { suggestion };
}
