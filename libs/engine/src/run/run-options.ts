import type {
  Answer,
  Computation,
  Json,
  JsonObject,
  NodeState,
  StoredWorkflow,
  WorkflowLookups,
} from '@errand/contracts';
import type { Journal } from '../journal/node-journal.js';

/** What a run tells while it goes on. `nodeId` is the node's key in the run: `outer/inner` in a node group. */
export type EngineEvent =
  | { event: 'node'; state: NodeState }
  | { event: 'log'; nodeId: string; line: string }
  /** How much of the whole run is done, from 0 to 1; with the node that says so, where one does. */
  | { event: 'progress'; value: number; nodeId?: string; message?: string }
  /** A chunk of a streamed output of the whole workflow. */
  | { event: 'output'; output: string; chunk: Json };

/** Which call of which node asks: `key` is the same when the node runs again, so a call can be made once and for all. */
export interface CallOrigin {
  key: string;
  signal: AbortSignal;
  /** How many workflows what runs for the call is within. */
  depth: number;
  /** The workflow says how often the call is tried: in place of what the tool says. */
  isRetried: boolean;
}

export interface RunOptions extends WorkflowLookups {
  invocationId: string;
  /** How many workflows it is within, where a node of another run calls it as a tool: `CallOrigin.depth`. */
  depth?: number;
  /** Somebody around it has written how often it is tried: `CallOrigin.isRetried`. */
  isRetried?: boolean;
  /** Without one, a run that dies starts anew. */
  journal?: Journal;
  /** Ends the run at once; what still works is abandoned. */
  signal?: AbortSignal;
  /** When the caller of it all wants to have the outcome, in ms since 1970: so long, and no shorter, answers are waited for. */
  deadline?: number;
  /** How nodes run tools. */
  callTool(toolId: string, args: JsonObject, origin: CallOrigin): Promise<Json>;
  /** A workflow that a node names in its inputs and that did not travel with this one. */
  findWorkflow?(id: string): Promise<StoredWorkflow | undefined>;
  /** Guarded against addresses that data may not reach. Without it, nodes have no network. */
  fetch?: typeof globalThis.fetch;
  /** How nodes compute in threads. Without it, they cannot. */
  compute?: (computation: Computation, signal: AbortSignal) => Promise<JsonObject>;
  /** By node key: inputs that take the place of what would arrive, in a repair of a failed run. */
  replacedInputs?: ReadonlyMap<string, JsonObject>;
  /** Tells answers to parked nodes that come while the run goes on, by the `key` of their `waiting`. Returns what ends the listening. */
  onAnswer?(tell: (key: string, answer: Answer) => void): () => void;
  /** When nothing runs but something waits longer than this, the run ends with `Suspended`. Without it, it waits here. */
  suspendAfterMs?: number;
  emit?(event: EngineEvent): void;
  /** Told of a node that goes on working though it was told to stop a while ago; nothing that it gives counts any more. */
  onAbandoned?: (nodeId: string) => void;
  /** How many nodes may run at a time, in all nested groups together. */
  concurrency?: number;
}
