import { isObject, ToolError, type JsonObject, type NodeState, type StoredWorkflow } from '@errand/contracts';
import { gatherArrivals, type Arrivals, type Settled } from './arrivals.js';
import { codeAttempt } from './code-attempt.js';
import { inDegree, type GraphNode } from './graph.js';
import { Inbox } from './inbox.js';
import { isWorthKeeping } from './journal.js';
import { bypass } from './node-outputs.js';
import { runNode, type Attempt } from './run-node.js';
import type { Run, Scope } from './run-scope.js';
import { soundGraph } from './sound-graph.js';

interface Ended {
  node: GraphNode;
  state: NodeState;
}

/**
 * Runs a graph: each node as soon as all that it waits for has settled, which is known by counting (linear time, no recursion).
 * A batch of finished nodes is written to the journal before what depends on them begins. A failure that no slot accepts takes
 * its descendants with it; the rest goes on, and then the run fails.
 */
export class GraphRun {
  private readonly settled = new Map<GraphNode, Settled>();
  private readonly waiting: Map<GraphNode, number>;
  private readonly ended = new Inbox<Ended>();
  private running = 0;
  private readonly outputs: JsonObject = {};
  private readonly uncaught = new Set<ToolError>();

  constructor(
    private readonly nodes: readonly GraphNode[],
    private readonly inputs: JsonObject,
    private readonly scope: Scope,
  ) {
    this.waiting = new Map(nodes.map((node) => [node, inDegree(node)]));
  }

  /**
   * The values that arrived at the group outputs.
   * @throws ToolError of the first failure that reached an end of the graph
   */
  async run(): Promise<JsonObject> {
    this.advance(this.nodes.filter((node) => this.waiting.get(node) === 0));
    while (this.running > 0) {
      const batch = await this.ended.take();
      this.running -= batch.length;
      await this.keep(batch);
      const freed: GraphNode[] = [];
      for (const { node, state } of batch) this.settle(node, this.outcome(state), freed);
      this.advance(freed);
    }
    this.throwUncaught();
    return this.outputs;
  }

  private async keep(batch: readonly Ended[]): Promise<void> {
    const fresh = batch.map(({ state }) => state).filter(isWorthKeeping);
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
    const arrivals = gatherArrivals(node, (source) => this.settled.get(source)!);
    if ('skipped' in arrivals) return this.skip(node, arrivals.skipped);
    if (node.kind === 'groupOutput') {
      Object.assign(this.outputs, node.stored.inputValues, arrivals.values);
      return { outputs: {} };
    }
    if (node.stored.muted) return this.skip(node, { outputs: {} });
    if (node.stored.bypassed) return this.skip(node, { outputs: bypass(node, arrivals.values) });
    const finished = this.scope.run.finished.get(this.keyOf(node));
    if (finished) return this.outcome(finished);
    this.start(node, arrivals);
    return undefined;
  }

  private start(node: GraphNode, arrivals: Arrivals): void {
    const { scope } = this;
    const key = this.keyOf(node);
    const attempt = node.workflow
      ? groupAttempt(node.workflow.stored, key, scope.run)
      : codeAttempt(node, key, arrivals.failures, scope.run);
    this.running++;
    runNode(node, key, arrivals, scope, attempt).then(
      (state) => this.ended.put({ node, state }),
      (reason: unknown) => this.ended.fail(reason),
    );
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
    this.settled.set(node, settled);
    if ('failure' in settled && node.outgoing.length === 0) this.uncaught.add(settled.failure);
    for (const { target } of node.outgoing) {
      const left = this.waiting.get(target)! - 1;
      this.waiting.set(target, left);
      if (left === 0) freed.push(target);
    }
  }

  private throwUncaught(): void {
    const [first, ...others] = this.uncaught;
    if (!first) return;
    const alsoFailed = others.map((failure) => failure.details?.nodeId);
    throw others.length === 0 ? first : new ToolError(first.type, first.message, { ...first.details, alsoFailed });
  }

  private tell(state: NodeState): void {
    this.scope.run.emit({ event: 'node', state });
  }

  /** The node's id after the keys of the groups around it. */
  private keyOf({ stored }: GraphNode): string {
    return this.scope.prefix + stored.id.replaceAll(/[%/#]/g, encodeURIComponent);
  }
}

/** Runs the group's workflow. Each attempt has keys of its own: a retry runs the whole group again. */
function groupAttempt(workflow: StoredWorkflow, key: string, run: Run): Attempt {
  return async (inputs, number, signal) => {
    const prefix = number === 1 ? `${key}/` : `${key}#${number}/`;
    return new GraphRun(soundGraph(workflow, run.options), inputs, { run, signal, prefix }).run();
  };
}
