import { createHash } from 'node:crypto';
import { canonicalJson } from '@errand/contracts';
import type { SessionName } from '@errand/queue';
import { ProblemError } from '../http/problem-error.js';

/** The list of messages that a cursor belongs to. */
export interface MessageList extends SessionName {
  agent?: string | undefined;
}

/** A cursor holds the number of a message and a digest of its list. */
export function toMessageCursor(list: MessageList, number: number | undefined): string | null {
  return number === undefined ? null : Buffer.from(`${digestOf(list)}:${number}`).toString('base64url');
}

/**
 * The number after which the page begins; 0 without a cursor.
 * @throws ProblemError invalid_request for a malformed cursor, or for one of another list
 */
export function readMessageCursor(list: MessageList, cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  const [, digest, number] = /^([\w-]{10}):(\d{1,15})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (digest === undefined)
    throw new ProblemError('invalid_request', 'cursor must be a nextCursor that this list has given');
  if (digest === digestOf(list)) return Number(number);
  throw new ProblemError('invalid_request', 'cursor belongs to the messages of another session or agent');
}

function digestOf({ tenant, session, agent = '' }: MessageList): string {
  return createHash('sha256').update(canonicalJson({ tenant, session, agent })).digest('base64url').slice(0, 10);
}
