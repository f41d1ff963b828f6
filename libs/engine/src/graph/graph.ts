import {
  isObject,
  own,
  type DrawnNode,
  type JsonObject,
  type NodeType,
  type StoredEdge,
  type StoredNode,
  type StoredSlot,
  type StoredWorkflow,
} from '@errand/contracts';
import { copyObject } from '../run/copy-json.js';

export type Slots = Record<string, StoredSlot>;
export type NamedSlot = readonly [name: string, slot: StoredSlot];

/**
 * The role of a node. `groupInput` provides the workflow's inputs, `groupOutput` takes its outputs, `group` runs
 * another workflow, `node` runs the code of a node type.
 */
type NodeKind = DrawnNode['kind'];

/** A node with its slots and connections resolved. All runs of a workflow share it, so it holds no data of a run. */
export class GraphNode {
  readonly kind: NodeKind;
  /** Its key among the nodes of its workflow. */
  readonly key: string;
  /** Only of a `node`. */
  type?: NodeType;
  /** Only of a `group`. */
  workflow?: { id: string; stored: StoredWorkflow };
  /** Undefined if the type or workflow is unknown. Such a graph never runs. */
  inputs?: Slots;
  outputs?: Slots;
  /** By input slot, in the order in which a multi-input takes its values. */
  readonly incoming = new Map<string, Link[]>();
  readonly outgoing: Link[] = [];
  private ownValues: JsonObject | undefined;
  private ownConfig: JsonObject | undefined;
  private ownSlots: readonly NamedSlot[] | undefined;
  private connected: readonly Connection[] | undefined;
  private streamed: readonly string[] | undefined;

  constructor(
    readonly stored: StoredNode,
    /** Its index among the nodes of its workflow. */
    readonly index: number,
  ) {
    this.kind = kindOf(stored.type);
    this.key = nodeKey('', stored.id);
  }

  /** The stored values of its inputs, frozen. */
  get values(): JsonObject {
    return (this.ownValues ??= copyObject(this.stored.inputValues ?? {}));
  }

  /** Its settings, with the defaults of its type, frozen. */
  get config(): JsonObject {
    return (this.ownConfig ??= configOf(this));
  }

  /** Its inputs. Not to be read before the graph is complete, and so are its connections. */
  get slots(): readonly NamedSlot[] {
    return (this.ownSlots ??= Object.entries(this.inputs ?? {}));
  }

  /** Its connected inputs. */
  get connections(): readonly Connection[] {
    return (this.connected ??= connectionsOf(this));
  }

  /** The inputs that it reads chunk by chunk. The node may begin before the source of such an input has ended. */
  get streamedInputs(): readonly string[] {
    return (this.streamed ??= streamedInputsOf(this));
  }
}

export interface Link {
  edge: StoredEdge;
  source: GraphNode;
  sourceSlot: string;
  target: GraphNode;
  targetSlot: string;
}

/** A connected input with all of its links. */
export interface Connection {
  name: string;
  slot: StoredSlot | undefined;
  /** Whether the node reads it chunk by chunk. */
  isStreamed: boolean;
  links: readonly Link[];
}

const KINDS: ReadonlyMap<string, NodeKind> = new Map([
  ['GroupInput', 'groupInput'],
  ['GroupOutput', 'groupOutput'],
  ['NodeGroup', 'group'],
]);

/** The kind of a stored node's type. The three structural types may omit their namespace `core`. */
export function kindOf(type: string): NodeKind {
  return KINDS.get(type.replace(/^core:/, '')) ?? 'node';
}

/** The number of incoming links: how many source ends the node waits for. */
export function inDegree(node: GraphNode): number {
  let links = 0;
  for (const slot of node.incoming.values()) links += slot.length;
  return links;
}

function connectionsOf({ incoming, inputs, streamedInputs }: GraphNode): Connection[] {
  return [...incoming].map(([name, links]) => ({
    name,
    slot: own(inputs, name),
    isStreamed: streamedInputs.includes(name),
    links,
  }));
}

function configOf({ stored, type }: GraphNode): JsonObject {
  const defaults: JsonObject = Object.create(null);
  for (const [key, schema] of Object.entries(type?.config ?? {})) {
    if (isObject(schema) && schema.default !== undefined) defaults[key] = schema.default;
  }
  return copyObject({ ...defaults, ...stored.configValues });
}

function streamedInputsOf({ kind, stored, inputs = {} }: GraphNode): readonly string[] {
  if (kind !== 'node' || stored.bypassed || stored.muted) return [];
  return Object.entries(inputs).flatMap(([name, slot]) => (slot.isStream ? [name] : []));
}

/** Whether a connection leads to an output of the workflow that callers receive chunk by chunk. */
export function isStreamedOutput({ target, targetSlot }: Link): boolean {
  return target.kind === 'groupOutput' && own(target.inputs, targetSlot)?.isStream === true;
}

/** Escapes a key for a JSON Pointer (RFC 6901). */
export function escapeKey(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** The name of a node in messages. */
export function nameOf({ stored }: GraphNode): string {
  return `node '${stored.id}' (${stored.type})`;
}

/**
 * Whether the code of the node may change something outside of the run. A node type without a declaration counts as one
 * that may. The effects of a tool or workflow that a node runs are decided where that tool or workflow runs.
 */
export function hasEffects({ kind, type }: GraphNode): boolean {
  return kind === 'node' && type?.effects !== 'none';
}

/** Whether the node has fallback outputs for a failure (`onError`). */
export function hasFallback({ stored: { onError = 'fail' } }: GraphNode): boolean {
  return onError !== 'fail';
}

/**
 * The key of a node in a run: its id after the keys of the groups around it (`outer/inner`). Separator characters
 * inside an id are escaped.
 */
export function nodeKey(prefix: string, id: string): string {
  return prefix + id.replaceAll(/[%/#:]/g, encodeURIComponent);
}
