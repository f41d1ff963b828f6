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

/** What a caller changes of an invocation, by the number of the step. */
export interface Changes {
  /** Arguments of whole steps, each by its name. */
  steps: Map<number, JsonObject>;
  /** Inputs of nodes, by their keys in the run. */
  nodes: Map<number, Map<string, JsonObject>>;
  /** By the number of the step: under which key the caller named it. */
  keyOf(step: number): string;
}

type Place = { step: number; node?: string };

/**
 * Reads `{<key>: {inputs}}`. A key is the number of a step, a node's key, or, where there are several steps, `<step>/<node>`.
 * @throws ProblemError with every key and input that does not exist, and the nearest that does
 */
export function readChanges(
  given: JsonObject,
  definitions: readonly Definition[],
  nodeTypes: ReadonlyMap<string, NodeType>,
): Changes {
  const problems: Problem[] = [];
  const places = knownPlaces(definitions, nodeTypes);
  const steps = new Map<number, JsonObject>();
  const nodes = new Map<number, Map<string, JsonObject>>();
  const keys = new Map<number, string>();
  for (const [key, change] of Object.entries(given)) {
    const path = `/steps/${escapePointer(key)}`;
    const known = places.get(key);
    if (!known) {
      problems.push(unknownKey(path, key, shortNames(places)));
      continue;
    }
    const inputs = readInputs(change, path, problems);
    const { step, node } = known.place;
    if (node === undefined) steps.set(step, inputs);
    else nodes.set(step, (nodes.get(step) ?? new Map<string, JsonObject>()).set(node, inputs));
    keys.set(step, key);
    problems.push(...wrongInputs(inputs, known.inputs, path, key));
  }
  if (problems.length > 0) {
    const said = problems.map(({ message }) => message).join('; ');
    throw new ProblemError('invalid_request', said, { status: 422, errors: problems });
  }
  return { steps, nodes, keyOf: (step) => keys.get(step) ?? `${step}` };
}

interface Known {
  place: Place;
  /** The inputs that a node has; undefined where its step's tool says what there is. */
  inputs?: Readonly<Record<string, StoredSlot>> | undefined;
}

/** A node of the only step goes before a step of the same name. */
function knownPlaces(
  definitions: readonly Definition[],
  nodeTypes: ReadonlyMap<string, NodeType>,
): ReadonlyMap<string, Known> {
  const places = new Map<string, Known>();
  definitions.forEach((definition, step) => {
    places.set(`${step}`, { place: { step } });
    for (const [node, slots] of nodeInputs(definition, nodeTypes)) {
      const known = { place: { step, node }, inputs: slots };
      if (definitions.length === 1) places.set(node, known);
      places.set(`${step}/${node}`, known);
    }
  });
  return places;
}

/** Each place once, by the shorter of its names. */
function shortNames(places: ReadonlyMap<string, Known>): string[] {
  const names = new Map<Known, string>();
  for (const [name, known] of places) if (!names.has(known)) names.set(known, name);
  return [...names.values()];
}

function readInputs(change: unknown, path: string, problems: Problem[]): JsonObject {
  const inputs = isObject(change) ? own(change, 'inputs') : undefined;
  const others = isObject(change) ? Object.keys(change).filter((name) => name !== 'inputs') : [];
  if (isObject(inputs) && others.length === 0) return inputs as JsonObject;
  const message = others.length > 0 ? `There is no field '${others[0]}' here, only inputs` : 'must be {inputs: {…}}';
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
  const hint = suggestion ? `, did you mean '${suggestion}'?` : `; there are ${known.slice(0, 20).join(', ')}`;
  const message = `There is no step or node '${key}'${hint}`;
  return { path, message, ...(suggestion && { suggestion }) };
}

function wrongInputs(inputs: JsonObject, slots: Known['inputs'], path: string, key: string): Problem[] {
  if (!slots) return [];
  return Object.entries(inputs).flatMap(([name, value]) => {
    const at = `${path}/inputs/${escapePointer(name)}`;
    const slot = own(slots, name);
    if (!slot) return [unknownInput(at, key, name, Object.keys(slots))];
    const wrong = inputProblem(slot, value);
    return wrong ? [{ path: at, message: `Input '${name}' of node '${key}' ${wrong}` }] : [];
  });
}

function unknownInput(path: string, key: string, name: string, known: readonly string[]): Problem {
  const suggestion = didYouMean(name, known);
  const hint = suggestion ? `, did you mean '${suggestion}'?` : `: it has ${known.join(', ') || 'none'}`;
  return { path, message: `Node '${key}' has no input '${name}'${hint}`, ...(suggestion && { suggestion }) };
}

function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
