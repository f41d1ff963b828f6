import { isObject } from '@errand/contracts';
import type { ErrorObject } from 'ajv/dist/2020.js';
import { isWithin } from './json-pointer.js';
import { among, nameOfType, nameOfTypes } from './schema-words.js';

const MAX_FORMS = 4;

/** What the validator said inside the branches of a choice is said by the choice itself, unless one branch alone can be meant. */
export function withoutBranches(errors: readonly ErrorObject[]): ErrorObject[] {
  // `if` and `propertyNames` are told once: the first by what it then asks for, the second by itself.
  const dropped = new Set(errors.filter(({ keyword, propertyName }) => keyword === 'if' || propertyName !== undefined));
  for (const choice of errors.filter(isChoice)) {
    const meant = meantBranch(choice);
    const kept = meant === undefined ? [] : errorsOfBranch(choice, meant, errors);
    if (kept.length > 0) dropped.add(choice);
    for (const index of branchesOf(choice).keys()) {
      if (index === meant) continue;
      for (const error of errorsOfBranch(choice, index, errors)) if (!kept.includes(error)) dropped.add(error);
    }
  }
  return errors.filter((error) => !dropped.has(error));
}

/** The message of a choice none of whose branches, or more than one, fits. */
export function explainChoice(
  choice: ErrorObject,
  subject: string,
  all: readonly ErrorObject[],
  explain: (error: ErrorObject) => string,
): string {
  const branches = branchesOf(choice);
  if (Array.isArray(choice.params.passingSchemas)) {
    const forms = choice.params.passingSchemas.map((index: number) => index + 1);
    return `${subject} must fit just one of ${branches.length} forms; numbers ${forms.join(' and ')} both fit`;
  }
  const constants = branches.map((branch) => branch.const);
  if (!constants.includes(undefined)) return `${subject} must be one of ${among(constants)}`;
  const types = branches.map((branch) => branch.type);
  if (!types.includes(undefined) && !admits(types.flat(), choice.data)) {
    return `${subject} must be ${nameOfTypes([...new Set(types.flat())])}, got ${nameOfType(choice.data)}`;
  }
  const reasons = branches.slice(0, MAX_FORMS).flatMap((_branch, index) => {
    const [first] = withoutBranches(errorsOfBranch(choice, index, all));
    return first ? [`(${index + 1}) ${explain(first)}`] : [];
  });
  return `${subject} must fit one of ${branches.length} forms: ${reasons.join('; ')}`;
}

function isChoice({ keyword, params }: ErrorObject): boolean {
  return (keyword === 'anyOf' || keyword === 'oneOf') && !Array.isArray(params.passingSchemas);
}

function branchesOf({ schema }: ErrorObject): Record<string, unknown>[] {
  return Array.isArray(schema) ? schema.map((branch) => (isObject(branch) ? branch : {})) : [];
}

/** The one branch whose `type` the value has, if there is just one such. */
function meantBranch(choice: ErrorObject): number | undefined {
  const fitting = [...branchesOf(choice).entries()].filter(
    ([, { type }]) => type === undefined || admits([type].flat(), choice.data),
  );
  return fitting.length === 1 ? fitting[0]![0] : undefined;
}

function admits(types: readonly unknown[], value: unknown): boolean {
  const type = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
  return types.includes(type) || (Number.isInteger(value) && types.includes('integer'));
}

/**
 * What was said inside one branch. Errors from behind a `$ref` bear a path of their own, which starts anew, so that those of
 * several such branches cannot be told apart.
 */
function errorsOfBranch(choice: ErrorObject, index: number, all: readonly ErrorObject[]): ErrorObject[] {
  const isReference = '$ref' in branchesOf(choice)[index]!;
  return errorsInside(choice, all).filter(({ schemaPath }) =>
    isReference ? !isWithin(schemaPath, choice.schemaPath) : isWithin(schemaPath, `${choice.schemaPath}/${index}`),
  );
}

/** What was said inside all branches: it stands right before the choice, and is not from the keywords beside it. */
function errorsInside(choice: ErrorObject, all: readonly ErrorObject[]): ErrorObject[] {
  const parent = choice.schemaPath.slice(0, choice.schemaPath.lastIndexOf('/'));
  const before = all.slice(0, all.indexOf(choice));
  const start = before.findLastIndex(({ schemaPath, instancePath }) => {
    const isBeside = isWithin(schemaPath, parent) && !isWithin(schemaPath, choice.schemaPath);
    return isBeside || !isWithin(instancePath, choice.instancePath);
  });
  return before.slice(start + 1);
}
