import type { Json, JsonObject } from './json.js';
import type { WorkflowProblem } from './problem.js';
import type { Effects, JsonSchema } from './tool.js';
import type { Failure } from './tool-error.js';
import type { StoredSlot, StoredWorkflow } from './workflow.js';

/** The services for a running node, beside its inputs. */
export interface NodeContext {
  /** Fires on cancel and on timeout. */
  signal: AbortSignal;
  config: JsonObject;
  nodeId: string;
  invocationId: string;
  /** The session of the invocation, and the agent that acts in it. */
  session?: string;
  agent?: string;
  /** By slot with `acceptsFailure`: the failure of its source. */
  failures: Readonly<Record<string, Failure>>;
  log: (line: string) => void;
  /** From 0 to 1. */
  progress: (value: number, message?: string) => void;
  /** By slot with `isStream`: the chunks of its source as they arrive. A whole value is one chunk. */
  streams: Readonly<Record<string, AsyncIterable<Json>>>;
  /** Runs a registered tool as part of this invocation, in the process or in the sandbox. */
  callTool: (toolId: string, args: JsonObject) => Promise<Json>;
  /**
   * Runs a workflow of the library inside this one, without inputs that it does not declare. Returns the value of a single output, or
   * an object of several outputs. If this node runs again, the finished nodes of that workflow keep their results.
   */
  runWorkflow: (workflowId: string, inputs: JsonObject) => Promise<Json>;
  /**
   * Waits without holding a slot: Errand may suspend the invocation. Afterwards it calls `run` again from its beginning. A node must
   * therefore call `park` before any action that must not happen twice.
   * Resolves to the answer, or to undefined after a wait for a time. A wait for an answer rejects with TimeoutError at its deadline.
   */
  park: (request: SuspendRequest) => Promise<Json | undefined>;
  /**
   * Runs a computation in a thread, for work that would block the event loop. Invocations of different tenants take turns. The job
   * usually holds no slot of its worker meanwhile.
   * Rejects with the error of `run`, TimeoutError, ResourceLimitError, or the reason of `signal`.
   */
  compute: (computation: Computation) => Promise<JsonObject>;
  /** For addresses from data. It refuses loopback, private networks and cloud metadata, unless the operator allows them. */
  fetch: typeof globalThis.fetch;
}

/** Work for a thread: the function `run(input)` of a CommonJS module. Its input and its result are JSON objects. */
export interface Computation {
  /** The absolute path of the module, with or without its file extension. */
  module: string;
  input: JsonObject;
  /** Counted from the start in the thread. */
  timeoutMs: number;
  /** The subject of the message for an exceeded limit, such as `'expression'`. `advice` is the remedy for the caller. */
  what: string;
  advice: string;
}

/**
 * A wait of a node for a time, or for an answer from outside. Callers see `prompt` and `schema`; Errand refuses an answer that does not
 * fit `schema`, and the wait goes on. Times are in ms.
 */
export type SuspendRequest =
  | { for: 'time'; ms: number }
  | { for: 'answer'; timeoutMs?: number; prompt?: Json; schema?: JsonSchema | boolean };

/** An answer from outside to an external tool or to a node. */
export type Answer = { result: Json } | { error: { message: string } };

/**
 * A kind of node: one atomic operation with typed inputs and outputs. The `entry` module of a plugin exports `nodes: NodeType[]`.
 * `run` gets read-only inputs that fit their slots and returns an object with one key per output slot. An omitted slot has no value:
 * nodes that are connected only to it are skipped (a branch not taken).
 * An async generator yields `{slot: chunk}` for outputs with `isStream` and returns the other outputs at its end. If it does not
 * return a streamed slot, the value of that slot is made from its chunks: one string if all are strings, or else their list.
 */
export interface NodeType {
  /** `namespace:name`. The namespace is the name of the plugin. */
  type: string;
  displayName?: string;
  description: string;
  inputs: Record<string, StoredSlot>;
  /**
   * The slot of each input that `inputs` does not declare, for a node type that takes inputs of any name. `run` gets them by their
   * names, after the declared ones: first the stored values, then the connections, each in stored order. Without it, other names are
   * refused.
   */
  otherInputs?: StoredSlot;
  outputs: Record<string, StoredSlot>;
  /** JSON Schema properties of `configValues`. */
  config?: JsonObject;
  /** For a node whose outputs depend on its configuration: all its outputs with these `configValues`. */
  outputsFor?(config: JsonObject): Record<string, StoredSlot>;
  /** The outputs of a bypassed node. Without it, each output takes the first input of a fitting type. */
  bypassBehavior?: 'mute' | BypassRules;
  /** The input that names a workflow for `run`. If it is constant, the loader checks that workflow and packs it with this one. */
  workflowInput?: string;
  /**
   * What a second run of the code does, without the tools and workflows that it runs: `none` changes nothing outside, `idempotent` does no
   * harm, `once` must not happen. Errand runs a node with effects only when the outcomes of all earlier nodes are stored. Without a
   * declaration, a node has effects.
   */
  effects?: Effects;
  /** The setting that holds a JSON Schema. The loader compiles it, and reports its problems. */
  schemaSetting?: string;
  /**
   * By input whose value needs more than its type, such as a pattern: throws the error that `run` would throw for an invalid value.
   * The loader calls it for constants of a workflow.
   */
  checks?: Record<string, (value: Json) => void>;
  run(inputs: JsonObject, context: NodeContext): NodeRun;
}

export type NodeRun = Promise<JsonObject> | JsonObject | AsyncGenerator<JsonObject, JsonObject | void>;

/** The outputs of a bypassed node (ComfyTavern's rules, and more). An output without a rule gets the empty value of its type. */
export interface BypassRules {
  /** By output: the input that supplies its value. With several inputs, the first one that has a value. */
  passThrough?: Record<string, string | readonly string[]>;
  /** By output: the value if no input supplies one. */
  defaults?: JsonObject;
  /** Outputs without a rule get no value. Nodes that are connected only to them are skipped, like a branch that is not taken. */
  skipRest?: boolean;
}

/** The things that a workflow refers to by name: node types by `namespace:name`, workflows of node groups by id. */
export interface WorkflowLookups {
  nodeTypes: ReadonlyMap<string, NodeType>;
  workflows: ReadonlyMap<string, StoredWorkflow>;
}

/** Returns all problems of a workflow. An empty list means that it can run. The engine provides it for the registry. */
export type WorkflowCheck = (workflow: StoredWorkflow, lookups: WorkflowLookups) => WorkflowProblem[];

/** Read access of a service to the invocations of its caller's tenant. Both methods reject with a ToolError. */
export interface InvocationReader {
  /** `{invocation, path?, offset?, limit?, q?}` → a part of a result, or the positions of `q` in it. */
  readResult(args: JsonObject): Promise<Json>;
  /** `{invocation, name, step?, offset?, limit?}` → a part of a file that a script returned. */
  readArtifact(args: JsonObject): Promise<Json>;
}

/** Finds tools for the agent of a call. */
export interface ToolFinder {
  /** `{query, limit?}`: the tools that fit the words, best first. */
  search(args: JsonObject): Json;
}

/** The session in which a call runs, for the tools of agents. All methods reject with a ToolError, also outside a session. */
export interface SessionAccess {
  /** `{path, default_value?}` → the value there. */
  readWorld(args: JsonObject): Promise<Json>;
  readPrivate(args: JsonObject): Promise<Json>;
  /** `{path, value}` */
  updateWorld(args: JsonObject): Promise<Json>;
  /** `{key, value}` */
  updatePrivate(args: JsonObject): Promise<Json>;
  /** `{event_type, payload?, agents?}` → the turns that the event begins. */
  publishEvent(args: JsonObject): Promise<Json>;
  /** `{query, limit?}` → the messages of the conversation that have these words. */
  search(args: JsonObject): Promise<Json>;
}

/** The second argument of a service method. */
export interface ServiceContext {
  signal: AbortSignal;
  /** Absent outside an invocation, as in a test. */
  invocations?: InvocationReader;
  tools?: ToolFinder;
  /** The session of the call, and the agent that makes it. */
  session?: string;
  agent?: string;
  /** Absent outside an invocation, as in a test. */
  sessions?: SessionAccess;
}

/** A backend service. Callers can reach only the listed methods. */
export interface ServiceType {
  name: string;
  methods: Record<string, (args: JsonObject, context: ServiceContext) => Promise<Json> | Json>;
  /** By method: the parameters of tools that declare none. */
  parameters?: Record<string, JsonSchema>;
}
