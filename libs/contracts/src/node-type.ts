import type { Json, JsonObject } from './json.js';
import type { Problem } from './problem.js';
import type { Failure } from './tool-error.js';
import type { StoredSlot, StoredWorkflow } from './workflow.js';

/** What a running node gets beside its inputs. */
export interface NodeContext {
  /** Fires on cancel and on time-out. */
  signal: AbortSignal;
  config: JsonObject;
  nodeId: string;
  invocationId: string;
  /** By slot: why a slot with `acceptsFailure` has no value, where what is connected to it failed. */
  failures: Readonly<Record<string, Failure>>;
  log: (line: string) => void;
  /** From 0 to 1. */
  progress: (value: number, message?: string) => void;
  /** Runs a registered tool as part of this invocation; how (in-process, sandbox) is not the node's concern. */
  callTool: (toolId: string, args: JsonObject) => Promise<Json>;
}

/**
 * A kind of node: one atomic operation with typed inputs and outputs. The `entry` module of a plugin exports `nodes: NodeType[]`.
 * `run` gets read-only inputs that fit their slots and returns an object with one key per output slot; a slot that it
 * leaves out has no value, and what is connected to it alone is skipped (the branch not taken).
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
  /** For a node whose outputs depend on its configuration: all its outputs under these `configValues`. */
  outputsFor?(config: JsonObject): Record<string, StoredSlot>;
  /** What a bypassed node gives; without it each output takes the first input of a fitting type. */
  bypassBehavior?: 'mute' | BypassRules;
  run(inputs: JsonObject, context: NodeContext): Promise<JsonObject> | JsonObject;
}

/** ComfyTavern's rules for a bypassed node: output slot -> input slot whose value it passes on, and values for the rest. */
export interface BypassRules {
  passThrough?: Record<string, string>;
  defaults?: JsonObject;
}

/** What a workflow refers to by name: node types by `namespace:name`, workflows (of node groups) by id. */
export interface WorkflowLookups {
  nodeTypes: ReadonlyMap<string, NodeType>;
  workflows: ReadonlyMap<string, StoredWorkflow>;
}

/** Says all that is wrong with a workflow; an empty list: it can run. The engine has one, the registry is given it. */
export type WorkflowCheck = (workflow: StoredWorkflow, lookups: WorkflowLookups) => Problem[];

/** A backend service: its callable methods are listed one by one; nothing else is reachable. */
export interface ServiceType {
  name: string;
  methods: Record<string, (args: JsonObject, context: { signal: AbortSignal }) => Promise<Json> | Json>;
}
