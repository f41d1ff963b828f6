import { isObject } from '@errand/contracts';
import { among, nameOfType, nameOfTypes } from '../schema/schema-words.js';
import type { SchemaError } from '../schema/schema-error.js';

const MAX_FORMS = 4;

/**
 * Drops the errors inside the branches of a choice, because the choice reports them itself. If only one branch can be
 * intended, its errors replace that of the choice.
 */
export function withoutBranches(errors: readonly SchemaError[]): SchemaError[] {
  // `if` and `propertyNames` have one error each: the first through its `then` or `else`, the second through itself.
  const dropped = new Set(errors.filter(({ keyword, propertyName }) => keyword === 'if' || propertyName !== undefined));
  for (const choice of errors) {
    if (!isChoice(choice)) continue;
    const meant = meantBranch(choice);
    for (const [index, inside] of (choice.branches ?? []).entries()) {
      const isKept = index === meant && inside.length > 0;
      for (const error of isKept ? [choice] : inside) dropped.add(error);
    }
  }
  return errors.filter((error) => !dropped.has(error));
}

/** The message of a choice that no branch matches, or more than one. */
export function explainChoice(choice: SchemaError, subject: string, explain: (error: SchemaError) => string): string {
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
  const reasons = (choice.branches ?? []).slice(0, MAX_FORMS).flatMap((inside, index) => {
    const [first] = withoutBranches(inside);
    return first ? [`(${index + 1}) ${explain(first)}`] : [];
  });
  return `${subject} must fit one of ${branches.length} forms: ${reasons.join('; ')}`;
}

function isChoice({ keyword, params }: SchemaError): boolean {
  return (keyword === 'anyOf' || keyword === 'oneOf') && !Array.isArray(params.passingSchemas);
}

function branchesOf({ schema }: SchemaError): Record<string, unknown>[] {
  return Array.isArray(schema) ? schema.map((branch) => (isObject(branch) ? branch : {})) : [];
}

/** The only branch with the type of the value. */
function meantBranch(choice: SchemaError): number | undefined {
  const fitting = [...branchesOf(choice).entries()].filter(
    ([, { type }]) => type === undefined || admits([type].flat(), choice.data),
  );
  const [only] = fitting;
  return only && fitting.length === 1 ? only[0] : undefined;
}

function admits(types: readonly unknown[], value: unknown): boolean {
  const type = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
  return types.includes(type) || (Number.isInteger(value) && types.includes('integer'));
}
