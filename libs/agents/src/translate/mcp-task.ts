import type { Invocation, Status } from '@errand/contracts';
import type { McpInputRequests } from './mcp-input.js';
import type { McpCallResult } from './mcp-result.js';

/** The state of a task of the extension `io.modelcontextprotocol/tasks`. Times are ISO 8601, durations in ms. */
export type McpTask = {
  taskId: string;
  status: McpTaskStatus;
  statusMessage?: string;
  createdAt: string;
  lastUpdatedAt: string;
  ttlMs: number;
  pollIntervalMs: number;
};

type McpTaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';

/** A task with what its status brings. */
export type McpDetailedTask = McpTask & {
  inputRequests?: McpInputRequests;
  /** It has a `resultType` of its own, or clients refuse it. */
  result?: McpCallResult & { resultType: 'complete' };
  error?: { code: number; message: string };
};

/** JSON-RPC: an internal error. */
const INTERNAL_ERROR = -32603;
/** How often clients ask for the state of a task. */
const POLL_MS = 1_000;

/** The parts of an invocation that a task shows. */
export type McpTaskSource = Pick<
  Invocation,
  'id' | 'status' | 'createdAt' | 'startedAt' | 'finishedAt' | 'error' | 'observation'
>;

/**
 * The task of an invocation.
 * @param kept how long an ended invocation is kept, and the present time, in ms
 */
export function toMcpTask(
  source: Omit<McpTaskSource, 'observation'>,
  kept: { retentionMs: number; now: number },
): McpTask {
  const { id, createdAt, startedAt, finishedAt, error } = source;
  // An open invocation is kept, so its time to live grows until the end.
  const age = (finishedAt === null ? kept.now : Date.parse(finishedAt)) - Date.parse(createdAt);
  return {
    taskId: id,
    status: statusOf(source),
    ...(error && { statusMessage: error.message }),
    createdAt,
    lastUpdatedAt: finishedAt ?? startedAt ?? createdAt,
    ttlMs: Math.max(0, age) + kept.retentionMs,
    pollIntervalMs: POLL_MS,
  };
}

/**
 * The answer to `tasks/get`: the state of the task, with its open questions, its result, or the failure of the platform.
 * @param inputs the questions that have no answer yet, if there are any
 * @param result the result of an ended call
 */
export function toDetailedTask(
  task: McpTask,
  source: McpTaskSource,
  { inputs, result }: { inputs?: McpInputRequests | undefined; result?: McpCallResult | undefined },
): McpDetailedTask {
  if (inputs && isOpen(source.status)) return { ...task, status: 'input_required', inputRequests: inputs };
  if (task.status === 'completed' && result) return { ...task, result: { resultType: 'complete', ...result } };
  if (task.status !== 'failed') return task;
  const message = source.observation ?? source.error?.message ?? 'The outcome is not known';
  return { ...task, error: { code: INTERNAL_ERROR, message } };
}

/** A failed tool is a completed task with an error as its result. Only an unknown outcome is the failure of the platform. */
function statusOf({ status, error }: Pick<McpTaskSource, 'status' | 'error'>): McpTaskStatus {
  if (status === 'waiting_external') return 'input_required';
  if (status === 'cancelled') return 'cancelled';
  if (isOpen(status)) return 'working';
  return error?.type === 'LostError' ? 'failed' : 'completed';
}

function isOpen(status: Status): boolean {
  return status === 'queued' || status === 'running' || status === 'waiting_external';
}
