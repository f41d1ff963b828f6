import { isObject, ToolError, type JsonObject, type NodeState, own } from '@errand/contracts';
import { gatherInputs, type NodeInputs, type Settled } from '../streams/node-inputs.js';
import { bypass } from './bypass-node.js';
import { FinishedStreamReaders, type CompletedNode } from '../streams/finished-stream-readers.js';
import { GraphState } from './graph-state.js';
import { isStreamedOutput, type GraphNode } from '../graph/graph.js';
import { CompletionQueue } from './completion-queue.js';
import { isWorthKeeping } from '../journal/node-journal.js';
import type { ProgressDetail, RunScope } from './run-scope.js';
import { keyIn, RunningNodes, skippedState, type Launching } from './running-nodes.js';
import { Stream } from '../streams/stream.js';
import { widen } from '../graph/slot-types.js';

/**
 * Runs a graph: each node as soon as all that it waits for has settled, or has begun where it reads chunk by chunk; which is known by
 * counting (linear time, no recursion). A batch of finished nodes is written to the journal before what depends on them begins. A
 * failure that no slot accepts takes its descendants with it; the rest goes on, and then the run fails.
 */
export class GraphRun implements Launching {
  private readonly state: GraphState;
  private readonly progress: GraphProgress;
  private readonly running: RunningNodes;
  private readonly ended = new CompletionQueue<CompletedNode>();
  private readonly early: FinishedStreamReaders;
  private readonly outputs: GraphOutputs;
  /** How many nodes have begun and not settled. */
  private pending = 0;

  constructor(
    nodes: readonly GraphNode[],
    private readonly inputs: JsonObject,
    private readonly scope: RunScope,
  ) {
    this.state = new GraphState(nodes);
    this.progress = new GraphProgress(nodes, scope);
    this.early = new FinishedStreamReaders(this.state);
    this.outputs = new GraphOutputs(this.state, scope);
    this.running = new RunningNodes(scope, this, this.ended);
  }

  /**
   * The values that arrived at the group outputs.
   * @throws ToolError of the first failure that reached an end of the graph; the reason of the scope's signal
   */
  async run(): Promise<JsonObject> {
    const { signal } = this.scope;
    const stop = () => this.running.stop(signal.reason);
    signal.throwIfAborted();
    signal.addEventListener('abort', stop, { once: true });
    try {
      this.advance(this.state.sources());
      while (this.pending > 0) await this.goOn();
    } finally {
      signal.removeEventListener('abort', stop);
    }
    this.state.throwUncaught();
    return this.outputs.values;
  }

  onProgress(node: GraphNode, value: number, detail?: ProgressDetail): void {
    this.progress.of(node, value, detail);
  }

  /** Whatever reads these outputs chunk by chunk need not wait for the node's end. */
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
    // Not at once: each of a chain of streaming nodes would begin within the one before it.
    if (freed.length > 0) queueMicrotask(() => this.scope.signal.aborted || this.advance(freed));
  }

  gather(node: GraphNode): NodeInputs | { skipped: Settled } {
    const { replacedInputs } = this.scope.run.options;
    return gatherInputs(node, this.state, replacedInputs?.get(keyIn(this.scope, node)));
  }

  /** Takes what has ended, makes it safe and begins what that frees. */
  private async goOn(): Promise<void> {
    const batch = this.early.hold(await this.ended.take());
    await this.keep(batch);
    this.scope.signal.throwIfAborted();
    const freed: GraphNode[] = [];
    for (const { node, state } of batch) {
      const failed = this.failedSource(node);
      this.settle(node, failed ? this.skip(node, failed) : this.outcome(state), freed);
    }
    this.advance(freed);
    this.pending -= batch.length;
    this.scope.run.activeCount.end(batch.length);
    this.progress.tell();
  }

  /**
   * What a node read of a source that failed in the end does not count, whatever it made of it: it is skipped, as if the source had
   * failed before it began.
   */
  private failedSource(node: GraphNode): Settled | undefined {
    const nodeInputs = this.state.readsStreams(node) ? this.gather(node) : undefined;
    return nodeInputs && 'skipped' in nodeInputs && 'failure' in nodeInputs.skipped ? nodeInputs.skipped : undefined;
  }

  private async keep(batch: readonly CompletedNode[]): Promise<void> {
    const counting = batch.filter(({ node, state }) => isWorthKeeping(state) && !this.failedSource(node));
    if (counting.length > 0) await this.scope.run.keep(counting.map(({ state }) => state));
  }

  /** Begins every node of the list, which grows while those are settled that need no running. */
  private advance(ready: GraphNode[]): void {
    for (const node of ready) {
      const settled = this.begin(node);
      if (settled) this.settle(node, settled, ready);
    }
  }

  /** How the node ends, where that is known at once; else it is running now. */
  private begin(node: GraphNode): Settled | undefined {
    if (node.kind === 'groupInput') return { outputs: this.inputs };
    const nodeInputs = this.gather(node);
    if ('skipped' in nodeInputs) return this.skip(node, nodeInputs.skipped);
    if (node.kind === 'groupOutput') {
      this.outputs.give(node, nodeInputs.values);
      return { outputs: {} };
    }
    if (node.stored.muted) return this.skip(node, { outputs: {} });
    if (node.stored.bypassed) return this.skip(node, bypass(node, nodeInputs));
    const before = this.scope.run.journaled.get(keyIn(this.scope, node));
    if (before && before.finishedAt !== null) return this.outcome(before);
    this.pending++;
    this.running.start(node);
    return undefined;
  }

  private settle(node: GraphNode, settled: Settled, freed: GraphNode[]): void {
    this.state.settle(node, settled, freed);
    this.progress.done(node);
    for (const reader of this.early.release(node)) this.ended.put(reader);
  }

  private skip(node: GraphNode, settled: Settled): Settled {
    if (node.kind !== 'groupOutput') this.tell(skippedState(this.scope, node));
    return settled;
  }

  private outcome(state: NodeState): Settled {
    this.tell(state);
    if (state.result !== undefined) return { outputs: isObject(state.result) ? state.result : {} };
    const { type, message, details } = state.error!;
    return { failure: new ToolError(type, message, details) };
  }

  private tell(state: NodeState): void {
    this.scope.run.emit?.({ event: 'node', state });
  }
}

/** What arrives at the group outputs of a graph, by name. */
export class GraphOutputs {
  readonly values: JsonObject = Object.create(null);

  constructor(
    private readonly graph: GraphState,
    private readonly scope: RunScope,
  ) {}

  /** A streamed output that came whole is one chunk, unless it was given out before a crash. */
  give(node: GraphNode, collectValues: JsonObject): void {
    for (const [name, value] of Object.entries({ ...node.stored.inputValues, ...collectValues }))
      this.values[name] = widen(node.inputs![name]!, value);
    for (const link of [...node.incoming.values()].flat()) {
      const value = isStreamedOutput(link) ? own(collectValues, link.targetSlot) : undefined;
      const isOld = this.scope.run.journaled.has(keyIn(this.scope, link.source));
      if (value !== undefined && !isOld && !this.graph.streamOf(link)) {
        this.scope.onStream(link.targetSlot, Stream.of(value));
      }
    }
  }
}

/** How much of a graph is done: each node counts alike, and one that says how far it is counts for so much. It never goes back. */
export class GraphProgress {
  /** Of nodes that have said so and are not done. */
  private readonly parts = new Map<GraphNode, number>();
  private readonly count: number;
  private wholes = 0;

  constructor(
    nodes: readonly GraphNode[],
    private readonly scope: RunScope,
  ) {
    this.count = nodes.filter(counts).length;
  }

  done(node: GraphNode): void {
    if (!counts(node)) return;
    this.parts.delete(node);
    this.wholes++;
  }

  /** One node is so far, from 0 to 1. */
  of(node: GraphNode, value: number, detail?: ProgressDetail): void {
    if (value > (this.parts.get(node) ?? 0)) this.parts.set(node, value);
    this.tell(detail);
  }

  tell(detail?: ProgressDetail): void {
    let sum = this.wholes;
    for (const part of this.parts.values()) sum += part;
    if (this.count > 0) this.scope.onProgress(sum / this.count, detail);
  }
}

function counts({ kind }: GraphNode): boolean {
  return kind === 'node' || kind === 'group';
}
