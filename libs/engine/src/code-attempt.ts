import { isObject, ToolError, type Failure, type JsonObject, type NodeContext } from '@errand/contracts';
import { copyObject } from './copy-json.js';
import type { GraphNode } from './graph.js';
import type { Attempt } from './run-node.js';
import type { Run } from './run-scope.js';

/** The attempt of a node with code of its own. */
export function codeAttempt(node: GraphNode, key: string, failures: Record<string, Failure>, run: Run): Attempt {
  return async (inputs, number, signal) => {
    const attemptKey = number === 1 ? key : `${key}#${number}`;
    const context = { config: configOf(node), nodeId: key, failures, invocationId: run.options.invocationId };
    return node.type!.run(inputs, { ...context, ...voiceOf(key, attemptKey, signal, run), ...notYet });
  };
}

const refuse = (what: string) => (): never => {
  throw new ToolError('NodeError', `${what} is not there`);
};
const notYet = {
  streams: {},
  runWorkflow: refuse('runWorkflow'),
  park: refuse('park'),
  fetch: refuse('The network'),
};

function configOf({ stored, type }: GraphNode): JsonObject {
  const defaults: JsonObject = {};
  for (const [key, schema] of Object.entries(type?.config ?? {})) {
    if (isObject(schema) && schema.default !== undefined) defaults[key] = schema.default;
  }
  return copyObject({ ...defaults, ...stored.configValues });
}

/**
 * How a node is heard in its run; after its end it is heard no more. Its calls of tools are numbered within the attempt, so that a
 * node which runs again after a crash asks for the same calls, and one that is retried for new ones.
 */
function voiceOf(
  nodeId: string,
  attemptKey: string,
  signal: AbortSignal,
  run: Run,
): Pick<NodeContext, 'signal' | 'log' | 'progress' | 'callTool'> {
  let calls = 0;
  return {
    signal,
    log: (line) => {
      if (!signal.aborted) run.emit({ event: 'log', nodeId, line });
    },
    progress: (wished, message) => {
      const value = Math.min(1, Math.max(0, wished || 0));
      if (!signal.aborted) run.emit({ event: 'progress', nodeId, value, ...(message !== undefined && { message }) });
    },
    callTool: async (toolId, args) => {
      signal.throwIfAborted();
      return run.options.callTool(toolId, args, { key: `${attemptKey}:${++calls}`, signal });
    },
  };
}
