import {
  didYouMean,
  own,
  type Json,
  type NodeType,
  type StoredSlot,
  type StoredWorkflow,
  type WorkflowProblem,
  isObject,
} from '@errand/contracts';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { MISSING, inputProblem } from '../run/fill-inputs.js';
import { escapeKey, nameOf, type GraphNode } from './graph.js';
import { valueProblem, widen } from './slot-types.js';
import { Suggestions } from './suggestions.js';

/** The most problems of values that are reported. Nobody reads more, and each costs time. */
const MAX_PROBLEMS = 1_000;

/**
 * Checks the values of a workflow: inputs, defaults of interface inputs, and settings. For nodes outside `doubtful` it
 * also reports missing inputs and wrong connection orders. In a doubtful node these may only follow from a wrong name.
 * It stops after MAX_PROBLEMS.
 */
export function checkValues(
  workflow: StoredWorkflow,
  nodes: readonly GraphNode[],
  doubtful: ReadonlySet<GraphNode>,
): WorkflowProblem[] {
  const problems: WorkflowProblem[] = [];
  for (const problem of problemsOfValues(workflow, nodes, doubtful)) {
    problems.push(problem);
    if (problems.length === MAX_PROBLEMS) break;
  }
  return problems;
}

function* problemsOfValues(
  { interfaceInputs = {} }: StoredWorkflow,
  nodes: readonly GraphNode[],
  doubtful: ReadonlySet<GraphNode>,
): Generator<WorkflowProblem> {
  const suggestions = new Suggestions();
  for (const [name, slot] of Object.entries(interfaceInputs)) yield* defaultProblems(name, slot);
  for (const [index, node] of nodes.entries()) {
    yield* inputProblems(node, `/nodes/${index}/inputValues`, !doubtful.has(node));
    yield* defaultOutputProblems(node, `/nodes/${index}/defaultOutputs`);
    yield* settingProblems(node, `/nodes/${index}/configValues`);
    if (!doubtful.has(node)) yield* orderProblems(node, `/nodes/${index}/inputConnectionOrders`, suggestions);
  }
}

function defaultProblems(name: string, slot: StoredSlot): WorkflowProblem[] {
  const wrong = inputProblem({ ...slot, required: false }, slot.config?.default);
  return wrong
    ? [
        {
          path: `/interfaceInputs/${escapeKey(name)}/config/default`,
          message: `The default of input '${name}' ${wrong}`,
        },
      ]
    : [];
}

/** Skips connected inputs, whose values are known only at run time, and nodes that do not run. */
function inputProblems(node: GraphNode, path: string, alsoMissing: boolean): WorkflowProblem[] {
  const { stored, kind, inputs = {}, incoming } = node;
  if (stored.bypassed || stored.muted || kind === 'groupOutput') return [];
  return Object.entries(inputs).flatMap(([name, slot]) => {
    const { wrong, ...more } = incoming.has(name) ? {} : problemOfInput(node, name, slot);
    if (!wrong || (wrong === MISSING && !alsoMissing)) return [];
    if (wrong === MISSING) return [missingInput(node, name, path)];
    return [{ path: `${path}/${escapeKey(name)}`, message: `Input '${name}' of ${nameOf(node)} ${wrong}`, ...more }];
  });
}

/** Among inputs of any name, a misspelt one is known only by the required one that is missing. */
function missingInput(node: GraphNode, name: string, path: string): WorkflowProblem {
  const { type, inputs = {} } = node;
  const others = type?.otherInputs ? Object.keys(inputs).filter((other) => !own(type.inputs, other)) : [];
  const similar = didYouMean(name, others.slice(0, MANY_NAMES));
  const message = `Input '${name}' of ${nameOf(node)} ${MISSING}: connect it or give it a value`;
  const hint = similar === undefined ? '' : `; the node has an input '${similar}', did you mean '${name}'?`;
  return { path: `${path}/${escapeKey(name)}`, message: `${message}${hint}`, code: 'missing_input' };
}

function problemOfInput(node: GraphNode, name: string, slot: StoredSlot): { wrong?: string; suggestion?: string } {
  const value = own(node.stored.inputValues, name);
  const wrong = inputProblem(slot, value) ?? checkProblem(node, name, value);
  return wrong === undefined ? choiceProblem(slot, value) : { wrong };
}

function defaultOutputProblems(node: GraphNode, path: string): WorkflowProblem[] {
  return Object.entries(node.stored.defaultOutputs ?? {}).flatMap(([name, value]) => {
    const slot = own(node.outputs, name);
    const wrong = slot === undefined || value === null ? undefined : valueProblem(slot, value);
    return wrong
      ? [{ path: `${path}/${escapeKey(name)}`, message: `The default of output '${name}' of ${nameOf(node)} ${wrong}` }]
      : [];
  });
}

function checkProblem({ type }: GraphNode, name: string, value: Json | undefined): string | undefined {
  const check = own(type?.checks, name);
  if (!check || value === undefined || value === null) return undefined;
  try {
    check(value);
    return undefined;
  } catch (error) {
    return `cannot be read: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function settingProblems(node: GraphNode, path: string): WorkflowProblem[] {
  const { type, stored } = node;
  if (!type?.config || !stored.configValues) return [];
  const check = settingsCheck(type);
  if (check(structuredClone(stored.configValues))) return [];
  return (check.errors ?? []).map(({ instancePath, message }) => {
    const setting = instancePath.split('/')[1];
    return { path: path + instancePath, message: `Setting '${setting}' of ${nameOf(node)} ${message}` };
  });
}

/**
 * `coerceTypes`, because editors store a number for a text and the other way round. No `validateSchema`: each keyword checks its own value
 * when it is compiled, and compiling the meta-schema first would take a quarter of the time in which a library loads.
 */
const ajv = new Ajv2020({ strict: false, allErrors: true, coerceTypes: true, validateSchema: false });
const settingsChecks = new WeakMap<NodeType, ValidateFunction>();

function settingsCheck(type: NodeType): ValidateFunction {
  const check = settingsChecks.get(type) ?? ajv.compile({ type: 'object', properties: type.config });
  settingsChecks.set(type, check);
  return check;
}

/** With more edge ids than this, no suggestion is made. */
const MANY_EDGES = 100;
/** No more inputs of any name than these are compared with a missing input. */
const MANY_NAMES = 100;

/** An order must name only connections of its slot, each at most once. */
function* orderProblems(node: GraphNode, path: string, suggestions: Suggestions): Generator<WorkflowProblem> {
  const code = 'wrong_order';
  for (const [slot, order] of Object.entries(node.stored.inputConnectionOrders ?? {})) {
    const connected = new Set((node.incoming.get(slot) ?? []).flatMap(({ edge }) => edge.id ?? []));
    const named = new Set<string>();
    const what = `The order of input '${slot}' of ${nameOf(node)}`;
    for (const [index, edgeId] of order.entries()) {
      const at = `${path}/${escapeKey(slot)}/${index}`;
      if (named.has(edgeId)) yield { path: at, message: `${what} names the edge '${edgeId}' twice`, code };
      else if (!connected.has(edgeId)) {
        const suggestion = connected.size <= MANY_EDGES ? suggestions.nearest(edgeId, connected) : undefined;
        const message = `${what} names the edge '${edgeId}', which does not lead there`;
        yield { path: at, message, code, ...(suggestion !== undefined && { suggestion }) };
      }
      named.add(edgeId);
    }
  }
}

/**
 * Checks a value against the suggestions of its slot. Only slots with the category ComboOption are strict. A suggestion
 * may carry a label: `{value, label}`.
 */
function choiceProblem(slot: StoredSlot, given: Json | undefined): { wrong?: string; suggestion?: string } {
  const { matchCategories, config } = slot;
  const suggestions = matchCategories?.includes('ComboOption') ? (config?.suggestions ?? []) : [];
  if (suggestions.length === 0 || given === undefined || given === null) return {};
  const offered = suggestions.map((each) => textOf(isObject(each) ? (own(each, 'value') ?? each) : each));
  const chosen = slot.multi && Array.isArray(given) ? given : [given];
  const strange = chosen.map((each) => textOf(widen(slot, each))).find((each) => !offered.includes(each));
  if (strange === undefined) return {};
  const suggestion = didYouMean(strange, offered);
  return {
    wrong: `must be one of ${offered.join(', ')}, got ${strange}`,
    ...(suggestion !== undefined && { suggestion }),
  };
}

function textOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
