import { didYouMean, isObject, own, type Problem } from '@errand/contracts';
import type { ErrorObject } from 'ajv/dist/2020.js';
import { explainChoice, withoutBranches } from './explain-choice.js';
import { escapeKey, nameOfPath } from './json-pointer.js';
import { among, describeLimit, nameOfType, nameOfTypes } from './schema-words.js';

/** How the things that a schema describes are called. */
export interface Words {
  whole: string;
  unknown(name: string): string;
  missing(name: string): string;
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

/** What a schema found wrong, in plain words, one problem for each thing to mend; at most 100. `counts` can leave out some. */
export function explainErrors(
  errors: readonly ErrorObject[],
  words: Words,
  counts: (error: ErrorObject) => boolean = () => true,
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

function explain(error: ErrorObject, all: readonly ErrorObject[], words: Words): Problem {
  const { instancePath: path, keyword, params, parentSchema, data } = error;
  const subject = path === '' ? words.whole : `'${nameOfPath(path)}'`;
  switch (keyword) {
    case 'required':
      return missing(path, String(params.missingProperty), words);
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
        message: `${subject} must be one of ${among(params.allowedValues)}`,
        ...suggest(data, params.allowedValues),
      };
    case 'discriminator': {
      const tags = tagsOf(parentSchema, String(params.tag));
      const message = `'${nameOfPath(`${path}/${params.tag}`)}' must be one of ${among(tags)}`;
      return { path: `${path}/${params.tag}`, message, ...suggest(params.tagValue, tags) };
    }
    case 'anyOf':
    case 'oneOf':
      return { path, message: explainChoice(error, subject, all, (inner) => explain(inner, all, words).message) };
    case 'propertyNames':
      return { path, message: `${subject} may not have the name '${params.propertyName}'` };
    default:
      return { path, message: `${subject} ${describeLimit(error)}` };
  }
}

/** Of a choice without the field that tells its branches apart it is enough to say that the field is missing. */
function isOfMissingTag({ keyword, instancePath, params }: ErrorObject, all: readonly ErrorObject[]): boolean {
  const isOfTag = (error: ErrorObject) => error.keyword === 'required' && error.params.missingProperty === params.tag;
  return keyword === 'discriminator' && all.some((error) => error.instancePath === instancePath && isOfTag(error));
}

function missing(path: string, name: string, words: Words): Problem {
  const place = `${path}/${escapeKey(name)}`;
  return { path: place, message: words.missing(nameOfPath(place)) };
}

function unknown(error: ErrorObject, name: string, all: readonly ErrorObject[], words: Words): Problem {
  const place = `${error.instancePath}/${escapeKey(name)}`;
  const given = isObject(error.data) ? error.data : {};
  const known = [...declaredNames(error.parentSchema), ...missingNames(error.instancePath, all)];
  const suggestion = didYouMean(
    name,
    known.filter((candidate) => !Object.hasOwn(given, candidate)),
  );
  return { path: place, message: words.unknown(nameOfPath(place)), ...(suggestion !== undefined && { suggestion }) };
}

function missingNames(path: string, all: readonly ErrorObject[]): string[] {
  return all
    .filter((error) => error.keyword === 'required' && error.instancePath === path)
    .map((error) => String(error.params.missingProperty));
}

/** The properties that a schema declares, its combined parts included. */
export function declaredNames(schema: unknown): string[] {
  if (!isObject(schema)) return [];
  const parts = ['allOf', 'anyOf', 'oneOf'].flatMap((key) => own(schema, key) ?? []);
  const properties = own(schema, 'properties');
  return [...(isObject(properties) ? Object.keys(properties) : []), ...parts.flatMap(declaredNames)];
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
