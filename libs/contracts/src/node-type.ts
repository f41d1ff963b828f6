import type { Json, JsonObject } from './json.js';
import type { Problem } from './problem.js';
import type { JsonSchema } from './tool.js';
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
  /** By slot with `isStream`: the chunks of what is connected to it, as they come; a whole value is one chunk. */
  streams: Readonly<Record<string, AsyncIterable<Json>>>;
  /** Runs a registered tool as part of this invocation; how (in-process, sandbox) is not the node's concern. */
  callTool: (toolId: string, args: JsonObject) => Promise<Json>;
  /**
   * Runs a workflow of the library inside this one; inputs that it does not declare are left out. The value where it has one
   * output, else an object. What finished in it is kept when this node runs again.
   */
  runWorkflow: (workflowId: string, inputs: JsonObject) => Promise<Json>;
  /**
   * Waits without holding anything: the invocation may leave its process until then, and `run` is called anew when it goes on, and
   * gets here again. So a node parks before it does anything that may not be done twice.
   * Gives the answer, or undefined when the time is over (of `answer`: rejects with TimeoutError).
   */
  park: (request: ParkRequest) => Promise<Json | undefined>;
  /**
   * Runs a computation in a thread, for work that would block the event loop. Invocations of different tenants take turns, and a
   * computation holds no slot of its worker while it waits.
   * Rejects with the error of `run`, TimeoutError, ResourceLimitError, or the reason of `signal`.
   */
  compute: (computation: Computation) => Promise<JsonObject>;
  /** For addresses out of data: refuses what the operator does not allow (loopback, private networks, metadata). */
  fetch: typeof globalThis.fetch;
}

/** Work for a thread: the function `run(input)` of a CommonJS module, which gets and returns a JSON object. */
export interface Computation {
  /** The absolute path of the module; its ending may be left out. */
  module: string;
  input: JsonObject;
  /** Counted from the start in the thread. */
  timeoutMs: number;
  /** The subject of the message when a limit is exceeded, such as `'expression'`, and what the caller can do then. */
  what: string;
  advice: string;
}

/** What a node waits for: a time, or an answer that somebody posts; `prompt` is shown to them. Times in ms. */
export type ParkRequest = { for: 'time'; ms: number } | { for: 'answer'; timeoutMs?: number; prompt?: Json };

/** What somebody outside answered to an external tool or node. */
export type Answer = { result: Json } | { error: { message: string } };

/**
 * A kind of node: one atomic operation with typed inputs and outputs. The `entry` module of a plugin exports `nodes: NodeType[]`.
 * `run` gets read-only inputs that fit their slots and returns an object with one key per output slot; a slot that it
 * leaves out has no value, and what is connected to it alone is skipped (the branch not taken).
 * An async generator yields `{slot: chunk}` for outputs with `isStream` as they come, and returns the other outputs at its end; a
 * streamed slot that it does not return is its chunks together: one text if all are texts, else their list.
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
  /** The input that names a workflow which `run` runs; where it is constant, that workflow is checked and travels with this one. */
  workflowInput?: string;
  /**
   * For inputs that are read as more than their type says, such as a pattern: throws what `run` would throw of a value that cannot be
   * read. Where a workflow gives a constant, this is found out when it is loaded.
   */
  checks?: Record<string, (value: Json) => void>;
  run(inputs: JsonObject, context: NodeContext): NodeRun;
}

export type NodeRun = Promise<JsonObject> | JsonObject | AsyncGenerator<JsonObject, JsonObject | void>;

/** What a bypassed node hands on (ComfyTavern's rules, and more). An output that no rule names gets the empty value of its type. */
export interface BypassRules {
  /** By output: the input whose value it hands on; of several inputs, the first that has a value. */
  passThrough?: Record<string, string | readonly string[]>;
  /** By output: the value where no input gives one. */
  defaults?: JsonObject;
  /** Outputs that no rule names get no value: what is connected to them alone is skipped, like a branch that is not taken. */
  skipRest?: boolean;
}

/** What a workflow refers to by name: node types by `namespace:name`, workflows (of node groups) by id. */
export interface WorkflowLookups {
  nodeTypes: ReadonlyMap<string, NodeType>;
  workflows: ReadonlyMap<string, StoredWorkflow>;
}

/** Says all that is wrong with a workflow; an empty list: it can run. The engine has one, the registry is given it. */
export type WorkflowCheck = (workflow: StoredWorkflow, lookups: WorkflowLookups) => Problem[];

/** What the platform reads for a service, of the tenant alone whose call runs. Both reject with a ToolError. */
export interface InvocationReader {
  /** `{invocation, path?, offset?, limit?, q?}` → a part of a result, or the places where `q` occurs in it. */
  readResult(args: JsonObject): Promise<Json>;
  /** `{invocation, name, step?, offset?, limit?}` → a part of a file that a script handed out. */
  readArtifact(args: JsonObject): Promise<Json>;
}

/** What a method of a service gets beside its arguments. */
export interface ServiceContext {
  signal: AbortSignal;
  /** Absent where no invocation is run, as in a test. */
  invocations?: InvocationReader;
}

/** A backend service: its callable methods are listed one by one; nothing else is reachable. */
export interface ServiceType {
  name: string;
  methods: Record<string, (args: JsonObject, context: ServiceContext) => Promise<Json> | Json>;
  /** By method: what it takes, for tools that say nothing of it themselves. */
  parameters?: Record<string, JsonSchema>;
}
