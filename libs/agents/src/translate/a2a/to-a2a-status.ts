import type { Json, JsonObject, Status, Waiting } from '@errand/contracts';
import type { A2aMessage, A2aPart, A2aState, A2aStatus } from './a2a-shapes.js';
import type { Turn } from './turn-of.js';

const STATES: Readonly<Record<Status, A2aState>> = {
  queued: 'TASK_STATE_SUBMITTED',
  running: 'TASK_STATE_WORKING',
  waiting_external: 'TASK_STATE_INPUT_REQUIRED',
  succeeded: 'TASK_STATE_COMPLETED',
  failed: 'TASK_STATE_FAILED',
  cancelled: 'TASK_STATE_CANCELED',
};

export function stateOf(status: Status): A2aState {
  return STATES[status];
}

/** The statuses of tasks with this state: one, or none for a state that tasks of Errand never have. */
export function statusesOf(state: string): Status[] {
  return (Object.keys(STATES) as Status[]).filter((status) => STATES[status] === state);
}

/** The status of a task now. A turn that waits says what it needs, and one that has not succeeded says why. */
export function toA2aStatus(turn: Turn): A2aStatus {
  const message = messageOf(turn);
  return {
    state: stateOf(turn.status),
    ...(message && { message }),
    timestamp: turn.finishedAt ?? turn.startedAt ?? turn.createdAt,
  };
}

/** A text is a text part, any other value a data part. */
export function partOf(value: Json): A2aPart {
  return typeof value === 'string' ? { text: value } : { data: value, mediaType: 'application/json' };
}

/** A message of the agent about its task. */
export function agentMessage(turn: Turn, name: string, parts: A2aPart[], metadata?: JsonObject): A2aMessage {
  return {
    messageId: `${turn.id}.${name}`,
    contextId: turn.contextId,
    taskId: turn.id,
    role: 'ROLE_AGENT',
    parts,
    ...(metadata && { metadata }),
  };
}

function messageOf(turn: Turn): A2aMessage | undefined {
  const { status, waiting, error } = turn;
  if (status === 'waiting_external') return waiting && questionOf(turn, waiting);
  if (error === null || (status !== 'failed' && status !== 'cancelled')) return undefined;
  return agentMessage(turn, 'error', [{ text: `${error.type}: ${error.message}` }]);
}

/** What a waiting turn asks for. The schema of the answer and the deadline are metadata, for programs. */
function questionOf(turn: Turn, waiting: Waiting): A2aMessage {
  const { prompt, schema, until, invocationId, step, key } = waiting;
  const parts: A2aPart[] =
    prompt === undefined || prompt === null ? [{ text: 'The agent waits for an answer.' }] : [partOf(prompt)];
  const name = ['question', invocationId, step, key].filter((part) => part !== undefined).join('.');
  return agentMessage(turn, name, parts, { ...(schema !== undefined && { schema: schema as Json }), until });
}
