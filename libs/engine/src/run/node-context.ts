import {
  ToolError,
  type Computation,
  type Failure,
  type Json,
  type JsonObject,
  type NodeContext,
  type NodeState,
  type SuspendRequest,
} from '@errand/contracts';
import type { Attempt } from './attempt.js';
import type { GraphNode } from '../graph/graph.js';
import { nextDepth, runInside } from './run-inside.js';
import { suspendNode, waitPaused } from './suspend-node.js';
import { Suspended } from './suspended.js';
import type { NodeHost } from './run-scope.js';

/** The node that runs its code. */
interface Running {
  node: GraphNode;
  state: NodeState;
  host: NodeHost;
  nodeInputs: { failures: Record<string, Failure> };
}

const NO_STREAMS = Object.freeze({});

/**
 * The interface of a running node's code. After the end of the attempt it has no effect. Each part is created on access
 * and can be destructured: most nodes use none or one.
 */
export class RunningContext implements NodeContext {
  constructor(
    private readonly running: Running,
    private readonly attempt: Attempt,
    readonly streams: NodeContext['streams'] = NO_STREAMS,
  ) {}

  get signal(): AbortSignal {
    return this.attempt.signal;
  }

  get config(): JsonObject {
    return this.running.node.config;
  }

  get nodeId(): string {
    return this.attempt.nodeId;
  }

  get invocationId(): string {
    return this.attempt.scope.run.options.invocationId;
  }

  get session(): string | undefined {
    return this.attempt.scope.run.options.session;
  }

  get agent(): string | undefined {
    return this.attempt.scope.run.options.agent;
  }

  get failures(): NodeContext['failures'] {
    return this.running.nodeInputs.failures;
  }

  get log(): NodeContext['log'] {
    const { attempt } = this;
    return (line) => {
      if (!attempt.isOver) attempt.scope.run.emit?.({ event: 'log', nodeId: attempt.nodeId, line });
    };
  }

  get progress(): NodeContext['progress'] {
    const { attempt, running } = this;
    return (fraction, message) => {
      const value = Math.min(1, Math.max(0, fraction || 0));
      const detail = { nodeId: attempt.nodeId, ...(message !== undefined && { message }) };
      if (!attempt.isOver) running.host.onProgress(running.node, value, detail);
    };
  }

  get callTool(): NodeContext['callTool'] {
    return (toolId, args) => ignoreRejection(callTool(this.attempt, toolId, args));
  }

  get runWorkflow(): NodeContext['runWorkflow'] {
    return (workflowId, inputs) => ignoreRejection(runInside(this.attempt, workflowId, inputs));
  }

  get park(): NodeContext['park'] {
    const { state, node } = this.running;
    return (request) => ignoreRejection(suspendNode(this.attempt, { ...state }, withTimeOf(node, request)));
  }

  get compute(): NodeContext['compute'] {
    const { attempt } = this;
    return (computation) => ignoreRejection(computeFor(attempt, computation));
  }

  get fetch(): NodeContext['fetch'] {
    const { attempt } = this;
    return (input, init) => ignoreRejection(fetchFor(attempt, input, init));
  }
}

/** `timeoutMs` of the stored node also limits a wait for an answer, unless the code sets its own. */
function withTimeOf({ stored: { timeoutMs } }: GraphNode, request: SuspendRequest): SuspendRequest {
  return request.for === 'answer' && timeoutMs !== undefined ? { timeoutMs, ...request } : request;
}

/** A rejection that no code awaits (the node continued or is over) must not end the process. */
function ignoreRejection<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

async function fetchFor(attempt: Attempt, ...[input, init]: Parameters<typeof globalThis.fetch>): Promise<Response> {
  attempt.throwIfOver();
  const { fetch } = attempt.scope.run.options;
  if (!fetch) throw new ToolError('SecurityError', 'Nodes have no network access here');
  return fetch(input, { signal: attempt.signal, ...init });
}

async function computeFor(attempt: Attempt, computation: Computation): Promise<JsonObject> {
  attempt.throwIfOver();
  const { compute } = attempt.scope.run.options;
  if (!compute) throw new ToolError('NodeError', 'This process has no threads for nodes');
  return compute(computation, attempt.signal);
}

/** Calls a tool. A tool that suspends is called again, with the same key, when its result may be available. */
async function callTool(attempt: Attempt, toolId: string, args: JsonObject): Promise<Json> {
  const origin = {
    key: attempt.nextCall(),
    signal: attempt.signal,
    isRetried: attempt.isRetried,
    depth: nextDepth(attempt.scope, `Tool '${toolId}'`),
    stored: async () => {
      attempt.hasActed = true;
      await attempt.scope.run.outcomes.barrier();
      attempt.throwIfOver();
    },
  };
  for (;;) {
    attempt.throwIfOver();
    try {
      return await attempt.scope.run.options.callTool(toolId, args, origin);
    } catch (error) {
      if (!(error instanceof Suspended)) throw error;
      const { until, forAnswer, again } = error;
      await waitPaused(attempt, { ...(until !== undefined && { until }), forAnswer, ...(again && { again }) });
    }
  }
}
