import { isObject } from '@errand/contracts';
import type { ErrorObject } from 'ajv/dist/2020.js';
import { isWithin } from './json-pointer.js';
import { among, nameOfType, nameOfTypes } from './schema-words.js';

const MAX_FORMS = 4;

/** What the validator said inside the branches of choices is said by the choice itself, unless one branch alone can be meant. */
export function withoutBranches(errors: readonly ErrorObject[]): ErrorObject[] {
  const dropped = new Set<ErrorObject>(errors.filter(({ keyword }) => keyword === 'if'));
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
    return `${subject} must fit exactly one of its ${branches.length} forms, and fits numbers ${forms.join(' and ')}`;
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
  return `${subject} fits none of its ${branches.length} forms: ${reasons.join('; ')}`;
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

function errorsOfBranch(choice: ErrorObject, index: number, all: readonly ErrorObject[]): ErrorObject[] {
  const { $ref } = branchesOf(choice)[index]!;
  const prefix = `${choice.schemaPath}/${index}`;
  return all.slice(0, all.indexOf(choice)).filter(({ schemaPath, instancePath }) => {
    const ofBranch = isWithin(schemaPath, prefix) || (typeof $ref === 'string' && isWithin(schemaPath, $ref));
    return ofBranch && isWithin(instancePath, choice.instancePath);
  });
}
