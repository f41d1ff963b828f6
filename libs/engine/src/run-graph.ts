import { isObject, own, ToolError, type JsonObject, type NodeState } from '@errand/contracts';
import { gatherArrivals, type Arrivals, type Settled } from './arrivals.js';
import { GraphProgress } from './graph-progress.js';
import { GraphState } from './graph-state.js';
import { isStreamedOutput, type GraphNode } from './graph.js';
import { Inbox } from './inbox.js';
import { isWorthKeeping } from './journal.js';
import { bypass } from './node-outputs.js';
import { RunningNode } from './run-node.js';
import type { NodeHost, Said, Scope } from './run-scope.js';
import { widen } from './slot-types.js';
import { Stream } from './stream.js';

interface Ended {
  node: GraphNode;
  state: NodeState;
}

/**
 * Runs a graph: each node as soon as all that it waits for has settled, or has begun where it reads chunk by chunk; which is known by
 * counting (linear time, no recursion). A batch of finished nodes is written to the journal before what depends on them begins. A
 * failure that no slot accepts takes its descendants with it; the rest goes on, and then the run fails.
 */
export class GraphRun implements NodeHost {
  private readonly state: GraphState;
  private readonly progress: GraphProgress;
  private readonly running = new Set<RunningNode>();
  private readonly ended = new Inbox<Ended>();
  /** Nodes that ended before a source of their streams did, by that source. */
  private readonly early = new Map<GraphNode, Ended[]>();
  /** How many nodes have begun and not settled. */
  private pending = 0;
  private readonly outputs: JsonObject = {};

  constructor(
    nodes: readonly GraphNode[],
    private readonly inputs: JsonObject,
    private readonly scope: Scope,
  ) {
    this.state = new GraphState(nodes);
    this.progress = new GraphProgress(nodes, scope);
  }

  /**
   * The values that arrived at the group outputs.
   * @throws ToolError of the first failure that reached an end of the graph; the reason of the scope's signal
   */
  async run(): Promise<JsonObject> {
    const { signal } = this.scope;
    const stop = () => this.stop(signal.reason);
    signal.throwIfAborted();
    signal.addEventListener('abort', stop, { once: true });
    try {
      this.advance(this.state.sources());
      while (this.pending > 0) await this.goOn();
    } finally {
      signal.removeEventListener('abort', stop);
    }
    this.state.throwUncaught();
    return this.outputs;
  }

  onProgress(node: GraphNode, value: number, said?: Said): void {
    this.progress.of(node, value, said);
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

  /** Takes what has ended, makes it safe and begins what that frees. */
  private async goOn(): Promise<void> {
    const batch = this.withoutEarly(await this.ended.take());
    await this.keep(batch);
    this.scope.signal.throwIfAborted();
    const freed: GraphNode[] = [];
    for (const { node, state } of batch) {
      const failed = this.failedSource(node);
      this.settle(node, failed ? this.skip(node, failed) : this.outcome(state), freed);
    }
    this.advance(freed);
    this.pending -= batch.length;
    this.scope.run.activity.end(batch.length);
    this.progress.tell();
  }

  /**
   * A node that reads a stream may end before its source does. It counts when that has ended: so the journal never holds what was built
   * on something that it does not hold.
   */
  private withoutEarly(ended: Ended[]): Ended[] {
    return ended.filter((one) => {
      const source = this.state.openSource(one.node);
      const readers = source && this.early.get(source);
      if (readers) readers.push(one);
      else if (source) this.early.set(source, [one]);
      return !source;
    });
  }

  /**
   * What a node read of a source that failed in the end does not count, whatever it made of it: it is skipped, as if the source had
   * failed before it began.
   */
  private failedSource(node: GraphNode): Settled | undefined {
    const arrivals = this.state.readsStreams(node) ? this.gather(node) : undefined;
    return arrivals && 'skipped' in arrivals && 'failure' in arrivals.skipped ? arrivals.skipped : undefined;
  }

  private async keep(batch: readonly Ended[]): Promise<void> {
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
    const arrivals = this.gather(node);
    if ('skipped' in arrivals) return this.skip(node, arrivals.skipped);
    if (node.kind === 'groupOutput') return this.giveOut(node, arrivals);
    if (node.stored.muted) return this.skip(node, { outputs: {} });
    if (node.stored.bypassed) return this.skip(node, { outputs: bypass(node, arrivals.values) });
    const before = this.scope.run.journaled.get(this.keyOf(node));
    if (before && before.finishedAt !== null) return this.outcome(before);
    this.start(node);
    return undefined;
  }

  private gather(node: GraphNode): Arrivals | { skipped: Settled } {
    const { replacedInputs } = this.scope.run.options;
    return gatherArrivals(node, this.state, replacedInputs?.get(this.keyOf(node)));
  }

  /** What waits for a permit is a node and no more: of a wide layer only those that work take memory. */
  private start(node: GraphNode): void {
    const { permits, activity } = this.scope.run;
    this.pending++;
    activity.begin();
    if (node.kind === 'group') this.launch(node);
    else permits.enter(() => (this.scope.signal.aborted ? permits.release() : this.launch(node)));
  }

  private launch(node: GraphNode): void {
    const arrivals = this.gather(node);
    if ('skipped' in arrivals) return this.dropOut(node);
    const running = new RunningNode(node, this.keyOf(node), arrivals, this.scope, this);
    this.running.add(running);
    running.run().then(
      (state) => this.end(running, state),
      (reason: unknown) => this.ended.fail(reason),
    );
  }

  /** The source of its stream has failed while it waited for a permit. */
  private dropOut(node: GraphNode): void {
    this.scope.run.permits.release();
    this.ended.put({ node, state: this.skipped(node) });
  }

  private end(running: RunningNode, state: NodeState): void {
    this.running.delete(running);
    this.ended.put({ node: running.node, state });
  }

  /** A streamed output that came whole is one chunk, unless it was given out before a crash. */
  private giveOut(node: GraphNode, { values }: Arrivals): Settled {
    for (const [name, value] of Object.entries({ ...node.stored.inputValues, ...values }))
      this.outputs[name] = widen(node.inputs![name]!, value);
    for (const link of [...node.incoming.values()].flat()) {
      const value = isStreamedOutput(link) ? own(values, link.targetSlot) : undefined;
      const isOld = this.scope.run.journaled.has(this.keyOf(link.source));
      if (value !== undefined && !isOld && !this.state.streamOf(link)) {
        this.scope.onStream(link.targetSlot, Stream.of(value));
      }
    }
    return { outputs: {} };
  }

  private settle(node: GraphNode, settled: Settled, freed: GraphNode[]): void {
    this.state.settle(node, settled, freed);
    this.progress.done(node);
    for (const reader of this.early.get(node) ?? []) this.ended.put(reader);
    this.early.delete(node);
  }

  private skip(node: GraphNode, settled: Settled): Settled {
    if (node.kind !== 'groupOutput') this.tell(this.skipped(node));
    return settled;
  }

  private skipped(node: GraphNode): NodeState {
    const { type } = node.stored;
    return { nodeId: this.keyOf(node), type, status: 'skipped', startedAt: null, finishedAt: null };
  }

  private outcome(state: NodeState): Settled {
    this.tell(state);
    if (state.result !== undefined) return { outputs: isObject(state.result) ? state.result : {} };
    const { type, message, details } = state.error!;
    return { failure: new ToolError(type, message, details) };
  }

  /** Ends it at once: what still runs is told, and what that gives no longer counts. */
  private stop(reason: unknown): void {
    for (const running of this.running) running.stop(reason);
    this.ended.fail(reason);
  }

  private tell(state: NodeState): void {
    this.scope.run.emit?.({ event: 'node', state });
  }

  private keyOf(node: GraphNode): string {
    return this.scope.prefix + node.key;
  }
}
