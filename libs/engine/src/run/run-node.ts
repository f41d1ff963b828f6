import { setTimeout } from 'node:timers/promises';
import {
  isTriedOut,
  nowText,
  own,
  ToolError,
  type JsonObject,
  type NodeState,
  type StoredNode,
} from '@errand/contracts';
import type { NodeInputs } from '../streams/node-inputs.js';
import { Attempt } from './attempt.js';
import { copyObject } from './copy-json.js';
import { cutInputs } from './cut-inputs.js';
import { fillInputs } from './fill-inputs.js';
import { fallbackOutputs, readOutputs } from './node-outputs.js';
import { onceMarkOf, type OnceMark } from '../journal/run-once.js';
import { hasEffects, hasFallback, type GraphNode, type NamedSlot } from '../graph/graph.js';
import { isPending, runCode, type CodeNode } from './run-code.js';
import type { NodeHost, RunScope } from './run-scope.js';
import type { Stream } from '../streams/stream.js';

const MAX_PAUSE_MS = 3_600_000;

/** What the first attempt of a node has begun without a promise, and cannot end without one. */
interface Begun {
  /** Undefined if they do not fit. */
  inputs: JsonObject | undefined;
  /** Returns the promise of the code, or throws its error. */
  code: () => unknown;
}

/**
 * Runs a node to its end, with its retries, time limit and `onError`. A node with code holds a permit from the start.
 * States:
 * - attempt 1 … n: `runAttempts` starts a new attempt after each retryable failure.
 * - succeeded: `result` holds the outputs.
 * - failed: `error` holds the failure; `result` holds the fallback outputs, if the node has any.
 */
export class RunningNode implements CodeNode {
  readonly state: NodeState;
  streams: Map<string, Stream> | undefined;
  private attempt: Attempt | undefined;
  private readonly once: OnceMark | undefined;

  constructor(
    readonly node: GraphNode,
    key: string,
    readonly nodeInputs: NodeInputs,
    private readonly scope: RunScope,
    readonly host: NodeHost,
  ) {
    const { type } = node.stored;
    this.state = { nodeId: key, type, status: 'running', attempts: 0, startedAt: null, finishedAt: null };
    this.once = onceMarkOf(node, this.state, scope.run.outcomes);
  }

  /**
   * Returns the final state: at once if its code returned outputs at once, else as a promise.
   * @throws only as a rejection, and only errors that end the whole run: the reason of the scope's signal
   */
  run(): NodeState | Promise<NodeState> {
    const first = this.newAttempt(this.firstAttempt(), 'held');
    if (this.once || this.node.stored.timeoutMs !== undefined) return this.runToEnd(first);
    const begun = this.beginAtOnce(first);
    return 'result' in begun ? this.succeed(begun.result) : this.runToEnd(first, begun);
  }

  /** Runs the code of the first attempt as far as it goes without a promise. */
  private beginAtOnce(first: Attempt): { result: JsonObject } | Begun {
    let inputs: JsonObject | undefined;
    try {
      inputs = this.fillInputs();
      const returned = this.begin(first, inputs);
      if (isPending(returned)) return { inputs, code: () => returned };
      const result = readOutputs(this.node, returned);
      first.end();
      return { result };
    } catch (thrown) {
      return {
        inputs,
        code: () => {
          throw thrown;
        },
      };
    }
  }

  private async runToEnd(first: Attempt, begun?: Begun): Promise<NodeState> {
    try {
      const inputs = begun?.inputs ?? this.fillInputs();
      const result = await (this.once
        ? this.runOnce(this.once, first, inputs)
        : this.runAttempts(first, inputs, begun?.code));
      return this.succeed(result);
    } catch (thrown) {
      first.stop(thrown);
      if (this.scope.signal.aborted) throw thrown;
      return this.fail(this.locate(thrown));
    }
  }

  /** Whether a run of its code, or of a tool that it called, may have had effects. */
  get hasActed(): boolean {
    return hasEffects(this.node) || this.attempt?.hasActed === true;
  }

  /** Stops the current attempt. */
  stop(reason: unknown): void {
    this.attempt?.stop(reason);
  }

  private succeed(result: JsonObject): NodeState {
    return this.end('succeeded', result, undefined);
  }

  /** Takes the fallback outputs of the node, if it has any. */
  private fail(error: ToolError): NodeState {
    this.state.error = error.toFailure();
    return this.end('failed', fallbackOutputs(this.node), error);
  }

  private end(status: 'succeeded' | 'failed', result: JsonObject | undefined, error: ToolError | undefined): NodeState {
    const { state, streams } = this;
    if (streams) for (const stream of streams.values()) stream.end(result === undefined ? error : undefined);
    state.status = status;
    if (result !== undefined) state.result = result;
    state.finishedAt = nowText();
    return state;
  }

  private fillInputs(): JsonObject {
    const { node, nodeInputs, scope, state } = this;
    const replaced = scope.run.options.replacedInputs?.get(state.nodeId);
    // Most nodes have connections only.
    const isConnected = !replaced && node.stored.inputValues === undefined;
    const given = isConnected
      ? nodeInputs.values
      : { ...node.values, ...nodeInputs.values, ...(replaced && copyObject(replaced)) };
    const inputs = fillInputs(withoutStreams(node.slots, nodeInputs), given);
    state.inputs = cutInputs(inputs);
    return inputs;
  }

  /** After a failure, the node has not taken effect. After an abort, that is unknown. */
  private async runOnce(once: OnceMark, first: Attempt, inputs: JsonObject): Promise<JsonObject> {
    await once.set();
    try {
      return await this.runAttempts(first, inputs);
    } catch (error) {
      if (!this.scope.signal.aborted) await once.clear();
      throw error;
    }
  }

  /** @param begun continues what the first attempt has begun */
  private async runAttempts(first: Attempt, inputs: JsonObject, begun?: () => unknown): Promise<JsonObject> {
    const { node, scope } = this;
    const { retry, timeoutMs } = node.stored;
    for (let attempt = first; ; attempt = this.newAttempt(attempt.number + 1, 'wanted')) {
      try {
        const current = attempt;
        const running =
          begun && current === first
            ? first.continue(begun)
            : current.run(() => this.begin(current, inputs), timeoutMs);
        return readOutputs(node, await running);
      } catch (error) {
        const { number } = attempt;
        const isLast = number >= (retry?.attempts ?? 1) || (error instanceof ToolError && isTriedOut(error));
        if (scope.signal.aborted || this.hasGivenChunks() || isLast) throw error;
        this.streams = hasFallback(node) ? undefined : this.streams;
        await setTimeout(pauseAfter(number, retry), undefined, { signal: scope.signal });
        // Another attempt of the run may have begun during the pause.
        if (hasEffects(node)) await scope.run.outcomes.barrier();
      }
    }
  }

  private newAttempt(number: number, permit: 'held' | 'wanted'): Attempt {
    const { node, state, scope } = this;
    const isRetried = scope.isRetried || node.stored.retry !== undefined;
    const origin = { nodeId: state.nodeId, number, isRetried };
    this.attempt = new Attempt(origin, scope, node.kind === 'group' ? 'none' : permit);
    this.attempt.once = this.once;
    return this.attempt;
  }

  private begin(attempt: Attempt, inputs: JsonObject): unknown {
    const { node, state, host, scope } = this;
    state.startedAt ??= scope.run.journaled.get(state.nodeId)?.startedAt ?? nowText();
    state.attempts = attempt.number;
    scope.run.emit?.({ event: 'node', state: { ...state } });
    return node.workflow
      ? runGroup({ node, workflow: node.workflow }, attempt, inputs, host)
      : runCode(this, attempt, inputs);
  }

  /** A suspended node continues with the attempt it was in. */
  private firstAttempt(): number {
    return this.scope.run.journaled.get(this.state.nodeId)?.attempts ?? 1;
  }

  /**
   * Adds the position to a failure. A ToolError keeps its type, and an error of an inner node already has its position.
   * `tried` marks a node whose own retries are used up.
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

  /** A node that has emitted chunks is not retried, because chunks cannot be taken back. */
  private hasGivenChunks(): boolean {
    if (hasFallback(this.node)) return false;
    for (const stream of this.streams?.values() ?? []) if (!stream.isEmpty) return true;
    return false;
  }
}

/** The pause before a retry, in ms: fixed, or doubled after each attempt, and at most an hour. */
export function pauseAfter(attempt: number, retry: StoredNode['retry']): number {
  const { type = 'fixed', delayMs = 0 } = retry?.backoff ?? {};
  return Math.min(type === 'exponential' ? delayMs * 2 ** (attempt - 1) : delayMs, MAX_PAUSE_MS);
}

/** Whether the error comes from a node inside this one: in its group or in a workflow that its code runs. */
function isInside({ details }: ToolError, key: string): boolean {
  const failed = details?.nodeId;
  return typeof failed === 'string' && failed.startsWith(key) && /^[/#:]/.test(failed.slice(key.length));
}

function withoutStreams(slots: readonly NamedSlot[], { streams }: NodeInputs): readonly NamedSlot[] {
  return streams ? slots.filter(([name]) => !own(streams, name)) : slots;
}

/**
 * Runs the workflow of a node group. The group streams its outputs only if it has no retries and no fallback outputs. A
 * retry repeats the whole group under new keys, and chunks cannot be taken back.
 */
function runGroup(
  { node, workflow }: { node: GraphNode; workflow: NonNullable<GraphNode['workflow']> },
  attempt: Attempt,
  inputs: JsonObject,
  host: NodeHost,
): Promise<JsonObject> {
  const { scope, signal, limits, key, isRetried } = attempt;
  const isFinal = (node.stored.retry?.attempts ?? 1) === 1 && !hasFallback(node);
  const inside: RunScope = {
    run: scope.run,
    signal,
    prefix: `${key}/`,
    depth: scope.depth + 1,
    limits,
    isRetried,
    onProgress: (value, detail) => host.onProgress(node, value, detail),
    onStream: (output, stream) => isFinal && host.onStreams(node, new Map([[output, stream]])),
  };
  return attempt.waitWithoutPermit(scope.run.runGraph(workflow.stored, inputs, inside));
}
