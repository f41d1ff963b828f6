import { setTimeout } from 'node:timers/promises';
import { isTriedOut, ToolError, type JsonObject, type NodeState, type StoredNode } from '@errand/contracts';
import type { Arrivals } from './arrivals.js';
import { Attempt } from './attempt.js';
import { copyObject } from './copy-json.js';
import { cutInputs } from './cut-inputs.js';
import { fillInputs } from './fill-inputs.js';
import { mayGiveInstead, type GraphNode, type Slots } from './graph.js';
import { now } from './now.js';
import { outputsInstead, readOutputs } from './node-outputs.js';
import { runCode, type CodeNode } from './run-code.js';
import { runGroup } from './run-group.js';
import type { NodeHost, Scope } from './run-scope.js';
import type { Stream } from './stream.js';

const LONGEST_PAUSE_MS = 3_600_000;

/** A node that runs, with a permit from the start if it has code: to its end, with its retries, its time limit and its `onError`. */
export class RunningNode implements CodeNode {
  readonly state: NodeState;
  streams: Map<string, Stream> | undefined;
  private attempt: Attempt | undefined;

  constructor(
    readonly node: GraphNode,
    key: string,
    readonly arrivals: Arrivals,
    private readonly scope: Scope,
    readonly host: NodeHost,
  ) {
    const { type } = node.stored;
    this.state = { nodeId: key, type, status: 'running', attempts: 0, startedAt: null, finishedAt: null };
  }

  /**
   * Says how it ended.
   * @throws only what ends the whole run: the reason of the scope's signal
   */
  async run(): Promise<NodeState> {
    const first = this.newAttempt(this.firstAttempt(), 'held');
    try {
      const inputs = this.fillInputs();
      return this.end({ status: 'succeeded', result: await this.tryRepeatedly(first, inputs) });
    } catch (thrown) {
      first.stop(thrown);
      if (this.scope.signal.aborted) throw thrown;
      const error = this.locate(thrown);
      const instead = outputsInstead(this.node);
      return this.end({ status: 'failed', error: error.toFailure(), ...(instead && { result: instead }) }, error);
    }
  }

  /** Stops it, wherever it stands. */
  stop(reason: unknown): void {
    this.attempt?.stop(reason);
  }

  private end(outcome: Partial<NodeState>, error?: ToolError): NodeState {
    for (const stream of this.streams?.values() ?? []) stream.end(outcome.result === undefined ? error : undefined);
    return Object.assign(this.state, outcome, { finishedAt: now() });
  }

  private fillInputs(): JsonObject {
    const { node, arrivals, scope, state } = this;
    const replaced = scope.run.options.replacedInputs?.get(state.nodeId);
    const given = { ...node.values, ...arrivals.values, ...(replaced && copyObject(replaced)) };
    const inputs = fillInputs(without(node.inputs!, arrivals.streams), given);
    state.inputs = cutInputs(inputs);
    return inputs;
  }

  private async tryRepeatedly(first: Attempt, inputs: JsonObject): Promise<JsonObject> {
    const { node, scope } = this;
    const { retry, timeoutMs } = node.stored;
    for (let attempt = first; ; attempt = this.newAttempt(attempt.number + 1, 'wanted')) {
      try {
        const current = attempt;
        return readOutputs(node, await current.run(() => this.begin(current, inputs), timeoutMs));
      } catch (error) {
        const { number } = attempt;
        const isLast = number >= (retry?.attempts ?? 1) || (error instanceof ToolError && isTriedOut(error));
        if (scope.signal.aborted || this.hasGivenChunks() || isLast) throw error;
        this.streams = mayGiveInstead(node) ? undefined : this.streams;
        await setTimeout(pauseAfter(number, retry), undefined, { signal: scope.signal });
      }
    }
  }

  private newAttempt(number: number, permit: 'held' | 'wanted'): Attempt {
    const { node, state, scope } = this;
    const isRetried = scope.isRetried || node.stored.retry !== undefined;
    const own = { nodeId: state.nodeId, number, isRetried };
    this.attempt = new Attempt(own, scope, node.kind === 'group' ? 'none' : permit);
    return this.attempt;
  }

  private begin(attempt: Attempt, inputs: JsonObject): unknown {
    const { node, state, host, scope } = this;
    state.startedAt ??= scope.run.journaled.get(state.nodeId)?.startedAt ?? now();
    state.attempts = attempt.number;
    scope.run.emit?.({ event: 'node', state: { ...state } });
    return node.workflow ? runGroup(node, attempt, inputs, host) : runCode(this, attempt, inputs);
  }

  /** One that was parked goes on with the attempt that it was in. */
  private firstAttempt(): number {
    return this.scope.run.journaled.get(this.state.nodeId)?.attempts ?? 1;
  }

  /**
   * The failure with its place. A ToolError keeps its type; what comes from a node inside names its place already. Where the workflow says
   * how often the node is tried, it has been tried as often as it may.
   */
  private locate(thrown: unknown): ToolError {
    const { nodeId, type } = this.state;
    const known = thrown instanceof ToolError ? thrown : undefined;
    const tried = this.node.stored.retry && !(known && isTriedOut(known)) ? { tried: this.attempt?.number ?? 1 } : {};
    if (known && isInside(known, nodeId))
      return new ToolError(known.type, known.message, { ...known.details, ...tried });
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    return new ToolError(
      known?.type ?? 'NodeError',
      `Node '${nodeId}' (${type}) failed: ${message}`,
      { ...known?.details, nodeId, nodeType: type, ...tried },
      { cause: thrown },
    );
  }

  /** Then it is not tried again: nobody can take them back. */
  private hasGivenChunks(): boolean {
    if (mayGiveInstead(this.node)) return false;
    for (const stream of this.streams?.values() ?? []) if (!stream.isEmpty) return true;
    return false;
  }
}

/** In ms: the same each time, or doubled after each attempt; an hour at most. */
export function pauseAfter(attempt: number, retry: StoredNode['retry']): number {
  const { type = 'fixed', delayMs = 0 } = retry?.backoff ?? {};
  return Math.min(type === 'exponential' ? delayMs * 2 ** (attempt - 1) : delayMs, LONGEST_PAUSE_MS);
}

/** Whether a node failed that is within this one, in its group or in a workflow that its code runs. */
function isInside({ details }: ToolError, key: string): boolean {
  const place = details?.nodeId;
  return typeof place === 'string' && place.startsWith(key) && /^[/#:]/.test(place.slice(key.length));
}

function without(slots: Slots, streams: object): Slots {
  const names = Object.keys(streams);
  if (names.length === 0) return slots;
  return Object.fromEntries(Object.entries(slots).filter(([name]) => !names.includes(name)));
}
