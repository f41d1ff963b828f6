import type { JsonObject, NodeState, StoredWorkflow } from '@errand/contracts';
import type { ActiveCount } from './active-count.js';
import type { GraphNode } from '../graph/graph.js';
import type { EngineEvent, RunOptions } from './run-options.js';
import type { Semaphore } from '@errand/contracts';
import type { Stream } from '../streams/stream.js';
import type { WriteBehind } from '../journal/write-behind.js';
import type { TimeLimit } from './time-limit.js';
import type { Waits } from './waits.js';

/** The state that the graph of a workflow shares with the graphs of inner workflows during a run. */
export interface WorkflowRun {
  options: RunOptions;
  permits: Semaphore;
  activeCount: ActiveCount;
  waits: Waits;
  /** The workflows given at the start, and those that nodes have requested since. */
  workflows: Map<string, StoredWorkflow>;
  /** States that earlier attempts of this run have written, by key. */
  journaled: ReadonlyMap<string, NodeState>;
  /** Undefined without a listener. */
  emit: ((event: EngineEvent) => void) | undefined;
  /** Writes the outcomes of nodes to the journal. A failure ends the whole run. */
  outcomes: WriteBehind;
  /** Runs a workflow and returns its outputs. @throws NodeError if it cannot run here; the failure of a node */
  runGraph(workflow: StoredWorkflow, inputs: JsonObject, scope: RunScope): Promise<JsonObject>;
}

/** The node that reported progress, and its message. */
export interface ProgressDetail {
  nodeId: string;
  message?: string;
}

/** The environment of one graph in a run. */
export interface RunScope {
  run: WorkflowRun;
  signal: AbortSignal;
  /** The prefix of its nodes' keys. */
  prefix: string;
  /** The nesting depth of workflows. */
  depth: number;
  /** Whether a workflow around it sets the retries. */
  isRetried: boolean;
  /** The time limits of the nodes around the graph. */
  limits: readonly TimeLimit[];
  /** Receives the finished part of the graph, from 0 to 1, and the node that reported it. */
  onProgress(value: number, detail?: ProgressDetail): void;
  /** Receives a streamed output when its first chunk comes. */
  onStream(output: string, stream: Stream): void;
}

/** Receives the events of a graph's running nodes. */
export interface NodeHost {
  onProgress(node: GraphNode, value: number, detail?: ProgressDetail): void;
  /** Called when a node begins to stream outputs. `streams` is keyed by slot. */
  onStreams(node: GraphNode, streams: ReadonlyMap<string, Stream>): void;
}
