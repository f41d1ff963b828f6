import {
  didYouMean,
  isObject,
  own,
  type Definition,
  type JsonObject,
  type NodeType,
  type Problem,
  type StoredSlot,
} from '@errand/contracts';
import { inputProblem } from '@errand/engine';
import { ProblemError } from '../../http/problem-error.js';
import { nodeInputs } from './node-keys.js';

/** The inputs that a repair changes, by the number of the step. */
export interface Changes {
  /** New arguments of steps. */
  steps: Map<number, JsonObject>;
  /** New inputs of nodes, by the key of the node in the run. */
  nodes: Map<number, Map<string, JsonObject>>;
  /** The key under which the caller named the step. */
  keyOf(step: number): string;
}

/** The highest number of reported problems, as in other requests. Each costs time. */
export const MAX_PROBLEMS = 100;

/** A step, or one of its nodes. */
type RepairPosition = { step: number; node?: string };

/**
 * Reads `{<key>: {inputs}}`. A key is the number of a step or the key of a node. With several steps, it is `<step>/<node>`.
 * @throws ProblemError with the unknown keys and inputs, and the nearest known names; at most MAX_PROBLEMS
 */
export function readChanges(
  given: JsonObject,
  definitions: readonly Definition[],
  nodeTypes: ReadonlyMap<string, NodeType>,
): Changes {
  const problems: Problem[] = [];
  const targets = knownTargets(definitions, nodeTypes);
  const known = shortNames(targets);
  const steps = new Map<number, JsonObject>();
  const nodes = new Map<number, Map<string, JsonObject>>();
  const keys = new Map<number, string>();
  for (const [key, change] of Object.entries(given)) {
    if (problems.length >= MAX_PROBLEMS) break;
    const path = `/steps/${escapePointer(key)}`;
    const target = targets.get(key);
    if (!target) {
      problems.push(unknownKey(path, key, known));
      continue;
    }
    const inputs = readInputs(change, path, problems);
    const { step, node } = target.position;
    if (node === undefined) steps.set(step, inputs);
    else nodes.set(step, (nodes.get(step) ?? new Map<string, JsonObject>()).set(node, inputs));
    keys.set(step, key);
    checkInputs(inputs, target.inputs, { path, key }, problems);
  }
  if (problems.length > 0) {
    const detail = problems.map(({ message }) => message).join('; ');
    throw new ProblemError('invalid_request', detail, { status: 422, errors: problems });
  }
  return { steps, nodes, keyOf: (step) => keys.get(step) ?? `${step}` };
}

interface ChangeTarget {
  position: RepairPosition;
  /** The inputs of a node. Undefined for a step: the tool checks its arguments. */
  inputs?: Readonly<Record<string, StoredSlot>> | undefined;
}

/** A key of a node in the only step has precedence over the number of a step. */
function knownTargets(
  definitions: readonly Definition[],
  nodeTypes: ReadonlyMap<string, NodeType>,
): ReadonlyMap<string, ChangeTarget> {
  const targets = new Map<string, ChangeTarget>();
  definitions.forEach((definition, step) => {
    targets.set(`${step}`, { position: { step } });
    for (const [node, slots] of nodeInputs(definition, nodeTypes)) {
      const target = { position: { step, node }, inputs: slots };
      if (definitions.length === 1) targets.set(node, target);
      targets.set(`${step}/${node}`, target);
    }
  });
  return targets;
}

/** One name for each target, the shorter one. */
function shortNames(targets: ReadonlyMap<string, ChangeTarget>): string[] {
  const names = new Map<ChangeTarget, string>();
  for (const [name, target] of targets) if (!names.has(target)) names.set(target, name);
  return [...names.values()];
}

function readInputs(change: unknown, path: string, problems: Problem[]): JsonObject {
  const inputs = isObject(change) ? own(change, 'inputs') : undefined;
  const others = isObject(change) ? Object.keys(change).filter((name) => name !== 'inputs') : [];
  if (isObject(inputs) && others.length === 0) return inputs as JsonObject;
  const message =
    others.length > 0 ? `Unknown field '${others[0]}'; the only field is inputs` : 'must be {inputs: {…}}';
  problems.push({ path, message });
  return {};
}

function unknownKey(path: string, key: string, known: readonly string[]): Problem {
  const [around = '', inside] = key.split(':');
  if (inside !== undefined && known.includes(around)) {
    const message = `'${key}' is one of the nodes that the code of node '${around}' runs; give '${around}' other inputs instead`;
    return { path, message, suggestion: around };
  }
  const suggestion = didYouMean(key, known);
  const hint = suggestion ? `, did you mean '${suggestion}'?` : `; known are ${known.slice(0, 20).join(', ')}`;
  const message = `Unknown step or node '${key}'${hint}`;
  return { path, message, ...(suggestion && { suggestion }) };
}

function checkInputs(
  inputs: JsonObject,
  slots: ChangeTarget['inputs'],
  { path, key }: { path: string; key: string },
  problems: Problem[],
): void {
  if (!slots) return;
  const known = Object.keys(slots);
  for (const [name, value] of Object.entries(inputs)) {
    if (problems.length >= MAX_PROBLEMS) return;
    const at = `${path}/inputs/${escapePointer(name)}`;
    const slot = own(slots, name);
    const wrong = slot && inputProblem(slot, value);
    if (!slot) problems.push(unknownInput(at, key, name, known));
    else if (wrong) problems.push({ path: at, message: `Input '${name}' of node '${key}' ${wrong}` });
  }
}

function unknownInput(path: string, key: string, name: string, known: readonly string[]): Problem {
  const suggestion = didYouMean(name, known);
  const hint = suggestion ? `, did you mean '${suggestion}'?` : `: it has ${known.join(', ') || 'none'}`;
  return { path, message: `Node '${key}' has no input '${name}'${hint}`, ...(suggestion && { suggestion }) };
}

function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
