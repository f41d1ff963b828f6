import {
  didYouMean,
  groupReference,
  own,
  type NodeType,
  type StoredEdge,
  type StoredNode,
  type StoredSlot,
  type StoredWorkflow,
  workflowMeant,
  type WorkflowLookups,
  type WorkflowProblem,
} from '@errand/contracts';
import { escapeKey, GraphNode, nameOf, type Link, type Slots } from './graph.js';
import { fits } from './slot-types.js';

/**
 * A workflow resolved against its node types, with all names that do not resolve. A graph with problems must not run.
 */
export interface ReadGraph {
  nodes: GraphNode[];
  problems: WorkflowProblem[];
  /** Nodes with wrong names. An input that such a node lacks may only follow from the wrong name. */
  doubtful: Set<GraphNode>;
}

/** Limits on suggestions and on the names in one message. A caller's workflow can have thousands of both. */
const MAX_SUGGESTIONS = 50;
const MAX_NAMES = 50;

/** Reads a stored workflow. Time is linear in nodes and edges. */
export function readGraph(workflow: StoredWorkflow, lookups: WorkflowLookups): ReadGraph {
  const reader = new GraphReader(workflow, lookups);
  workflow.nodes.forEach((stored, index) => reader.addNode(stored, index));
  workflow.edges.forEach((edge, index) => reader.connect(edge, index));
  for (const node of reader.nodes) orderMultiInputs(node);
  return reader;
}

class GraphReader implements ReadGraph {
  readonly nodes: GraphNode[] = [];
  readonly problems: WorkflowProblem[] = [];
  readonly doubtful = new Set<GraphNode>();
  private readonly byId = new Map<string, GraphNode>();
  private readonly edgeIds = new Set<string>();

  constructor(
    private readonly workflow: StoredWorkflow,
    private readonly lookups: WorkflowLookups,
  ) {}

  addNode(stored: StoredNode, index: number): void {
    const node = new GraphNode(stored, index);
    this.resolve(node, `/nodes/${index}`);
    if (this.byId.has(stored.id)) this.report(`/nodes/${index}/id`, `Two nodes have the id '${stored.id}'`);
    else this.byId.set(stored.id, node);
    this.nodes.push(node);
    for (const slot of Object.keys(stored.inputValues ?? {})) {
      openInput(node, slot);
      this.slot(node, 'input', slot, `/nodes/${index}/inputValues/${escapeKey(slot)}`);
    }
    for (const slot of Object.keys(stored.defaultOutputs ?? {}))
      this.slot(node, 'output', slot, `/nodes/${index}/defaultOutputs/${escapeKey(slot)}`);
  }

  connect(edge: StoredEdge, index: number): void {
    if (edge.id !== undefined && this.edgeIds.has(edge.id))
      this.report(`/edges/${index}/id`, `Two edges have the id '${edge.id}'`);
    if (edge.id !== undefined) this.edgeIds.add(edge.id);
    const source = this.end(edge.source, `/edges/${index}/source`);
    const target = this.end(edge.target, `/edges/${index}/target`);
    if (!source || !target) {
      this.markDoubtful(target ?? this.byId.get(didYouMean(edge.target, this.byId.keys()) ?? ''));
      return;
    }
    const output = this.slot(source, 'output', edge.sourceHandle, `/edges/${index}/sourceHandle`);
    const targetSlot = baseSlot(target, edge.targetHandle);
    openInput(target, targetSlot);
    const input = this.slot(target, 'input', targetSlot, `/edges/${index}/targetHandle`);
    if (output && input && !fits(output, input)) {
      const ends = `'${edge.sourceHandle}' of ${nameOf(source)} gives ${output.dataFlowType}, '${targetSlot}' of ${nameOf(target)}`;
      this.report(`/edges/${index}`, `${ends} takes ${input.dataFlowType}`);
    }
    const link = { edge, source, sourceSlot: edge.sourceHandle, target, targetSlot };
    source.outgoing.push(link);
    const links = target.incoming.get(targetSlot);
    if (!links) target.incoming.set(targetSlot, [link]);
    else links.push(link);
    if (links && input && !input.multi) {
      this.report(
        `/edges/${index}/targetHandle`,
        `Input '${targetSlot}' of ${nameOf(target)} takes one connection and has two`,
      );
    }
  }

  private resolve(node: GraphNode, path: string): void {
    const { interfaceInputs = {}, interfaceOutputs = {} } = this.workflow;
    if (node.kind === 'node') return this.resolveType(node, path);
    if (node.kind === 'group') return this.resolveGroup(node, path);
    const isInput = node.kind === 'groupInput';
    node.inputs = isInput ? {} : interfaceOutputs;
    node.outputs = isInput ? interfaceInputs : {};
  }

  private resolveType(node: GraphNode, path: string): void {
    const { type: named, configValues = {} } = node.stored;
    const type = this.lookups.nodeTypes.get(named);
    if (!type) {
      this.report(`${path}/type`, `There is no node type '${named}'`, didYouMean(named, this.lookups.nodeTypes.keys()));
      return;
    }
    for (const key of Object.keys(configValues)) {
      if (own(type.config, key) !== undefined) continue;
      const suggestion = didYouMean(key, Object.keys(type.config ?? {}));
      if (suggestion)
        this.report(`${path}/configValues/${escapeKey(key)}`, `${named} has no setting '${key}'`, suggestion);
    }
    node.type = type;
    node.inputs = declaredInputs(type);
    node.outputs = type.outputsFor?.(configValues) ?? type.outputs;
  }

  private resolveGroup(node: GraphNode, path: string): void {
    const reference = groupReference(node.stored);
    if (!reference) return;
    const { id, path: field } = reference;
    const stored = typeof id === 'string' ? this.lookups.workflows.get(id) : undefined;
    if (typeof id === 'string' && stored) {
      node.workflow = { id, stored };
      node.inputs = stored.interfaceInputs ?? {};
      node.outputs = stored.interfaceOutputs ?? {};
      return;
    }
    const what = typeof id === 'string' ? `There is no workflow '${id}'` : 'A node group must name its workflow';
    const suggestion = typeof id === 'string' ? workflowMeant(id, this.lookups.workflows.keys()) : undefined;
    this.report(path + field, what, suggestion);
  }

  private end(id: string, path: string): GraphNode | undefined {
    const node = this.byId.get(id);
    if (!node) {
      const suggestion = this.suggest(id, this.byId.keys());
      const message = `There is no node '${id}'`;
      this.problems.push({ path, message, code: 'unknown_node', ...(suggestion !== undefined && { suggestion }) });
    }
    return node;
  }

  private slot(node: GraphNode, side: 'input' | 'output', slot: string, path: string): StoredSlot | undefined {
    const slots = side === 'input' ? node.inputs : node.outputs;
    const found = own(slots, slot);
    if (slots && !found) {
      this.reportSlot(path, node, side, slot);
      this.markDoubtful(node);
    }
    return found;
  }

  private reportSlot(path: string, node: GraphNode, side: 'input' | 'output', slot: string): void {
    const names = Object.keys((side === 'input' ? node.inputs : node.outputs) ?? {});
    const rest = names.length > MAX_NAMES ? `, … (${names.length} in all)` : '';
    const known = names.length > 0 ? `it has '${names.slice(0, MAX_NAMES).join("', '")}'${rest}` : 'the node has none';
    this.report(path, `Unknown ${side} '${slot}' on ${nameOf(node)}: ${known}`, this.suggest(slot, names));
  }

  /** Only the first problems get a suggestion. One search among thousands of names takes about a millisecond. */
  private suggest(name: string, names: Iterable<string>): string | undefined {
    return this.problems.length < MAX_SUGGESTIONS ? didYouMean(name, names) : undefined;
  }

  private markDoubtful(node: GraphNode | undefined): void {
    if (node) this.doubtful.add(node);
  }

  private report(path: string, message: string, suggestion?: string): void {
    this.problems.push({ path, message, ...(suggestion !== undefined && { suggestion }) });
  }
}

/**
 * The inputs of a node: those that its type declares, and those of any other name that the node uses, if its type takes
 * them.
 */
export function inputsOfNode(type: NodeType, stored: StoredNode, edges: readonly StoredEdge[]): Slots {
  const node = Object.assign(new GraphNode(stored, 0), { type, inputs: declaredInputs(type) });
  if (!type.otherInputs) return node.inputs;
  for (const name of Object.keys(stored.inputValues ?? {})) openInput(node, name);
  for (const { target, targetHandle } of edges) if (target === stored.id) openInput(node, baseSlot(node, targetHandle));
  return node.inputs;
}

/** A copy for a type that takes inputs of any name. It has no prototype, because an input may be called `__proto__`. */
function declaredInputs({ inputs, otherInputs }: NodeType): Slots {
  return otherInputs ? Object.assign(Object.create(null), inputs) : inputs;
}

/** Gives a node whose type takes inputs of any name the slot of such an input. */
function openInput({ type, inputs }: GraphNode, name: string): void {
  if (type?.otherInputs && inputs && !own(inputs, name)) inputs[name] = type.otherInputs;
}

/** ComfyTavern numbers the connections of a multi-input: `parts__0` means the slot `parts`. */
function baseSlot({ inputs, type }: GraphNode, handle: string): string {
  const numbered = /^(.+)__\d+$/.exec(handle)?.[1];
  if (numbered === undefined || own(inputs, handle)) return handle;
  return (own(inputs, numbered) ?? type?.otherInputs)?.multi ? numbered : handle;
}

/**
 * Sorts the links of multi-inputs by `inputConnectionOrders`. Links that it does not name follow, by the number of
 * their handle, then in stored order.
 */
function orderMultiInputs(node: GraphNode): void {
  for (const [slot, links] of node.incoming) {
    if (links.length < 2) continue;
    const order = own(node.stored.inputConnectionOrders, slot) ?? [];
    const rank = new Map(order.map((edgeId, index) => [edgeId, index]));
    const rankOf = (link: Link) => rank.get(link.edge.id ?? '') ?? order.length + number(link.edge.targetHandle);
    links.sort((a, b) => rankOf(a) - rankOf(b));
  }
}

function number(handle: string): number {
  return Number(/__(\d+)$/.exec(handle)?.[1] ?? 0);
}
