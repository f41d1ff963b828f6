import {
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
import { escapeKey, GraphNode, nameOf, type Slots } from './graph.js';
import { orderMultiInputs } from './order-links.js';
import { fits } from './slot-types.js';
import { RepeatedNames, Suggestions } from './suggestions.js';

/**
 * A workflow resolved against its node types, with all names that do not resolve. A graph with problems must not run.
 */
export interface ReadGraph {
  nodes: GraphNode[];
  problems: WorkflowProblem[];
  /** Nodes with wrong names. An input that such a node lacks may only follow from the wrong name. */
  doubtful: Set<GraphNode>;
}

/** Limits on the names in one message, and on their lengths. A caller's workflow can have thousands of names. */
const MAX_NAMES = 50;
const MAX_NAME_LENGTH = 80;

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
  private readonly suggestions = new Suggestions();
  private readonly settings = new RepeatedNames();

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
    const { node: source } = this.end(edge.source, `/edges/${index}/source`);
    const { node: target, meant } = this.end(edge.target, `/edges/${index}/target`);
    if (!source || !target) {
      this.markDoubtful(target ?? meant);
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
      const suggestion = this.suggestions.nearest(named, this.lookups.nodeTypes.keys());
      this.report(`${path}/type`, `There is no node type '${named}'`, suggestion);
      return;
    }
    for (const key of Object.keys(configValues)) {
      if (own(type.config, key) !== undefined) continue;
      const suggestion = this.settings.nearest(key, named, Object.keys(type.config ?? {}));
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
      // It cannot run. With the slots, each such node would be as large as the workflow, and the check would take quadratic time.
      if (stored === this.workflow) return;
      node.inputs = stored.interfaceInputs ?? {};
      node.outputs = stored.interfaceOutputs ?? {};
      return;
    }
    const what = typeof id === 'string' ? `There is no workflow '${id}'` : 'A node group must name its workflow';
    const suggestion =
      typeof id === 'string' ? this.suggestions.nearest(id, this.lookups.workflows.keys(), workflowMeant) : undefined;
    this.report(path + field, what, suggestion);
  }

  /** The node at an end of an edge. For an unknown id, the node that is meant. */
  private end(id: string, path: string): { node?: GraphNode; meant?: GraphNode | undefined } {
    const node = this.byId.get(id);
    if (node) return { node };
    const suggestion = this.suggestions.nearest(id, this.byId.keys());
    const message = `There is no node '${id}'`;
    this.problems.push({ path, message, code: 'unknown_node', ...(suggestion !== undefined && { suggestion }) });
    return { meant: this.byId.get(suggestion ?? '') };
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
    const shown = names.slice(0, MAX_NAMES).map((name) => name.slice(0, MAX_NAME_LENGTH));
    const known = names.length > 0 ? `it has '${shown.join("', '")}'${rest}` : 'the node has none';
    const suggestion = this.suggestions.nearest(slot, names);
    this.report(path, `Unknown ${side} '${slot}' on ${nameOf(node)}: ${known}`, suggestion);
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
