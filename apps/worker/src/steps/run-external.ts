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
import { stepAttemptsOf, isOneOfSeveral, type StepContext } from './step-context.js';

/** A call of an external tool. It has an origin if a node makes the call. */
interface ExternalCall {
  tool: Tool;
  args: JsonObject;
  origin?: CallOrigin;
}

/**
 * Writes what the step waits for, and suspends it until the answer or the deadline.
 * @throws Suspended; NodeError if the answer is an error; TimeoutError
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
    if (call.origin) await record(context, call, { status, startedAt, finishedAt: new Date().toISOString() });
    return resultOf(answer);
  }
  const waiting = asked ?? waitingFor(context, call);
  const until = waiting.until === null ? undefined : Date.parse(waiting.until);
  if (until !== undefined && until <= Date.now())
    throw new ToolError('TimeoutError', `Nobody answered ${call.tool.toolId} in time`);
  if (!asked) await record(context, call, { status: 'waiting_external', startedAt, waiting });
  throw new Suspended(until, true);
}

/** The field of the answer and of the state: the index of the step, and the key of the call of a node. */
function fieldOf({ index }: StepContext, { origin }: ExternalCall): string {
  return origin ? `${index}/${keyOf(origin)}` : `${index}`;
}

/** The call of a node has a key of its own, next to the key of the node. */
function keyOf({ key }: CallOrigin): string {
  return `${key}?`;
}

/** The deadline is `options.timeoutMs` of the invocation, else the time limit of the tool. Without both there is none. */
function waitingFor({ deadline }: StepContext, { tool, args, origin }: ExternalCall): Waiting {
  const { implementation, limits } = tool;
  const ownMs = (implementation.type === 'external' ? implementation.timeoutMs : undefined) ?? limits?.timeoutMs;
  const at = deadline ?? (ownMs === undefined ? undefined : Date.now() + ownMs);
  return {
    for: 'answer',
    ...(origin && { key: keyOf(origin) }),
    until: at === undefined ? null : new Date(at).toISOString(),
    prompt: args,
    ...(tool.output && { schema: tool.output }),
  };
}

interface ExternalState {
  status: Status;
  startedAt: string;
  finishedAt?: string;
  waiting?: Waiting;
}

/** Stores the state of the call and emits it as an event. */
async function record(context: StepContext, call: ExternalCall, state: ExternalState): Promise<void> {
  const { index, journal, events } = context;
  const { tool, origin } = call;
  const node = origin && { nodeId: keyOf(origin) };
  const stored = node
    ? { ...node, type: tool.toolId, finishedAt: null, ...state }
    : { ...stepAttemptsOf(context), ...state };
  await journal.writeState(fieldOf(context, call), stored);
  if (node || isOneOfSeveral(context)) events.emit({ event: 'step', index, status: state.status, ...node });
}

function resultOf(answer: Answer): Json {
  if ('error' in answer) throw new ToolError('NodeError', answer.error.message);
  return answer.result;
}
