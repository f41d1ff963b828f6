import { isObject, type Json } from '@errand/contracts';
import { canonicalValue, type StepCounter } from './canonical-value.js';
import { evaluate, evaluateBranch, evaluateQuietly } from './evaluate.js';
import { fail, type Check, type KeywordCompiler, type KeywordContext, type SchemaNode } from './schema-node.js';
import type { SchemaError } from './schema-error.js';
import type { ValidationRun } from './validation-run.js';

/** The keywords for all types, in the order of the checks. */
export const GENERAL_KEYWORDS: Readonly<Record<string, KeywordCompiler>> = {
  $ref: (context) => {
    if (typeof context.value !== 'string') return undefined;
    const target = context.target(context.value);
    return (value, run, seen) => {
      const { fills } = run;
      run.fills = run.mayFill;
      run.enterReference();
      const fits = evaluate(target, value, run, seen);
      run.leaveReference();
      run.fills = fills;
      return fits;
    };
  },
  const: (context) => {
    const { value: allowedValue } = context;
    const isEqual = oneOfValues([allowedValue]);
    return (value, run) =>
      isEqual(value, run) || fail(context, run, value, { allowedValue }, 'must be equal to constant');
  },
  enum: (context) => {
    const allowedValues = asList(context.value);
    const isListed = oneOfValues(allowedValues);
    const message = 'must be equal to one of the allowed values';
    return (value, run) => isListed(value, run) || fail(context, run, value, { allowedValues }, message);
  },
  not: (context) => {
    const node = context.part(context.value);
    return (value, run) =>
      !evaluateQuietly(node, value, run, undefined) || fail(context, run, value, {}, 'must NOT be valid');
  },
  anyOf: (context) => {
    const branches = asList(context.value).map((branch, index) => context.part(branch, index));
    return (value, run, seen) => {
      const tried = new TriedBranches(run);
      let fits = false;
      for (const branch of branches) {
        fits = tried.add(evaluateBranch(branch, value, run, seen)) || fits;
        // Properties that the other branches evaluate count as well.
        if (fits && !seen) break;
      }
      if (fits) return tried.dropErrors();
      return fail(context, run, value, {}, 'must match a schema in anyOf', tried.errors);
    };
  },
  oneOf: (context) => ('discriminator' in context.schema && choiceByTag(context) ? undefined : checkOneOf(context)),
  allOf: (context) => {
    const nodes = asList(context.value).map((schema, index) => context.part(schema, index));
    return (value, run, seen) => all(nodes, (node) => evaluate(node, value, run, seen), run);
  },
  if: (context) => {
    const { value: condition, schema, node } = context;
    const test = context.part(condition);
    const branch = (keyword: 'then' | 'else'): SchemaNode | undefined =>
      schema[keyword] === undefined ? undefined : context.part(schema[keyword], '..', keyword);
    const [whenTrue, whenFalse] = [branch('then'), branch('else')];
    return (value, run, seen) => {
      const failingKeyword = evaluateQuietly(test, value, run, seen) ? 'then' : 'else';
      const chosen = failingKeyword === 'then' ? whenTrue : whenFalse;
      if (!chosen || evaluate(chosen, value, run, seen)) return true;
      return fail({ keyword: 'if', node }, run, value, { failingKeyword }, `must match "${failingKeyword}" schema`);
    };
  },
};

/** Runs all checks. If the run does not collect errors, it stops at the first failure. */
export function all<T>(items: readonly T[], check: (item: T) => boolean, run: ValidationRun): boolean {
  let fits = true;
  for (const item of items) {
    if (check(item)) continue;
    if (!run.collects) return false;
    fits = false;
  }
  return fits;
}

export function asList(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}

/** Whether a value equals one of these. Linear in the value, for any number of them. */
function oneOfValues(values: readonly Json[]): (value: unknown, run: ValidationRun) => boolean {
  const scalars = new Set<unknown>(values.filter((value) => typeof value !== 'object' || value === null));
  const free: StepCounter = { take: () => undefined };
  const complex = new Set(
    values.filter((value) => typeof value === 'object' && value !== null).map((value) => canonicalValue(value, free)),
  );
  const sizes = new Set(values.map(sizeOf));
  return (value, run) => {
    if (typeof value !== 'object' || value === null) return scalars.has(value);
    // Most values that differ differ in size.
    if (complex.size === 0) return false;
    const size = sizeOf(value);
    run.take(8 + (Math.abs(size) >> 1));
    return sizes.has(size) && complex.has(canonicalValue(value, run));
  };
}

/** The number of items, or of properties as a negative number. */
function sizeOf(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  return isObject(value) ? -1 - Object.keys(value).length : 0;
}

function checkOneOf(context: KeywordContext): Check {
  const branches = asList(context.value).map((branch, index) => context.part(branch, index));
  return (value, run, seen) => {
    const tried = new TriedBranches(run);
    const passing: number[] = [];
    for (const [index, branch] of branches.entries()) {
      if (tried.add(evaluateBranch(branch, value, run, seen))) passing.push(index);
      if (passing.length > 1) break;
    }
    if (passing.length === 1) return tried.dropErrors();
    const passingSchemas = passing.length > 1 ? passing : null;
    return fail(context, run, value, { passingSchemas }, 'must match exactly one schema in oneOf', tried.errors);
  };
}

/** The errors of the branches of a choice while it is made. */
class TriedBranches {
  readonly errors: SchemaError[][] = [];
  private readonly start: number;
  private before: number;

  constructor(private readonly run: ValidationRun) {
    this.start = run.errors.length;
    this.before = this.start;
  }

  /** Records the result of a branch, and returns it. */
  add(fits: boolean): boolean {
    const { errors, collects } = this.run;
    if (collects) this.errors.push(errors.slice(this.before));
    this.before = errors.length;
    return fits;
  }

  /** Drops the errors of the branches, because the choice is decided. */
  dropErrors(): true {
    this.run.errors.length = this.start;
    return true;
  }
}

/**
 * The branches of `oneOf` by tag, if each branch requires its own tag. Otherwise undefined: `discriminator` is not in
 * JSON Schema, and is then ignored.
 */
export function choiceByTag(context: KeywordContext): { tag: string; branches: Map<string, number> } | undefined {
  const { schema } = context;
  const tag = isObject(schema.discriminator) ? schema.discriminator.propertyName : undefined;
  if (typeof tag !== 'string') return undefined;
  const branches = new Map<string, number>();
  for (const [index, branch] of asList(schema.oneOf).entries()) {
    const meant = isObject(branch) && typeof branch.$ref === 'string' ? context.target(branch.$ref).schema : branch;
    const declared = isObject(meant) && isObject(meant.properties) ? meant.properties[tag] : undefined;
    const isRequired = [schema, meant].some((one) => isObject(one) && asList(one.required).includes(tag));
    if (!isObject(declared) || !isRequired) return undefined;
    for (const value of declared.const === undefined ? asList(declared.enum) : [declared.const]) {
      if (typeof value !== 'string' || branches.has(value)) return undefined;
      branches.set(value, index);
    }
  }
  return branches.size > 0 ? { tag, branches } : undefined;
}
