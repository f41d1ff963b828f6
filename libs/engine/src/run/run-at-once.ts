import { isObject, own, type Json, type JsonObject, type NodeContext, type NodeType } from '@errand/contracts';
import { GraphNode } from '../graph/graph.js';
import { inputsOfNode } from '../graph/read-graph.js';
import { widen } from '../graph/slot-types.js';
import { resultOf, storedNodeOf } from '../graph/workflow-of-node.js';
import { fillInputs } from './fill-inputs.js';
import { readOutputs } from './node-outputs.js';

/** The node types whose code may return at once: it has no effects, is no async function and no generator, and streams nothing. */
const atOnce = new WeakMap<NodeType, boolean>();

/**
 * Runs a node by itself, without a graph, a journal, events and signals: as a workflow of one node it would cost several times as much. This
 * needs code without effects that returns its outputs at once and uses nothing of its context but its settings.
 * @returns undefined for other code, and after a failure. The caller then runs the node by `runWorkflow`, which runs the code again: this has
 *   no effect, and reports a failure completely.
 */
export function runAtOnce(nodeType: NodeType, args: JsonObject): { result: Json } | undefined {
  const isKnown = atOnce.get(nodeType);
  if (isKnown === undefined) atOnce.set(nodeType, mayReturnAtOnce(nodeType));
  if (!(isKnown ?? atOnce.get(nodeType))) return undefined;
  try {
    const node = nodeFor(nodeType, args);
    const bare = new BareContext(node);
    const returned: unknown = nodeType.run(fillInputs(node.slots, node.values), bare.context);
    if (!bare.isUsed && isObject(returned) && !isOpen(returned))
      return { result: resultOfNode(node, readOutputs(node, returned)) };
    // The next run of this type goes to the engine directly.
    atOnce.set(nodeType, false);
  } catch (error) {
    if (error === NEEDS_ENGINE) atOnce.set(nodeType, false);
  }
  return undefined;
}

function mayReturnAtOnce(nodeType: NodeType): boolean {
  const { effects, inputs, outputs } = nodeType;
  // oxlint-disable-next-line typescript/unbound-method -- it is not called
  const isPlain = Object.getPrototypeOf(nodeType.run) === Function.prototype;
  const slots = [...Object.values(inputs), ...Object.values(outputs)];
  return effects === 'none' && isPlain && !nodeType.outputsFor && !slots.some(({ isStream }) => isStream);
}

function nodeFor(nodeType: NodeType, args: JsonObject): GraphNode {
  const stored = storedNodeOf(nodeType, args);
  const { outputs } = nodeType;
  return Object.assign(new GraphNode(stored, 0), {
    type: nodeType,
    inputs: inputsOfNode(nodeType, stored, []),
    outputs,
  });
}

/** Whether the code has returned a promise or a generator. Neither is awaited; a rejection must not end the process. */
function isOpen(returned: Record<string, unknown>): boolean {
  if (returned instanceof Promise) returned.catch(() => {});
  return typeof returned['then'] === 'function' || Symbol.asyncIterator in returned;
}

/** As the outputs of a workflow of one node: an output without a value is null. */
function resultOfNode({ outputs: slots = {} }: GraphNode, outputs: JsonObject): Json {
  const named = Object.entries(slots).map(([name, slot]) => [name, widen(slot, own(outputs, name) ?? null)] as const);
  return resultOf(Object.fromEntries(named));
}

/** Thrown into code that needs the engine. The code then runs again in the engine. */
const NEEDS_ENGINE = new Error('This node needs the engine');

/** The context of code that needs only its settings. Access to anything else ends the attempt to run it at once. */
class BareContext {
  isUsed = false;
  readonly context: NodeContext;

  constructor(node: GraphNode) {
    const known = { config: node.config, nodeId: node.key, failures: {} };
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- whatever it lacks throws on access
    this.context = new Proxy(known, { get: (_, name) => own(known, String(name)) ?? this.refuse() }) as NodeContext;
  }

  private refuse(): never {
    this.isUsed = true;
    throw NEEDS_ENGINE;
  }
}
