import { isObject, ToolError, type Json, type JsonObject, type NodeContext, type NodeState } from '@errand/contracts';
import type { Attempt } from './attempt.js';
import { copyObject } from './copy-json.js';
import type { GraphNode } from './graph.js';
import { parkNode, waitAside } from './park-node.js';
import { Parked } from './parked.js';
import type { NodeHost } from './run-scope.js';
import { runInside } from './run-inside.js';

/** What stands around the code of a node. */
export interface Surroundings {
  node: GraphNode;
  attempt: Attempt;
  /** As it runs. */
  state: NodeState;
  host: NodeHost;
  failures: NodeContext['failures'];
  streams: NodeContext['streams'];
}

/** How a node's code hears of its run and is heard in it. After the attempt's end it is heard no more. */
export function contextOf({ node, attempt, state, host, failures, streams }: Surroundings): NodeContext {
  const { run } = attempt.scope;
  const { nodeId } = attempt;
  let config: JsonObject | undefined;
  return {
    nodeId,
    invocationId: run.options.invocationId,
    failures,
    streams,
    get config() {
      return (config ??= configOf(node));
    },
    get signal() {
      return attempt.signal;
    },
    log: (line) => {
      if (!attempt.isOver) run.emit({ event: 'log', nodeId, line });
    },
    progress: (wished, message) => {
      const value = Math.min(1, Math.max(0, wished || 0));
      if (!attempt.isOver) host.onProgress(node, value, { nodeId, ...(message !== undefined && { message }) });
    },
    callTool: (toolId, args) => callTool(attempt, toolId, args),
    runWorkflow: (workflowId, inputs) => runInside(attempt, workflowId, inputs),
    park: (request) => parkNode(attempt, state, request),
    fetch: async (input, init) => {
      attempt.throwIfOver();
      const { fetch } = run.options;
      if (!fetch) throw new ToolError('SecurityError', 'Nodes have no network here');
      return fetch(input, { signal: attempt.signal, ...init });
    },
  };
}

/** A tool that itself waits for something outside is asked again, under the same key, when that may have come. */
async function callTool(attempt: Attempt, toolId: string, args: JsonObject): Promise<Json> {
  const key = attempt.nextCall();
  for (;;) {
    attempt.throwIfOver();
    try {
      return await attempt.scope.run.options.callTool(toolId, args, { key, signal: attempt.signal });
    } catch (error) {
      if (!(error instanceof Parked)) throw error;
      const { until, forAnswer } = error;
      await waitAside(attempt, { ...(until !== undefined && { until }), forAnswer });
    }
  }
}

function configOf({ stored, type }: GraphNode): JsonObject {
  const defaults: JsonObject = {};
  for (const [key, schema] of Object.entries(type?.config ?? {})) {
    if (isObject(schema) && schema.default !== undefined) defaults[key] = schema.default;
  }
  return copyObject({ ...defaults, ...stored.configValues });
}
