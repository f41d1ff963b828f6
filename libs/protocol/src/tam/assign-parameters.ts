import { didYouMean, type ToolInterface } from '@errand/contracts';
import type { Findings } from '../parse-result.js';
import { shapeOf } from '../values/shape-of.js';
import { declaredNames, splitsOf } from './keys.js';
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
  dialect: Dialect;
  findings: Findings;
}

/**
 * Assigns the fields of a single call. Digits belong to the name. `x1` means `x` only if `x1` is undeclared and `x` is
 * declared and absent.
 */
export function assignSingle(fields: readonly Field[], step: TamStep, findings: Findings): void {
  const { tool } = step;
  if (!tool) return;
  const direct = fields.map((field) => ({ field, names: declaredNames(tool, field.key) }));
  const present = new Set(direct.flatMap(({ names }) => names));
  for (const { field, names } of direct) {
    if (names.length > 0) assign(step, field, names, false, findings);
    else assignWithoutDigits(field, step, tool, present, findings);
  }
}

function assignWithoutDigits(
  field: Field,
  step: TamStep,
  tool: ToolInterface,
  present: ReadonlySet<string>,
  findings: Findings,
): void {
  const absent = splitsOf(field.key).flatMap(({ name }) =>
    declaredNames(tool, name).filter((one) => !present.has(one)),
  );
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
  const tools = new Map(steps.flatMap(({ tool }) => (tool ? [[tool.parameters, tool] as const] : [])));
  const assignment: Assignment = { steps, byNumber, tools: [...tools.values()], dialect, findings };
  for (const field of fields) {
    const splits = numberedTargets(field, assignment);
    if (splits.length > 1) {
      const readings = splits.map(({ step, names }) => `'${names[0]}' of step ${step.number}`).join(' or ');
      refuse(field, `'${field.key}' may be ${readings}; rename it`, assignment);
    } else if (splits[0]) {
      warnOfOtherReading(field, splits[0].step, assignment);
      assign(splits[0].step, field, splits[0].names, true, assignment.findings);
    } else assignShared(field, assignment);
  }
}

interface Target {
  step: TamStep;
  names: string[];
}

/**
 * Returns the splits of a key whose step exists and whose tool declares the name. If there are several, the separator
 * of the dialect decides.
 */
function numberedTargets({ key }: Field, { byNumber, tools, dialect }: Assignment): Target[] {
  const targets: (Target & { separated: boolean })[] = [];
  for (const { name, number } of splitsOf(key)) {
    const step = byNumber.get(number);
    const names = step?.tool ? declaredNames(step.tool, name) : [];
    if (step && names.length > 0) targets.push({ step, names, separated: name.endsWith(dialect.separator) });
  }
  const separated = targets.filter((target) => target.separated);
  if (separated.length > 0) return separated;
  return isDeclared(key, tools) ? [] : targets;
}

function isDeclared(key: string, tools: readonly ToolInterface[]): boolean {
  return tools.some((tool) => declaredNames(tool, key).length > 0);
}

function warnOfOtherReading(field: Field, { number }: TamStep, { tools, findings }: Assignment): void {
  if (!isDeclared(field.key, tools)) return;
  findings.warn(
    field.at,
    `'${field.key}' is read as a parameter of step ${number}, although a tool declares that very name`,
  );
}

function assignShared(field: Field, assignment: Assignment): void {
  const { steps, tools, findings } = assignment;
  const owner = steps.find(({ ownsUnnumbered }) => ownsUnnumbered);
  const targets: Target[] = (owner ? [owner] : steps)
    .map((step) => ({ step, names: step.tool ? declaredNames(step.tool, field.key) : [] }))
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
