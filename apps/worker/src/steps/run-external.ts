import {
  ToolError,
  type Answer,
  type Json,
  type JsonObject,
  type Status,
  type Tool,
  type Waiting,
} from '@errand/contracts';
import { Suspended, type CallOrigin } from '@errand/engine';
import { Queues, readAnswers, readState } from '@errand/queue';
import { attemptInfoOf } from './step-context.js';
import { isOneOfSeveral, type StepContext } from './step-context.js';

/** A call of a tool that somebody outside runs; by a node, where it has an origin. */
export interface ExternalCall {
  tool: Tool;
  args: JsonObject;
  origin?: CallOrigin;
}

/**
 * Says what is waited for, and parks until they have answered or their time is over.
 * @throws Suspended; NodeError where the answer is an error; TimeoutError
 */
export async function runExternal(queues: Queues, context: StepContext, call: ExternalCall): Promise<Json> {
  const field = fieldOf(context, call);
  const [answers, state] = await Promise.all([
    readAnswers(queues, context.work.id),
    readState(queues, context.work.id),
  ]);
  const text = state.get(field);
  const before = text === undefined ? {} : (JSON.parse(text) as { waiting?: Waiting; startedAt?: string });
  const startedAt = before.startedAt ?? new Date().toISOString();
  const answer = answers.get(field)?.answer;
  const asked = before.waiting?.for === 'answer' ? before.waiting : undefined;
  if (answer) {
    const status = 'error' in answer ? 'failed' : 'succeeded';
    if (call.origin) await tell(context, call, { status, startedAt, finishedAt: new Date().toISOString() });
    return resultOf(answer);
  }
  const waiting = asked ?? waitingFor(context, call);
  const until = waiting.until === null ? undefined : Date.parse(waiting.until);
  if (until !== undefined && until <= Date.now())
    throw new ToolError('TimeoutError', `Nobody answered to ${call.tool.toolId} in time`);
  if (!asked) await tell(context, call, { status: 'waiting_external', startedAt, waiting });
  throw new Suspended(until, true);
}

/** Under what its answer is kept: the step's number, or that and the node's call. */
function fieldOf({ index }: StepContext, { origin }: ExternalCall): string {
  return origin ? `${index}/${keyOf(origin)}` : `${index}`;
}

/** No node's own: the call is told of beside the node that makes it. */
function keyOf({ key }: CallOrigin): string {
  return `${key}?`;
}

/** Its deadline is `options.timeoutMs` of the invocation, else the tool's own, else none. */
function waitingFor({ deadline }: StepContext, { tool, args, origin }: ExternalCall): Waiting {
  const { implementation, limits } = tool;
  const ownMs = (implementation.type === 'external' ? implementation.timeoutMs : undefined) ?? limits?.timeoutMs;
  const at = deadline ?? (ownMs === undefined ? undefined : Date.now() + ownMs);
  return {
    for: 'answer',
    ...(origin && { key: keyOf(origin) }),
    until: at === undefined ? null : new Date(at).toISOString(),
    prompt: args,
  };
}

interface ExternalStatus {
  status: Status;
  startedAt: string;
  finishedAt?: string;
  waiting?: Waiting;
}

async function tell(context: StepContext, call: ExternalCall, standing: ExternalStatus): Promise<void> {
  const { index, journal, events } = context;
  const { tool, origin } = call;
  const node = origin && { nodeId: keyOf(origin) };
  const state = node
    ? { ...node, type: tool.toolId, finishedAt: null, ...standing }
    : { ...attemptInfoOf(context), ...standing };
  await journal.writeState(fieldOf(context, call), state);
  if (node || isOneOfSeveral(context)) events.emit({ event: 'step', index, status: standing.status, ...node });
}

function resultOf(answer: Answer): Json {
  if ('error' in answer) throw new ToolError('NodeError', answer.error.message);
  return answer.result;
}
