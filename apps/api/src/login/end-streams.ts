import { loginEndOf, type LoginSessions, type NotificationHub } from '@errand/queue';
import type { FastifyReply } from 'fastify';

/** How often an open stream checks that its session has not expired. Redis notifies nobody of that. */
const CHECK_MS = 60_000;

/** The routes below `/v1` whose responses can stay open without an end. A test compares them with the OpenAPI document. */
const STREAMS: ReadonlySet<string> = new Set(['/v1/events', '/v1/invocations/:id/events']);

/** Whether a route responds with an event stream. Its clients need not ask for one by `Accept`. */
export function isEventStream(route: string): boolean {
  return STREAMS.has(route);
}

/** What tells whether a session has ended. */
export interface SessionEnds {
  sessions: Pick<LoginSessions, 'exists'>;
  notifications: Pick<NotificationHub, 'listen'>;
}

/**
 * Ends an event stream when the login session that opened it ends: at once after a logout, and within `checkMs` after it has expired. An
 * open stream does not count as a use of its session. Other requests end by themselves within a minute.
 */
export function endWithSession(
  { raw }: Pick<FastifyReply, 'raw'>,
  digest: string,
  ends: SessionEnds,
  checkMs = CHECK_MS,
): void {
  // The client has gone, and no event 'close' follows.
  if (raw.destroyed) return;
  const closed = new AbortController();
  raw.once('close', () => closed.abort());
  untilEnded(digest, ends, closed.signal, checkMs)
    .then((ended) => ended && raw.destroy())
    .catch(() => {});
}

/** Resolves with true when the session has ended, and with false when `signal` aborts. */
async function untilEnded(
  digest: string,
  { sessions, notifications }: SessionEnds,
  signal: AbortSignal,
  checkMs: number,
): Promise<boolean> {
  const subscription = notifications.listen(loginEndOf(digest));
  try {
    while (!signal.aborted) {
      // While Redis is away, nobody can log out. Its return wakes the subscription.
      if (!(await sessions.exists(digest).catch(() => true))) return true;
      await subscription.next(signal, checkMs);
    }
    return false;
  } finally {
    subscription.close();
  }
}
