import { setTimeout } from 'node:timers/promises';
import {
  isObject,
  ToolError,
  type Failure,
  type JsonObject,
  type NodeContext,
  type NodeState,
  type StoredNode,
} from '@errand/contracts';
import type { Arrivals } from './arrivals.js';
import { copyObject } from './copy-json.js';
import { fillInputs } from './fill-inputs.js';
import type { GraphNode } from './graph.js';
import { outputsInstead, readOutputs } from './node-outputs.js';
import type { Run, Scope } from './run-graph.js';
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
function locate(thrown: unknown, { stored }: GraphNode, key: string): ToolError {
  const inner = thrown instanceof ToolError ? thrown : undefined;
  const within = inner?.details?.nodeId;
  if (inner && typeof within === 'string' && (within.startsWith(`${key}/`) || within.startsWith(`${key}#`)))
    return inner;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new ToolError(
    inner?.type ?? 'NodeError',
    `Node '${key}' (${stored.type}) failed: ${message}`,
    { ...inner?.details, nodeId: key, nodeType: stored.type },
    { cause: thrown },
  );
}

/** The attempt of a node with code of its own. */
export function codeAttempt(node: GraphNode, key: string, failures: Record<string, Failure>, run: Run): Attempt {
  const config = configOf(node);
  return async (inputs, _number, signal) => node.type!.run(inputs, contextOf(key, config, failures, signal, run));
}

function configOf({ stored, type }: GraphNode): JsonObject {
  const defaults: JsonObject = {};
  for (const [key, schema] of Object.entries(type?.config ?? {})) {
    if (isObject(schema) && schema.default !== undefined) defaults[key] = schema.default;
  }
  return copyObject({ ...defaults, ...stored.configValues });
}

/** What a node sees of its run. After its end it is heard no more. */
function contextOf(
  key: string,
  config: JsonObject,
  failures: Record<string, Failure>,
  signal: AbortSignal,
  run: Run,
): NodeContext {
  let calls = 0;
  return {
    signal,
    config,
    nodeId: key,
    invocationId: run.options.invocationId,
    failures,
    log: (line) => {
      if (!signal.aborted) run.emit({ event: 'log', nodeId: key, line });
    },
    progress: (value, message) => {
      const inRange = Math.min(1, Math.max(0, value || 0));
      if (!signal.aborted)
        run.emit({ event: 'progress', nodeId: key, value: inRange, ...(message !== undefined && { message }) });
    },
    callTool: async (toolId, args) => {
      signal.throwIfAborted();
      return run.options.callTool(toolId, args, { key: `${key}:${++calls}`, signal });
    },
  };
}

function now(): string {
  return new Date().toISOString();
}
