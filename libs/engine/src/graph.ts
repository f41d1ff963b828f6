import {
  own,
  type NodeType,
  type StoredEdge,
  type StoredNode,
  type StoredSlot,
  type StoredWorkflow,
} from '@errand/contracts';

export type Slots = Record<string, StoredSlot>;

/**
 * What the engine does with a node. `groupInput` gives the workflow's inputs, `groupOutput` takes its outputs, `group` runs another
 * workflow, `node` runs the code of a node type.
 */
export type NodeKind = 'node' | 'groupInput' | 'groupOutput' | 'group';

/** A node with its slots and connections resolved. */
export interface GraphNode {
  stored: StoredNode;
  kind: NodeKind;
  /** Of a `node`. */
  type?: NodeType;
  /** Of a `group`. */
  workflow?: { id: string; stored: StoredWorkflow };
  /** Undefined where the type or workflow is unknown: such a graph never runs. */
  inputs?: Slots;
  outputs?: Slots;
  /** By input slot, in the order in which a multi-input takes its values. */
  incoming: Map<string, Link[]>;
  outgoing: Link[];
}

export interface Link {
  edge: StoredEdge;
  source: GraphNode;
  sourceSlot: string;
  target: GraphNode;
  targetSlot: string;
}

const KINDS: ReadonlyMap<string, NodeKind> = new Map([
  ['GroupInput', 'groupInput'],
  ['GroupOutput', 'groupOutput'],
  ['NodeGroup', 'group'],
]);

/** The kind of a stored node's type; the three structural types may leave out their namespace `core`. */
export function kindOf(type: string): NodeKind {
  return KINDS.get(type.replace(/^core:/, '')) ?? 'node';
}

/** The workflow that a node group runs. */
export function referencedWorkflow(node: StoredNode): unknown {
  return node.configValues?.referencedWorkflowId ?? node.referencedWorkflowId;
}

/** The links that come in, each as often as it is drawn: how many ends a node waits for. */
export function inDegree(node: GraphNode): number {
  let links = 0;
  for (const slot of node.incoming.values()) links += slot.length;
  return links;
}

/** Whether what comes to this input is read chunk by chunk, so that the node may begin before its source has ended. */
export function takesStream({ kind, stored, inputs }: GraphNode, slot: string): boolean {
  return kind === 'node' && !stored.bypassed && !stored.muted && own(inputs, slot)?.isStream === true;
}

/** Whether a connection leads to an output of the workflow that callers get chunk by chunk. */
export function isStreamedOutput({ target, targetSlot }: Link): boolean {
  return target.kind === 'groupOutput' && own(target.inputs, targetSlot)?.isStream === true;
}

/** A node as messages name it. */
export function nameOf({ stored }: GraphNode): string {
  return `node '${stored.id}' (${stored.type})`;
}
