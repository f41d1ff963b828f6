import { isObject } from '@errand/contracts';
import type { ErrorObject } from 'ajv/dist/2020.js';
import { isWithin } from './json-pointer.js';
import { among, nameOfType, nameOfTypes } from './schema-words.js';

const MAX_FORMS = 4;

/** What the validator said inside the branches of a choice is said by the choice itself, unless one branch alone can be meant. */
export function withoutBranches(errors: readonly ErrorObject[]): ErrorObject[] {
  // `if` and `propertyNames` are told once: the first by what it then asks for, the second by itself.
  const dropped = new Set(errors.filter(({ keyword, propertyName }) => keyword === 'if' || propertyName !== undefined));
  for (const [index, choice] of errors.entries()) {
    if (!isChoice(choice)) continue;
    const meant = meantBranch(choice);
    const inside = errorsInside(choice, errors, index);
    const kept = new Set(meant === undefined ? [] : inside.filter((error) => isOfBranch(error, choice, meant)));
    if (kept.size > 0) dropped.add(choice);
    for (const error of inside) if (!kept.has(error)) dropped.add(error);
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
  const inside = errorsInside(choice, all, all.indexOf(choice));
  const reasons = branches.slice(0, MAX_FORMS).flatMap((_branch, index) => {
    const [first] = withoutBranches(inside.filter((error) => isOfBranch(error, choice, index)));
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
 * Whether an error from inside a choice is from one of its branches. Errors from behind a `$ref` bear a path of their own, which
 * starts anew, so that those of several such branches cannot be told apart.
 */
function isOfBranch({ schemaPath }: ErrorObject, choice: ErrorObject, index: number): boolean {
  const isReference = '$ref' in branchesOf(choice)[index]!;
  return isReference ? !isWithin(schemaPath, choice.schemaPath) : isWithin(schemaPath, `${choice.schemaPath}/${index}`);
}

/** What was said inside all branches: it stands right before the choice, and is not from the keywords beside it. */
function errorsInside(choice: ErrorObject, all: readonly ErrorObject[], end: number): ErrorObject[] {
  const parent = choice.schemaPath.slice(0, choice.schemaPath.lastIndexOf('/'));
  let start = end;
  for (; start > 0; start--) {
    const { schemaPath, instancePath } = all[start - 1]!;
    const isBeside = isWithin(schemaPath, parent) && !isWithin(schemaPath, choice.schemaPath);
    if (isBeside || !isWithin(instancePath, choice.instancePath)) break;
  }
  return all.slice(start, end);
}
