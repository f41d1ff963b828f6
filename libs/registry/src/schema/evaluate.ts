import { Evaluated } from './evaluated.js';
import { kindOf, type Check, type SchemaNode } from './schema-node.js';
import type { ValidationRun } from './validation-run.js';

/** Whether the value matches the schema. Errors go to the run, if it collects them. */
export function evaluate(node: SchemaNode, value: unknown, run: ValidationRun, seen: Evaluated | undefined): boolean {
  run.take(node.steps);
  const kind = kindOf(value);
  const checks = node.checks[kind];
  const unevaluated = node.unevaluated[kind];
  if (unevaluated.length === 0) return runChecks(checks, value, run, seen);
  const own = new Evaluated();
  const fits = runChecks(checks, value, run, own);
  const restFits = (fits || run.collects) && runChecks(unevaluated, value, run, own);
  if (seen) mergeInto(seen, own, run);
  return fits && restFits;
}

function runChecks(checks: readonly Check[], value: unknown, run: ValidationRun, seen: Evaluated | undefined): boolean {
  let fits = true;
  for (const check of checks) {
    if (check(value, run, seen)) continue;
    if (!run.collects) return false;
    fits = false;
  }
  return fits;
}

function mergeInto(seen: Evaluated, own: Evaluated, run: ValidationRun): void {
  run.take(own.size);
  seen.merge(own);
}

/** Evaluates a part of a value: the property or item `key`. */
export function evaluateAt(node: SchemaNode, key: string | number, value: unknown, run: ValidationRun): boolean {
  if (!run.collects) return evaluate(node, value, run, undefined);
  run.enter(key);
  const fits = evaluate(node, value, run, undefined);
  run.leave();
  return fits;
}

/** Whether a branch of a choice matches. Its errors stay until the choice is decided. */
export function evaluateBranch(
  node: SchemaNode,
  value: unknown,
  run: ValidationRun,
  seen: Evaluated | undefined,
): boolean {
  const { fills } = run;
  const own = seen && new Evaluated();
  run.fills = false;
  run.openChoice();
  const fits = evaluate(node, value, run, own);
  run.closeChoice();
  run.fills = fills;
  if (fits && seen && own) mergeInto(seen, own, run);
  return fits;
}

/** `evaluateBranch` without any errors. */
export function evaluateQuietly(
  node: SchemaNode,
  value: unknown,
  run: ValidationRun,
  seen: Evaluated | undefined,
): boolean {
  const { collects } = run;
  run.collects = false;
  const fits = evaluateBranch(node, value, run, seen);
  run.collects = collects;
  return fits;
}
