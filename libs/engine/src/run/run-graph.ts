import { isObject, ToolError, type JsonObject, type NodeState, own } from '@errand/contracts';
import { gatherInputs, type NodeInputs, type Settled } from '../streams/node-inputs.js';
import { bypass } from './bypass-node.js';
import { FinishedStreamReaders, type CompletedNode } from '../streams/finished-stream-readers.js';
import { GraphState } from './graph-state.js';
import { isStreamedOutput, type GraphNode } from '../graph/graph.js';
import { CompletionQueue } from './completion-queue.js';
import { isWorthKeeping } from '../journal/node-journal.js';
import type { ProgressDetail, RunScope } from './run-scope.js';
import { keyIn, RunningNodes, skippedState, type NodeLauncher } from './running-nodes.js';
import { Stream } from '../streams/stream.js';
import { widen } from '../graph/slot-types.js';

/**
 * Runs a graph. A node begins as soon as all of its sources have settled, or have begun to stream to it (counted in
 * linear time, without recursion). The path of a node:
 * - `advance` begins each free node. A skipped or journaled node settles at once, the others run.
 * - `completed` receives the final state of a node that has run.
 * - `processBatch` takes a batch of completed nodes, records it for the journal, settles the nodes and begins the freed
 *   ones. A freed node with effects begins only when the batch is stored.
 * A failure that no slot accepts skips the dependent nodes. The rest of the graph continues, and then the run fails.
 */
export class GraphRun implements NodeLauncher {
  private readonly state: GraphState;
  private readonly progress: GraphProgress;
  private readonly running: RunningNodes;
  private readonly completed = new CompletionQueue<CompletedNode>();
  private readonly finishedReaders: FinishedStreamReaders;
  private readonly outputs: GraphOutputs;
  /** The number of nodes that have begun and not settled. */
  private pending = 0;

  constructor(
    nodes: readonly GraphNode[],
    private readonly inputs: JsonObject,
    private readonly scope: RunScope,
  ) {
    this.state = new GraphState(nodes);
    this.progress = new GraphProgress(nodes, scope);
    this.finishedReaders = new FinishedStreamReaders(this.state);
    this.outputs = new GraphOutputs(this.state, scope);
    this.running = new RunningNodes(scope, this, this.completed);
  }

  /**
   * Returns the values at the group outputs.
   * @throws ToolError of the first failure that reached an end of the graph; the reason of the scope's signal
   */
  async run(): Promise<JsonObject> {
    const { signal } = this.scope;
    const stop = () => this.running.stop(signal.reason);
    signal.throwIfAborted();
    signal.addEventListener('abort', stop, { once: true });
    try {
      this.advance(this.state.sources());
      while (this.pending > 0) await this.processBatch();
    } finally {
      signal.removeEventListener('abort', stop);
    }
    this.state.throwUncaught();
    return this.outputs.values;
  }

  onProgress(node: GraphNode, value: number, detail?: ProgressDetail): void {
    this.progress.update(node, value, detail);
  }

  /** Nodes that read these outputs chunk by chunk may begin before the node ends. */
  onStreams(node: GraphNode, streams: ReadonlyMap<string, Stream>): void {
    const freed: GraphNode[] = [];
    for (const link of node.outgoing) {
      const stream = streams.get(link.sourceSlot);
      const isOutput = isStreamedOutput(link);
      if (!stream || this.state.streamOf(link)) continue;
      if (!isOutput && !link.target.streamedInputs.includes(link.targetSlot)) continue;
      this.state.beginStream(link, stream, freed);
      if (isOutput) this.scope.onStream(link.targetSlot, stream);
    }
    // Deferred, because otherwise each node of a streaming chain would begin inside the previous one.
    if (freed.length > 0) queueMicrotask(() => this.scope.signal.aborted || this.advance(freed));
  }

  gather(node: GraphNode): NodeInputs | { skipped: Settled } {
    const { replacedInputs } = this.scope.run.options;
    return gatherInputs(node, this.state, replacedInputs?.get(keyIn(this.scope, node)));
  }

  /** Takes the completed nodes, records them for the journal and begins the nodes that they free. */
  private async processBatch(): Promise<void> {
    const batch = this.finishedReaders.holdBack(await this.completed.takeBatch());
    await this.record(batch);
    this.scope.signal.throwIfAborted();
    const freed: GraphNode[] = [];
    for (const { node, state } of batch) {
      const failed = this.failedSource(node);
      this.settle(node, failed ? this.skip(node, failed) : this.outcome(state), freed);
    }
    this.advance(freed);
    this.pending -= batch.length;
    this.scope.run.activeCount.end(batch.length);
    this.progress.report();
  }

  /**
   * Returns the failure of a stream source of the node. The node is then skipped, as if the source had failed before it
   * began.
   */
  private failedSource(node: GraphNode): Settled | undefined {
    const nodeInputs = this.state.readsStreams(node) ? this.gather(node) : undefined;
    return nodeInputs && 'skipped' in nodeInputs && 'failure' in nodeInputs.skipped ? nodeInputs.skipped : undefined;
  }

  /** Returns a promise if the journal cannot take more outcomes yet. */
  private record(batch: readonly CompletedNode[]): Promise<void> | undefined {
    const { outcomes } = this.scope.run;
    const counting = batch.filter(({ node, state }) => isWorthKeeping(state) && !this.failedSource(node));
    if (counting.length === 0) return undefined;
    const isUrgent = counting.some(({ hasActed }) => hasActed);
    outcomes.add(
      counting.map(({ state }) => state),
      isUrgent,
    );
    return outcomes.room();
  }

  /** Begins every node of the list. The list grows when nodes settle at once. */
  private advance(ready: GraphNode[]): void {
    for (const node of ready) {
      const settled = this.begin(node);
      if (settled) this.settle(node, settled, ready);
    }
  }

  /** Returns the outcome of the node if it is known at once. Otherwise the node now runs. */
  private begin(node: GraphNode): Settled | undefined {
    if (node.kind === 'groupInput') return { outputs: this.inputs };
    const nodeInputs = this.gather(node);
    if ('skipped' in nodeInputs) return this.skip(node, nodeInputs.skipped);
    if (node.kind === 'groupOutput') {
      this.outputs.add(node, nodeInputs.values);
      return { outputs: {} };
    }
    if (node.stored.muted) return this.skip(node, { outputs: {} });
    if (node.stored.bypassed) return this.skip(node, bypass(node, nodeInputs));
    const before = this.scope.run.journaled.get(keyIn(this.scope, node));
    if (before && before.finishedAt !== null) return this.outcome(before);
    this.pending++;
    this.running.start(node, nodeInputs);
    return undefined;
  }

  private settle(node: GraphNode, settled: Settled, freed: GraphNode[]): void {
    this.state.settle(node, settled, freed);
    this.progress.complete(node);
    for (const reader of this.finishedReaders.release(node)) this.completed.add(reader);
  }

  private skip(node: GraphNode, settled: Settled): Settled {
    if (node.kind !== 'groupOutput') this.emitState(skippedState(this.scope, node));
    return settled;
  }

  private outcome(state: NodeState): Settled {
    this.emitState(state);
    if (state.result !== undefined) return { outputs: isObject(state.result) ? state.result : {} };
    return { failure: toToolError(state) };
  }

  private emitState(state: NodeState): void {
    this.scope.run.emit?.({ event: 'node', state });
  }
}

/** Collects the values at the group outputs of a graph, by name. */
class GraphOutputs {
  readonly values: JsonObject = Object.create(null);

  constructor(
    private readonly graph: GraphState,
    private readonly scope: RunScope,
  ) {}

  /** Emits a whole value of a streamed output as one chunk, unless an earlier attempt has emitted it. */
  add(node: GraphNode, values: JsonObject): void {
    for (const [name, value] of Object.entries({ ...node.stored.inputValues, ...values })) {
      const slot = own(node.inputs, name);
      this.values[name] = slot ? widen(slot, value) : value;
    }
    for (const link of [...node.incoming.values()].flat()) {
      const value = isStreamedOutput(link) ? own(values, link.targetSlot) : undefined;
      const isOld = this.scope.run.journaled.has(keyIn(this.scope, link.source));
      if (value !== undefined && !isOld && !this.graph.streamOf(link)) {
        this.scope.onStream(link.targetSlot, Stream.of(value));
      }
    }
  }
}

/**
 * The progress of a graph. All nodes count equally, and a running node counts with the part that it reported. Progress
 * never decreases.
 */
class GraphProgress {
  /** Reported parts of unfinished nodes. */
  private readonly parts = new Map<GraphNode, number>();
  private readonly count: number;
  private completed = 0;

  constructor(
    nodes: readonly GraphNode[],
    private readonly scope: RunScope,
  ) {
    this.count = nodes.filter(counts).length;
  }

  complete(node: GraphNode): void {
    if (!counts(node)) return;
    this.parts.delete(node);
    this.completed++;
  }

  /** Takes the progress of one node, from 0 to 1. */
  update(node: GraphNode, value: number, detail?: ProgressDetail): void {
    if (value > (this.parts.get(node) ?? 0)) this.parts.set(node, value);
    this.report(detail);
  }

  report(detail?: ProgressDetail): void {
    let sum = this.completed;
    for (const part of this.parts.values()) sum += part;
    if (this.count > 0) this.scope.onProgress(sum / this.count, detail);
  }
}

function toToolError({ nodeId, error }: NodeState): ToolError {
  if (!error) return new ToolError('NodeError', `Internal error: node '${nodeId}' failed without an error`);
  return new ToolError(error.type, error.message, error.details);
}

function counts({ kind }: GraphNode): boolean {
  return kind === 'node' || kind === 'group';
}
