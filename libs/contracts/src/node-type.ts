import type { Json, JsonObject } from './json.js';
import type { StoredSlot } from './workflow.js';

/** What a running node gets beside its inputs. */
export interface NodeContext {
  /** Fires on cancel and on time-out. */
  signal: AbortSignal;
  config: JsonObject;
  nodeId: string;
  invocationId: string;
  log(line: string): void;
  progress(value: number, message?: string): void;
  /** Runs a registered tool as part of this invocation; how (in-process, sandbox) is not the node's concern. */
  callTool(toolId: string, args: JsonObject): Promise<Json>;
}

/**
 * A kind of node: one atomic operation with typed inputs and outputs. The `entry` module of a plugin exports `nodes: NodeType[]`.
 * `run` returns an object with one key per output slot.
 */
export interface NodeType {
  /** `namespace:name`; the namespace is the plugin's name. */
  type: string;
  displayName?: string;
  description: string;
  inputs: Record<string, StoredSlot>;
  outputs: Record<string, StoredSlot>;
  /** JSON Schema properties of `configValues`. */
  config?: JsonObject;
  run(inputs: JsonObject, context: NodeContext): Promise<JsonObject> | JsonObject;
}

/** A backend service: its callable methods are listed one by one; nothing else is reachable. */
export interface ServiceType {
  name: string;
  methods: Record<string, (args: JsonObject, context: { signal: AbortSignal }) => Promise<Json> | Json>;
}
