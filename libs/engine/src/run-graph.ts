import { isObject, own, ToolError, type JsonObject, type NodeState } from '@errand/contracts';
import { gatherArrivals, type Arrivals, type Settled } from './arrivals.js';
import { GraphProgress } from './graph-progress.js';
import { inDegree, isStreamedOutput, type GraphNode, type Link } from './graph.js';
import { Inbox } from './inbox.js';
import { isWorthKeeping } from './journal.js';
import { bypass } from './node-outputs.js';
import { RunningNode } from './run-node.js';
import type { NodeHost, Said, Scope } from './run-scope.js';
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
  /** How each node ended, and how many connections each still waits for, by its index. */
  private readonly settled: (Settled | undefined)[];
  private readonly waiting: number[];
  private readonly running = new Set<RunningNode>();
  private readonly streams = new Map<Link, Stream>();
  private readonly ended = new Inbox<Ended>();
  /** Nodes that ended before the sources of their streams did. */
  private readonly early: Ended[] = [];
  private pending = 0;
  private readonly progress: GraphProgress;
  private readonly outputs: JsonObject = {};
  private readonly uncaught = new Map<unknown, ToolError>();

  constructor(
    private readonly nodes: readonly GraphNode[],
    private readonly inputs: JsonObject,
    private readonly scope: Scope,
  ) {
    this.waiting = nodes.map(inDegree);
    this.settled = nodes.map(() => undefined);
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
      this.advance(this.nodes.filter(({ index }) => this.waiting[index] === 0));
      while (this.pending > 0) await this.goOn();
    } finally {
      signal.removeEventListener('abort', stop);
    }
    this.throwUncaught();
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
      if (!stream || this.streams.has(link)) continue;
      if (link.target.streamedInputs.includes(link.targetSlot)) {
        this.streams.set(link, stream);
        this.countDown(link.target, freed);
      } else if (isStreamedOutput(link)) {
        this.streams.set(link, stream);
        this.scope.onStream(link.targetSlot, stream);
      }
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
      const skipped = this.failedSource(node);
      this.settle(node, skipped ? this.skip(node, skipped) : this.outcome(state), freed);
    }
    this.advance(freed);
    this.pending -= batch.length;
    this.scope.run.activity.end(batch.length);
    this.progress.tell();
    for (const ended of this.withoutEarly(this.early.splice(0))) this.ended.put(ended);
  }

  /**
   * A node that reads a stream may end before its source does. It counts when that has ended: so the journal never holds what was built
   * on something that it does not hold.
   */
  private withoutEarly(ended: Ended[]): Ended[] {
    if (this.streams.size === 0) return ended;
    const isEarly = ({ node }: Ended) => this.streamSources(node).some((source) => !this.settledOf(source));
    this.early.push(...ended.filter(isEarly));
    return ended.filter((one) => !isEarly(one));
  }

  /**
   * What a node read of a source that failed in the end does not count, whatever it made of it: it is skipped, as if the source had
   * failed before it began.
   */
  private failedSource(node: GraphNode): Settled | undefined {
    if (this.streams.size === 0 || this.streamSources(node).length === 0) return undefined;
    const arrivals = this.gather(node);
    return 'skipped' in arrivals && 'failure' in arrivals.skipped ? arrivals.skipped : undefined;
  }

  private streamSources(node: GraphNode): GraphNode[] {
    return [...node.incoming.values()].flat().flatMap((link) => (this.streams.has(link) ? [link.source] : []));
  }

  private async keep(batch: readonly Ended[]): Promise<void> {
    const counting = batch.filter(({ node }) => !this.failedSource(node));
    const fresh = counting.map(({ state }) => state).filter(isWorthKeeping);
    if (fresh.length > 0) await this.scope.run.keep(fresh);
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
    const key = this.keyOf(node);
    const before = this.scope.run.journaled.get(key);
    if (before && before.finishedAt !== null) return this.outcome(before);
    this.start(node, key, arrivals);
    return undefined;
  }

  private gather(node: GraphNode): ReturnType<typeof gatherArrivals> {
    const { replacedInputs } = this.scope.run.options;
    return gatherArrivals(node, this, replacedInputs?.get(this.keyOf(node)));
  }

  /** How a source ended, if it has. */
  settledOf(source: GraphNode): Settled | undefined {
    return this.settled[source.index];
  }

  streamOf(link: Link): Stream | undefined {
    return this.streams.get(link);
  }

  private start(node: GraphNode, key: string, arrivals: Arrivals): void {
    const running = new RunningNode(node, key, arrivals, this.scope, this);
    this.pending++;
    this.scope.run.activity.begin();
    this.running.add(running);
    running.run().then(
      (state) => this.end(running, state),
      (reason: unknown) => this.ended.fail(reason),
    );
  }

  private end(running: RunningNode, state: NodeState): void {
    this.running.delete(running);
    this.ended.put({ node: running.node, state });
  }

  /** A streamed output that came whole is one chunk, unless it was given out before a crash. */
  private giveOut(node: GraphNode, { values }: Arrivals): Settled {
    Object.assign(this.outputs, node.stored.inputValues, values);
    for (const link of [...node.incoming.values()].flat()) {
      const value = isStreamedOutput(link) ? own(values, link.targetSlot) : undefined;
      const isOld = this.scope.run.journaled.has(this.keyOf(link.source));
      if (value !== undefined && !isOld && !this.streams.has(link)) {
        this.scope.onStream(link.targetSlot, Stream.of(value));
      }
    }
    return { outputs: {} };
  }

  /** Ends it at once: what still runs is told, and what that gives no longer counts. */
  private stop(reason: unknown): void {
    for (const running of this.running) running.stop(reason);
    this.ended.fail(reason);
  }

  private skip(node: GraphNode, settled: Settled): Settled {
    if (node.kind !== 'groupOutput') {
      const { type } = node.stored;
      this.tell({ nodeId: this.keyOf(node), type, status: 'skipped', startedAt: null, finishedAt: null });
    }
    return settled;
  }

  private outcome(state: NodeState): Settled {
    this.tell(state);
    if (state.result !== undefined) return { outputs: isObject(state.result) ? state.result : {} };
    const { type, message, details } = state.error!;
    return { failure: new ToolError(type, message, details) };
  }

  private settle(node: GraphNode, settled: Settled, freed: GraphNode[]): void {
    this.settled[node.index] = settled;
    this.progress.done(node);
    if ('failure' in settled && node.outgoing.length === 0) this.uncaughtIs(settled.failure);
    for (const link of node.outgoing) {
      if (!this.hasBegun(link)) this.countDown(link.target, freed);
    }
  }

  /** Whether what the connection brings has begun to come, so that its target has not waited for the end. */
  private hasBegun(link: Link): boolean {
    return this.streams.size > 0 && this.streams.has(link) && link.target.kind !== 'groupOutput';
  }

  private countDown(node: GraphNode, freed: GraphNode[]): void {
    if (--this.waiting[node.index]! === 0) freed.push(node);
  }

  /** By where it arose: the same failure may arrive at several ends. */
  private uncaughtIs(failure: ToolError): void {
    const place = failure.details?.nodeId ?? failure;
    if (!this.uncaught.has(place)) this.uncaught.set(place, failure);
  }

  private throwUncaught(): void {
    const [first, ...others] = this.uncaught.values();
    if (!first) return;
    const alsoFailed = others.map((failure) => failure.details?.nodeId);
    throw others.length === 0 ? first : new ToolError(first.type, first.message, { ...first.details, alsoFailed });
  }

  private tell(state: NodeState): void {
    this.scope.run.emit?.({ event: 'node', state });
  }

  private keyOf(node: GraphNode): string {
    return this.scope.prefix + node.key;
  }
}
