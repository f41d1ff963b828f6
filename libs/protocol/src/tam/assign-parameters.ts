import { didYouMean, type ToolInterface } from '@errand/contracts';
import type { Findings } from '../parse-result.js';
import { shapeOf } from '../values/shape-of.js';
import { namesOf, type DeclaredNames } from './declared-names.js';
import { splitsOf } from './keys.js';
import type { Field } from './read-block.js';
import type { Dialect } from './dialects.js';

/** A field assigned to a parameter, under the declared spelling. */
export interface Assigned {
  name: string;
  field: Field;
  /** Whether the key has a step number. Otherwise all steps share the field. */
  numbered: boolean;
}

/** A step during the assignment of its fields. `tool` is undefined if the command names an unknown tool. */
export interface TamStep {
  number: string;
  call: number;
  tool: ToolInterface | undefined;
  /** The names that the tool declares. */
  names: DeclaredNames | undefined;
  assigned: Assigned[];
  /** Whether unnumbered keys belong to this step alone. */
  ownsUnnumbered: boolean;
}

/** The data for the assignment of a block's fields. */
interface Assignment {
  steps: readonly TamStep[];
  byNumber: ReadonlyMap<string, TamStep>;
  /** The different tools of the steps. A long chain often calls few. */
  tools: readonly ToolInterface[];
  names: readonly DeclaredNames[];
  /** Whether a declared name may end with a digit. */
  holdsNumbered: boolean;
  dialect: Dialect;
  findings: Findings;
}

/**
 * Assigns the fields of a single call. Digits belong to the name. `x1` means `x` only if `x1` is undeclared and `x` is
 * declared and absent.
 */
export function assignSingle(fields: readonly Field[], step: TamStep, findings: Findings): void {
  const { names: declared } = step;
  if (!declared) return;
  const direct = fields.map((field) => ({ field, names: declared.find(field.key) }));
  const present = new Set(direct.flatMap(({ names }) => names));
  for (const { field, names } of direct) {
    if (names.length > 0) assign(step, field, names, false, findings);
    else assignWithoutDigits(field, step, declared, present, findings);
  }
}

function assignWithoutDigits(
  field: Field,
  step: TamStep,
  declared: DeclaredNames,
  present: ReadonlySet<string>,
  findings: Findings,
): void {
  const absent = splitsOf(field.key).flatMap(({ name }) => declared.find(name).filter((one) => !present.has(one)));
  if (absent.length === 0) step.assigned.push({ name: field.key, field, numbered: false });
  else if (assign(step, field, [...new Set(absent)], true, findings)) {
    findings.warn(field.at, `'${field.key}' is read as '${absent[0]}'`);
  }
}

/** Assigns the fields of a chain: to the step with the number of the key, else to each step that declares the key. */
export function assignChained(
  fields: readonly Field[],
  steps: readonly TamStep[],
  dialect: Dialect,
  findings: Findings,
): void {
  const byNumber = new Map(steps.map((step) => [step.number, step]));
  const byParameters = new Map(steps.flatMap(({ tool }) => (tool ? [[tool.parameters, tool] as const] : [])));
  const tools = [...byParameters.values()];
  const names = tools.map(namesOf);
  const holdsNumbered = names.some((one) => one.holdsNumbered);
  const assignment: Assignment = { steps, byNumber, tools, names, holdsNumbered, dialect, findings };
  for (const field of fields) {
    const splits = numberedTargets(field, assignment);
    if (splits.length > 1) {
      const readings = splits.map(({ step, names: [name] }) => `'${name}' of step ${step.number}`).join(' or ');
      refuse(field, `'${field.key}' may be ${readings}; rename it`, assignment);
    } else if (splits[0]) {
      warnOfOtherReading(field, splits[0].step, assignment);
      assign(splits[0].step, field, splits[0].names, true, assignment.findings);
    } else assignShared(field, assignment);
  }
}

interface Target {
  step: TamStep;
  names: readonly string[];
}

/**
 * Returns the splits of a key whose step exists and whose tool declares the name. If there are several, the separator
 * of the dialect decides.
 */
function numberedTargets({ key }: Field, { byNumber, names, holdsNumbered, dialect }: Assignment): Target[] {
  const separated: Target[] = [];
  const others: Target[] = [];
  for (const { name, number } of splitsOf(key, !holdsNumbered)) {
    const step = byNumber.get(number);
    const found = step?.names?.find(name);
    if (!step || !found || found.length === 0) continue;
    (name.endsWith(dialect.separator) ? separated : others).push({ step, names: found });
  }
  if (separated.length > 0 || others.length === 0) return separated;
  return isDeclared(key, names) ? [] : others;
}

function isDeclared(key: string, names: readonly DeclaredNames[]): boolean {
  for (const one of names) if (one.find(key).length > 0) return true;
  return false;
}

function warnOfOtherReading(field: Field, { number }: TamStep, { names, findings }: Assignment): void {
  if (!isDeclared(field.key, names)) return;
  findings.warn(
    field.at,
    `'${field.key}' is read as a parameter of step ${number}, although a tool declares that very name`,
  );
}

function assignShared(field: Field, assignment: Assignment): void {
  const { steps, tools, findings } = assignment;
  const owner = steps.find(({ ownsUnnumbered }) => ownsUnnumbered);
  const targets: Target[] = (owner ? [owner] : steps)
    .map((step) => ({ step, names: step.names?.find(field.key) ?? [] }))
    .filter(({ names }) => names.length > 0);
  for (const { step, names } of targets) assign(step, field, names, step === owner, findings);
  // If a step's tool is unknown, the key may belong to it. One error is enough.
  const unsure = (owner ? [owner] : steps).some(({ tool }) => !tool);
  if (targets.length === 0 && !unsure) {
    const names = tools.flatMap(({ parameters }) => shapeOf(parameters, parameters).names);
    const suggestion = didYouMean(field.key, names) ?? didYouMean(field.key.replace(/_?\d+$/, ''), names);
    const where = owner
      ? `step ${owner.number}, to which unnumbered keys belong, declares none`
      : 'no step declares it';
    refuse(field, `Unknown parameter '${field.key}': ${where}`, assignment, suggestion);
  }
}

/** Assigns the field to the declared name. Several names that differ only in case or underscores are an error. */
function assign(step: TamStep, field: Field, names: readonly string[], numbered: boolean, findings: Findings): boolean {
  if (names.length > 1) {
    const message = `'${field.key}' may be ${names.map((name) => `'${name}'`).join(' or ')}; spell it exactly`;
    findings.error('invalid_parameters', field.at, message, { call: step.call });
    return false;
  }
  const [name] = names;
  if (name !== undefined) step.assigned.push({ name, field, numbered });
  return true;
}

function refuse(field: Field, message: string, { steps, findings }: Assignment, suggestion?: string): void {
  const call = steps[0]?.call ?? 0;
  findings.error('invalid_parameters', field.at, message, {
    path: `/${field.key}`,
    call,
    ...(suggestion !== undefined && { suggestion }),
  });
}
