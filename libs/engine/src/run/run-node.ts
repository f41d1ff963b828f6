import { setTimeout } from 'node:timers/promises';
import {
  isTriedOut,
  ToolError,
  type JsonObject,
  type NodeState,
  type StoredNode,
  didYouMean,
  isObject,
  own,
  type Json,
} from '@errand/contracts';
import type { NodeInputs } from '../streams/node-inputs.js';
import { Attempt } from './attempt.js';
import { copyObject } from './copy-json.js';
import { fillInputs } from './fill-inputs.js';
import { hasFallback, type GraphNode, type Slots } from '../graph/graph.js';
import { runCode, type CodeNode } from './run-code.js';
import type { NodeHost, RunScope } from './run-scope.js';
import type { Stream } from '../streams/stream.js';
import { emptyValue } from '../graph/slot-types.js';

const LONGEST_PAUSE_MS = 3_600_000;

/** A node that runs, with a permit from the start if it has code: to its end, with its retries, its time limit and its `onError`. */
export class RunningNode implements CodeNode {
  readonly state: NodeState;
  streams: Map<string, Stream> | undefined;
  private attempt: Attempt | undefined;

  constructor(
    readonly node: GraphNode,
    key: string,
    readonly nodeInputs: NodeInputs,
    private readonly scope: RunScope,
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
      const instead = fallbackOutputs(this.node);
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
    const { node, nodeInputs, scope, state } = this;
    const replaced = scope.run.options.replacedInputs?.get(state.nodeId);
    const given = { ...node.values, ...nodeInputs.values, ...(replaced && copyObject(replaced)) };
    const inputs = fillInputs(without(node.inputs!, nodeInputs.streams), given);
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
        this.streams = hasFallback(node) ? undefined : this.streams;
        await setTimeout(pauseAfter(number, retry), undefined, { signal: scope.signal });
      }
    }
  }

  private newAttempt(number: number, permit: 'held' | 'wanted'): Attempt {
    const { node, state, scope } = this;
    const isRetried = scope.isRetried || node.stored.retry !== undefined;
    const origin = { nodeId: state.nodeId, number, isRetried };
    this.attempt = new Attempt(origin, scope, node.kind === 'group' ? 'none' : permit);
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
    if (hasFallback(this.node)) return false;
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

/**
 * Runs the workflow of a node group. Its streamed outputs are the group's as they come, unless it may be retried or give something
 * else instead: a retry runs the whole group again, under keys of its own, and nobody can take chunks back.
 */
export function runGroup(node: GraphNode, attempt: Attempt, inputs: JsonObject, host: NodeHost): Promise<JsonObject> {
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
  return attempt.waitWithoutPermit(scope.run.runGraph(node.workflow!.stored, inputs, inside));
}

let lastMs = 0;
let lastText = '';

/** The time as ISO 8601 UTC. Many nodes end in the same millisecond: the text is made once for all of them. */
export function now(): string {
  const time = Date.now();
  if (time !== lastMs) {
    lastMs = time;
    lastText = new Date(time).toISOString();
  }
  return lastText;
}

/**
 * What a node returned, as its outputs: a frozen copy.
 * @throws OutputError where it is no JSON object or names a slot that the node does not have
 */
export function readOutputs(node: GraphNode, returned: unknown): JsonObject {
  if (!isObject(returned))
    throw new ToolError('OutputError', 'It did not return an object with a value for each output');
  const outputs = copyObject(returned);
  for (const slot of Object.keys(outputs)) {
    if (own(node.outputs, slot)) continue;
    const suggestion = didYouMean(slot, Object.keys(node.outputs ?? {}));
    const hint = suggestion ? `, did you mean '${suggestion}'?` : '';
    throw new ToolError('OutputError', `It returned '${slot}', which is none of its outputs${hint}`);
  }
  return outputs;
}

/** The outputs of a node that failed and may: null each (`continue`), or `defaultOutputs` and the slots' defaults (`default`). */
export function fallbackOutputs(node: GraphNode): JsonObject | undefined {
  const { onError, defaultOutputs } = node.stored;
  if (!hasFallback(node)) return undefined;
  return eachOutput(node.outputs, (name, slot) =>
    onError === 'continue' ? null : (own(defaultOutputs, name) ?? slot.config?.default ?? emptyValue(slot)),
  );
}

function eachOutput(slots: Slots = {}, valueOf: (name: string, slot: Slots[string]) => Json): JsonObject {
  return Object.fromEntries(Object.entries(slots).map(([name, slot]) => [name, valueOf(name, slot)]));
}

/** How many characters of JSON a node's inputs may have where its state is shown. */
const BOUND = 4096;

/** A node's inputs as they are shown: each that is too long is a text with its beginning and its length instead. */
export function cutInputs(inputs: JsonObject, bound: number = BOUND): JsonObject {
  if (spare(inputs, bound) >= 0) return inputs;
  const names = Object.keys(inputs);
  const share = Math.floor(bound / names.length);
  return Object.fromEntries(names.map((name) => [name, cut(inputs[name]!, share)]));
}

function cut(value: Json, bound: number): Json {
  if (spare(value, bound) >= 0) return value;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return `${text.slice(0, bound)}… (${text.length} characters)`;
}

/** What is left of `bound` after the JSON of a value, about; negative, and not exact, where it is longer. */
function spare(value: Json, bound: number): number {
  if (typeof value === 'string') return bound - value.length - 2;
  if (typeof value !== 'object' || value === null) return bound - 5;
  const named = !Array.isArray(value);
  let left = bound - 2;
  for (const [key, item] of Object.entries(value)) {
    if (left < 0) return left;
    left = spare(item, named ? left - key.length - 4 : left - 1);
  }
  return left;
}
