import type { Status } from '@errand/contracts';
import { toLegacyUpdate } from './to-legacy-update.js';
import { statusUpdate } from './task-updates.js';
import { agentMessage, partOf, stateOf, toA2aStatus } from './to-a2a-status.js';
import type { Turn } from './turn-of.js';

/** A status of a task at a time (ISO 8601), which may be past. */
export interface ReportedStatus {
  status: Status;
  at: string;
}

/** The largest message of a status, in characters of its JSON. A larger one is left out; the task has it. */
const MAX_MESSAGE_CHARS = 65_536;

/**
 * The body of a push notification: a `StreamResponse` with a status update; in 0.3 the update itself. The status has a message if the turn
 * still has that status: the question, the error, or the answer.
 */
export function toPushBody(turn: Turn, { status, at }: ReportedStatus, version: '1.0' | '0.3'): string {
  const { message } = turn.status === status ? described(turn) : {};
  const fits = message !== undefined && JSON.stringify(message).length <= MAX_MESSAGE_CHARS;
  const update = statusUpdate(turn, { state: stateOf(status), ...(fits && { message }), timestamp: at });
  return JSON.stringify(version === '1.0' ? update : toLegacyUpdate(update));
}

function described(turn: Turn) {
  if (turn.status !== 'succeeded') return toA2aStatus(turn);
  return { message: agentMessage(turn, 'answer', [partOf(turn.result)]) };
}
