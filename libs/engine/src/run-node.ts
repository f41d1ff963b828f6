import { setTimeout } from 'node:timers/promises';
import { ToolError, type JsonObject, type NodeState, type StoredNode } from '@errand/contracts';
import type { Arrivals } from './arrivals.js';
import { copyObject } from './copy-json.js';
import { fillInputs } from './fill-inputs.js';
import type { GraphNode } from './graph.js';
import { outputsInstead, readOutputs } from './node-outputs.js';
import type { Scope } from './run-scope.js';
import { runWithin } from './run-within.js';

/** Runs what stands behind a node once. `signal` fires when its time or the run is over. */
export type Attempt = (inputs: JsonObject, number: number, signal: AbortSignal) => Promise<unknown>;

/**
 * Runs a node to its end, with its retries, its time limit and its `onError`, and says how it ended.
 * @throws only what ends the whole run: the reason of the scope's signal
 */
export async function runNode(
  node: GraphNode,
  key: string,
  arrivals: Arrivals,
  scope: Scope,
  attempt: Attempt,
): Promise<NodeState> {
  const state: NodeState = {
    nodeId: key,
    type: node.stored.type,
    status: 'running',
    startedAt: null,
    finishedAt: null,
  };
  const start = () => {
    if (state.startedAt !== null) return;
    state.startedAt = now();
    scope.run.emit({ event: 'node', state: { ...state } });
  };
  try {
    const result = await tryRepeatedly(node, arrivals, scope, attempt, start);
    return { ...state, status: 'succeeded', result, finishedAt: now() };
  } catch (thrown) {
    if (scope.signal.aborted) throw thrown;
    const error = locate(thrown, node, key).toFailure();
    const instead = outputsInstead(node);
    return { ...state, status: 'failed', error, ...(instead && { result: instead }), finishedAt: now() };
  }
}

async function tryRepeatedly(
  node: GraphNode,
  arrivals: Arrivals,
  scope: Scope,
  attempt: Attempt,
  start: () => void,
): Promise<JsonObject> {
  const { inputValues = {}, retry, timeoutMs } = node.stored;
  const inputs = fillInputs(node.inputs ?? {}, { ...copyObject(inputValues), ...arrivals.values });
  const bounds = { signal: scope.signal, ...(timeoutMs !== undefined && { timeoutMs }) };
  for (let number = 1; ; number++) {
    const once = async () => {
      scope.signal.throwIfAborted();
      start();
      return runWithin((signal) => attempt(inputs, number, signal), bounds);
    };
    try {
      // A group takes no permit, for the nodes inside it need them; the time limit begins when there is one.
      return readOutputs(node, await (node.kind === 'group' ? once() : scope.run.permits.run(once)));
    } catch (error) {
      if (number >= (retry?.attempts ?? 1)) throw error;
      await setTimeout(pauseAfter(number, retry), undefined, { signal: scope.signal });
    }
  }
}

/** In ms: the same each time, or doubled after each attempt. */
export function pauseAfter(attempt: number, retry: StoredNode['retry']): number {
  const { type = 'fixed', delayMs = 0 } = retry?.backoff ?? {};
  return type === 'exponential' ? delayMs * 2 ** (attempt - 1) : delayMs;
}

/** The failure with its place. A ToolError keeps its type; what a group's inner node threw already names its place. */
function locate(thrown: unknown, { kind, stored }: GraphNode, key: string): ToolError {
  const inner = thrown instanceof ToolError ? thrown : undefined;
  if (inner && kind === 'group' && inner.details?.nodeId !== undefined) return inner;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new ToolError(
    inner?.type ?? 'NodeError',
    `Node '${key}' (${stored.type}) failed: ${message}`,
    { ...inner?.details, nodeId: key, nodeType: stored.type },
    { cause: thrown },
  );
}

function now(): string {
  return new Date().toISOString();
}
