import type { NodeState } from '@errand/contracts';
import type { NodeInputs, Settled } from '../streams/node-inputs.js';
import type { CompletedNode } from '../streams/finished-stream-readers.js';
import { hasEffects, type GraphNode } from '../graph/graph.js';
import type { CompletionQueue } from './completion-queue.js';
import { RunningNode } from './run-node.js';
import type { NodeHost, RunScope } from './run-scope.js';

/** Provides the inputs of a graph's nodes, and receives their events. */
export interface NodeLauncher extends NodeHost {
  gather(node: GraphNode): NodeInputs | { skipped: Settled };
}

/** The nodes of a graph that run or wait for a permit. Completed nodes go to the completion queue. */
export class RunningNodes {
  private readonly running = new Set<RunningNode>();

  constructor(
    private readonly scope: RunScope,
    private readonly host: NodeLauncher,
    private readonly completed: CompletionQueue<CompletedNode>,
  ) {}

  /**
   * A node that waits for a permit needs no further memory. In a wide layer only working nodes do. It gathers its inputs
   * again after the wait.
   */
  start(node: GraphNode, nodeInputs: NodeInputs): void {
    const { permits, activeCount } = this.scope.run;
    activeCount.begin();
    if (node.kind === 'group') return this.launch(node, nodeInputs);
    if (permits.tryAcquire()) return this.launchUnlessStopped(node, nodeInputs);
    permits.enter(() => this.launchUnlessStopped(node));
  }

  /** Stops all running nodes. Their results no longer count. */
  stop(reason: unknown): void {
    for (const running of this.running) running.stop(reason);
    this.completed.fail(reason);
  }

  private launchUnlessStopped(node: GraphNode, nodeInputs?: NodeInputs): void {
    if (this.scope.signal.aborted) this.scope.run.permits.release();
    else this.launch(node, nodeInputs);
  }

  /** A node with effects begins when all outcomes so far are stored. It holds its permit meanwhile. */
  private launch(node: GraphNode, nodeInputs?: NodeInputs): void {
    const barrier = hasEffects(node) ? this.scope.run.outcomes.barrier() : undefined;
    if (!barrier) return this.begin(node, nodeInputs);
    const release = () => this.scope.run.permits.release();
    // A rejection has already stopped the run.
    barrier.then(() => (this.scope.signal.aborted ? release() : this.begin(node)), release);
  }

  private begin(node: GraphNode, nodeInputs = this.host.gather(node)): void {
    if ('skipped' in nodeInputs) return this.skipAfterWait(node);
    const running = new RunningNode(node, keyIn(this.scope, node), nodeInputs, this.scope, this.host);
    this.running.add(running);
    const state = running.run();
    if (!(state instanceof Promise)) return this.end(running, state);
    state.then(
      (ended) => this.end(running, ended),
      (reason: unknown) => this.completed.fail(reason),
    );
  }

  /** The source of its stream failed while the node waited for a permit. */
  private skipAfterWait(node: GraphNode): void {
    this.scope.run.permits.release();
    this.completed.add({ node, state: skippedState(this.scope, node), hasActed: false });
  }

  private end(running: RunningNode, state: NodeState): void {
    this.running.delete(running);
    this.completed.add({ node: running.node, state, hasActed: running.hasActed });
  }
}

/** The key of a node in the whole run. */
export function keyIn({ prefix }: RunScope, { key }: GraphNode): string {
  return prefix + key;
}

export function skippedState(scope: RunScope, node: GraphNode): NodeState {
  const nodeId = keyIn(scope, node);
  return { nodeId, type: node.stored.type, status: 'skipped', attempts: 0, startedAt: null, finishedAt: null };
}
