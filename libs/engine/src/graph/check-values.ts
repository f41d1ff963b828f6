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

/**
 * Checks the values of a workflow: inputs, defaults of interface inputs, and settings. For nodes outside `doubtful` it
 * also reports missing inputs and wrong connection orders. In a doubtful node these may only follow from a wrong name.
 */
export function checkValues(
  { interfaceInputs = {} }: StoredWorkflow,
  nodes: readonly GraphNode[],
  doubtful: ReadonlySet<GraphNode>,
): WorkflowProblem[] {
  return [
    ...Object.entries(interfaceInputs).flatMap(([name, slot]) => defaultProblems(name, slot)),
    ...nodes.flatMap((node, index) => [
      ...inputProblems(node, `/nodes/${index}/inputValues`, !doubtful.has(node)),
      ...defaultOutputProblems(node, `/nodes/${index}/defaultOutputs`),
      ...settingProblems(node, `/nodes/${index}/configValues`),
      ...(doubtful.has(node) ? [] : orderProblems(node, `/nodes/${index}/inputConnectionOrders`)),
    ]),
  ];
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
  return Object.entries(node.outputs ?? {}).flatMap(([name, slot]) => {
    const value = own(node.stored.defaultOutputs, name);
    const wrong = value == null ? undefined : valueProblem(slot, value);
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

/**
 * With more edge ids than this, no suggestion is made. It would take too long for a workflow with thousands of wrong
 * ids.
 */
const MANY_EDGES = 100;
/** No more inputs of any name than these are compared with a missing input. */
const MANY_NAMES = 100;

/** An order must name only connections of its slot, each at most once. */
function orderProblems(node: GraphNode, path: string): WorkflowProblem[] {
  return Object.entries(node.stored.inputConnectionOrders ?? {}).flatMap(([slot, order]) => {
    const connected = new Set((node.incoming.get(slot) ?? []).flatMap(({ edge }) => edge.id ?? []));
    const named = new Set<string>();
    return order.flatMap((edgeId, index) => {
      const what = `The order of input '${slot}' of ${nameOf(node)}`;
      const at = `${path}/${escapeKey(slot)}/${index}`;
      const code = 'wrong_order';
      if (named.has(edgeId)) return [{ path: at, message: `${what} names the edge '${edgeId}' twice`, code }];
      named.add(edgeId);
      if (connected.has(edgeId)) return [];
      const suggestion = connected.size <= MANY_EDGES ? didYouMean(edgeId, connected) : undefined;
      const message = `${what} names the edge '${edgeId}', which does not lead there`;
      return [{ path: at, message, code, ...(suggestion !== undefined && { suggestion }) }];
    });
  });
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
