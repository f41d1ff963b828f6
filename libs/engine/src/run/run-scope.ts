import type { JsonObject, NodeState, StoredWorkflow } from '@errand/contracts';
import type { ActiveCount } from './active-count.js';
import type { GraphNode } from '../graph/graph.js';
import type { EngineEvent, RunOptions } from './run-options.js';
import type { Semaphore } from '@errand/contracts';
import type { Stream } from '../streams/stream.js';
import type { TimeLimit } from './time-limit.js';
import type { Waits } from './waits.js';

/** What the graph of a workflow and those of the workflows inside it have in common while they run. */
export interface WorkflowRun {
  options: RunOptions;
  permits: Semaphore;
  activeCount: ActiveCount;
  waits: Waits;
  /** Those that came along, and those that nodes have asked for since. */
  workflows: Map<string, StoredWorkflow>;
  /** What earlier attempts of this run have written, by key. */
  journaled: ReadonlyMap<string, NodeState>;
  /** Undefined where nobody listens. */
  emit: ((event: EngineEvent) => void) | undefined;
  /** Makes states safe; where that fails the whole run ends. */
  keep(states: readonly NodeState[]): Promise<void>;
  /** Runs a workflow to its outputs. @throws NodeError where it cannot run here; the failure of a node */
  runGraph(workflow: StoredWorkflow, inputs: JsonObject, scope: RunScope): Promise<JsonObject>;
}

/** Which node says how far it is. */
export interface ProgressDetail {
  nodeId: string;
  message?: string;
}

/** Where a graph runs. */
export interface RunScope {
  run: WorkflowRun;
  signal: AbortSignal;
  /** Of its nodes' keys. */
  prefix: string;
  /** How many workflows it is within. */
  depth: number;
  /** Somebody around it has written how often it is tried. */
  isRetried: boolean;
  /** The time limits of the nodes that it is within. */
  limits: readonly TimeLimit[];
  /** Hears how much of the graph is done, from 0 to 1, and which node said so. */
  onProgress(value: number, detail?: ProgressDetail): void;
  /** Hears that the chunks of a streamed output begin. */
  onStream(output: string, stream: Stream): void;
}

/** What a graph hears of its nodes while they run. */
export interface NodeHost {
  onProgress(node: GraphNode, value: number, detail?: ProgressDetail): void;
  /** The chunks of some outputs begin, by slot. */
  onStreams(node: GraphNode, streams: ReadonlyMap<string, Stream>): void;
}
