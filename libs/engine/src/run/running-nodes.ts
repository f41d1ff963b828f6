import type { NodeState } from '@errand/contracts';
import type { NodeInputs, Settled } from '../streams/node-inputs.js';
import type { CompletedNode } from '../streams/finished-stream-readers.js';
import type { GraphNode } from '../graph/graph.js';
import type { CompletionQueue } from './completion-queue.js';
import { RunningNode } from './run-node.js';
import type { NodeHost, RunScope } from './run-scope.js';

/** What a graph tells of its nodes when they begin, and hears of them while they run. */
export interface Launching extends NodeHost {
  gather(node: GraphNode): NodeInputs | { skipped: Settled };
}

/** The nodes of a graph that run, or wait for a permit; how they end is laid into an inbox. */
export class RunningNodes {
  private readonly running = new Set<RunningNode>();

  constructor(
    private readonly scope: RunScope,
    private readonly host: Launching,
    private readonly ended: CompletionQueue<CompletedNode>,
  ) {}

  /** What waits for a permit is a node and no more: of a wide layer only those that work take memory. */
  start(node: GraphNode): void {
    const { permits, activeCount } = this.scope.run;
    activeCount.begin();
    if (node.kind === 'group') this.launch(node);
    else permits.enter(() => (this.scope.signal.aborted ? permits.release() : this.launch(node)));
  }

  /** Ends it at once: what still runs is told, and what that gives no longer counts. */
  stop(reason: unknown): void {
    for (const running of this.running) running.stop(reason);
    this.ended.fail(reason);
  }

  private launch(node: GraphNode): void {
    const nodeInputs = this.host.gather(node);
    if ('skipped' in nodeInputs) return this.dropOut(node);
    const running = new RunningNode(node, keyIn(this.scope, node), nodeInputs, this.scope, this.host);
    this.running.add(running);
    running.run().then(
      (state) => this.end(running, state),
      (reason: unknown) => this.ended.fail(reason),
    );
  }

  /** The source of its stream has failed while it waited for a permit. */
  private dropOut(node: GraphNode): void {
    this.scope.run.permits.release();
    this.ended.put({ node, state: skippedState(this.scope, node) });
  }

  private end(running: RunningNode, state: NodeState): void {
    this.running.delete(running);
    this.ended.put({ node: running.node, state });
  }
}

/** How a node is called in the whole run. */
export function keyIn({ prefix }: RunScope, { key }: GraphNode): string {
  return prefix + key;
}

export function skippedState(scope: RunScope, node: GraphNode): NodeState {
  const nodeId = keyIn(scope, node);
  return { nodeId, type: node.stored.type, status: 'skipped', attempts: 0, startedAt: null, finishedAt: null };
}
