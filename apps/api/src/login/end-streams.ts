import { loginEndOf, type LoginSessions, type NotificationHub } from '@errand/queue';
import type { FastifyReply } from 'fastify';

/** Ends an event stream when the login session that opened it ends. Other requests end by themselves within a minute. */
export function endWithSession(
  { raw }: FastifyReply,
  digest: string,
  sessions: LoginSessions,
  notifications: NotificationHub,
): void {
  const closed = new AbortController();
  raw.once('close', () => closed.abort());
  const hasEnded = async () => ((await sessions.exists(digest)) ? undefined : true);
  notifications
    .until(loginEndOf(digest), closed.signal, hasEnded)
    // While Redis is away, nobody knows. The client asks again with its cookie.
    .catch(() => true)
    .then((ended) => ended && raw.destroy())
    .catch(() => {});
}
