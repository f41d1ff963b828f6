import type { Json, JsonObject, NodeState, WorkflowLookups } from '@errand/contracts';
import type { Journal } from './journal.js';

/** What a run tells while it goes on. `nodeId` is the node's key in the run: `outer/inner` in a node group. */
export type EngineEvent =
  | { event: 'node'; state: NodeState }
  | { event: 'log'; nodeId: string; line: string }
  | { event: 'progress'; nodeId: string; value: number; message?: string };

/** Which call of which node asks: `key` is the same when the node runs again, so a call can be made once and for all. */
export interface CallOrigin {
  key: string;
  signal: AbortSignal;
}

export interface RunOptions extends WorkflowLookups {
  invocationId: string;
  /** Without one, a run that dies starts anew. */
  journal?: Journal;
  /** Ends the run at once; what still works is abandoned. */
  signal?: AbortSignal;
  /** How nodes run tools. */
  callTool(toolId: string, args: JsonObject, origin: CallOrigin): Promise<Json>;
  emit?(event: EngineEvent): void;
  /** How many nodes may run at a time, in all nested groups together. */
  concurrency?: number;
}
