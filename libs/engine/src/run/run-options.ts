import type {
  Answer,
  Computation,
  Json,
  JsonObject,
  JsonSchema,
  NodeState,
  Problem,
  StoredWorkflow,
  WorkflowLookups,
} from '@errand/contracts';
import type { Journal } from '../journal/node-journal.js';

/** The events of a run. `nodeId` is the node's key in the run: `outer/inner` in a node group. */
export type EngineEvent =
  | { event: 'node'; state: NodeState }
  | { event: 'log'; nodeId: string; line: string }
  /** The finished part of the whole run, from 0 to 1. `nodeId` names the node that reported progress, if one did. */
  | { event: 'progress'; value: number; nodeId?: string; message?: string }
  /** A chunk of a streamed output of the whole workflow. */
  | { event: 'output'; output: string; chunk: Json };

/** The origin of a call. `key` stays the same when the node runs again, so that a call can be made only once. */
export interface CallOrigin {
  key: string;
  signal: AbortSignal;
  /** The nesting depth of workflows for this call. */
  depth: number;
  /** Whether the workflow sets the retries of this call. They then replace those of the tool. */
  isRetried: boolean;
  /**
   * Resolves when all outcomes are stored on which the call may depend. A tool that may have effects, or that stores
   * something itself, begins only then. Rejects if another attempt of the run has begun.
   */
  stored: () => Promise<void>;
}

export interface RunOptions extends WorkflowLookups {
  invocationId: string;
  /** The session of the invocation, and the agent that acts in it. */
  session?: string;
  agent?: string;
  /** The nesting depth, if a node of another run calls this workflow as a tool: `CallOrigin.depth`. */
  depth?: number;
  /** Whether a workflow around it sets the retries: `CallOrigin.isRetried`. */
  isRetried?: boolean;
  /** Without a journal, a run starts from the beginning after a crash. */
  journal?: Journal;
  /** If a node of another run calls this workflow as a tool: `CallOrigin.stored`. Nodes with effects await it, too. */
  storedAround?: () => Promise<void>;
  /** Ends the run at once. Nodes that still run are abandoned. */
  signal?: AbortSignal;
  /** The deadline of the whole run, in ms since 1970. Waits for an answer last exactly this long. */
  deadline?: number;
  /** Runs a tool for a node. */
  callTool(toolId: string, args: JsonObject, origin: CallOrigin): Promise<Json>;
  /** Finds a workflow that a node names in its inputs and that `workflows` does not contain. */
  findWorkflow?(id: string): Promise<StoredWorkflow | undefined>;
  /** A `fetch` that refuses forbidden addresses. Without it, nodes have no network access. */
  fetch?: typeof globalThis.fetch;
  /** Runs computations of nodes in threads. Without it, nodes cannot use `compute`. */
  compute?: (computation: Computation, signal: AbortSignal) => Promise<JsonObject>;
  /** Returns the problems of the schema of an answer, before a node waits for that answer. Without it, none is checked. */
  checkSchema?: (schema: JsonSchema | boolean, signal: AbortSignal) => Promise<Problem[]>;
  /** By node key: inputs that replace the arriving ones, in a repair of a failed run. */
  replacedInputs?: ReadonlyMap<string, JsonObject>;
  /**
   * Subscribes to answers for suspended nodes that arrive during the run, by the `key` of their `waiting`. Returns a
   * function that unsubscribes.
   */
  onAnswer?(receive: (key: string, answer: Answer) => void): () => void;
  /**
   * The run ends with `Suspended` if no node is active and a wait is longer than this, in ms. Without it, the run waits
   * in this process.
   */
  suspendAfterMs?: number;
  emit?(event: EngineEvent): void;
  /** Called for a node that still runs some time after it was stopped. Its results are discarded. */
  onAbandoned?: (nodeId: string) => void;
  /** The largest number of nodes that run at a time, in all nested groups together. */
  concurrency?: number;
}
