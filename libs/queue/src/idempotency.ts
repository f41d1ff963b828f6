import { createHash } from 'node:crypto';
import { canonicalJson } from '@errand/contracts';
import type { Redis } from 'ioredis';
import { keys } from './names.js';
import { LuaCommand } from './run-lua.js';

/** A claim that nothing came of lapses: who claimed died before anything was enqueued, or it was refused. */
const CLAIM_SECONDS = 3_600;
/** Until its invocation has ended, and then for a day. */
const HOLD_SECONDS = 10 * 365 * 86_400;
const AFTER_END_SECONDS = 86_400;

/** What a key stands for: one request of one tenant. */
export interface KeyClaim {
  tenant: string;
  key: string;
  /** Of the request: another one under the same key is refused. */
  body: unknown;
  /** Under which the request is to run if the key is free. */
  id: string;
}

/** `hold` goes to `admit` with the job, which makes the key last as long as its invocation and a day. */
export type Claimed =
  | { id: string; hold: KeyHold; isNew: true }
  | { id: string; hold: KeyHold; isNew: false; wasEnqueued: boolean }
  | 'other body';

/** A key that was claimed, as it is to be held. */
export interface KeyHold {
  digest: string;
  body: string;
}

/**
 * Claims keys, each for the id that is to run under it, in order and all in one round trip. A key that was claimed before stands for the
 * id of then, whether it has been enqueued or its claimant died before it could.
 */
export async function claimKeys({ redis }: { redis: Redis }, claims: readonly KeyClaim[]): Promise<Claimed[]> {
  if (claims.length === 0) return [];
  const holds = claims.map(({ key, body }) => ({ digest: sha256(key), body: sha256(canonicalJson(body)) }));
  const pipeline = redis.pipeline();
  for (const [n, { tenant, id }] of claims.entries()) {
    const { digest, body } = holds[n]!;
    const key = keys.idempotency(tenant, digest);
    pipeline.set(key, `${body} ${id}`, 'EX', CLAIM_SECONDS, 'NX').get(key);
  }
  const replies = (await pipeline.exec()) ?? [];
  for (const [error] of replies) if (error) throw error;
  return claims.map((_, n) => {
    const [isNew, stands] = [replies[2 * n]![1] === 'OK', String(replies[2 * n + 1]![1])];
    const hold = holds[n]!;
    const [body, id, enqueued] = stands.split(' ');
    if (body !== hold.body) return 'other body';
    return isNew ? { id: id!, hold, isNew } : { id: id!, hold, isNew, wasEnqueued: enqueued !== undefined };
  });
}

/**
 * Part of the transaction that adds a job: where it is there, its key is no longer a mere claim.
 *
 * KEYS: 1 key, 2 job.  ARGV: 1 what it stands for, 2 seconds to hold it.
 */
export const HOLD_KEY = new LuaCommand(
  'errand:hold-key',
  `if redis.call('EXISTS', KEYS[2]) == 1 then redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2]) end`,
);

/** What HOLD_KEY takes for a job. */
export function holdArgs(id: string, { body }: KeyHold): (string | number)[] {
  return [`${body} ${id} enqueued`, HOLD_SECONDS];
}

/**
 * Part of the transaction that ends a job: its key is held for a day from now on.
 *
 * KEYS: 1 key, 2 job.  ARGV: 1 seconds.
 */
export const RELEASE_KEY = new LuaCommand(
  'errand:release-key',
  `if redis.call('HEXISTS', KEYS[2], 'finishedOn') == 1 then redis.call('EXPIRE', KEYS[1], ARGV[1]) end`,
);

export const RELEASE_ARGS = [AFTER_END_SECONDS];

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
