import { createHash } from 'node:crypto';
import { canonicalJson } from '@errand/contracts';
import type { Redis } from 'ioredis';
import { keys } from '../redis/names.js';

/** A claim that nothing came of lapses: who claimed died before anything was enqueued, or it was refused. */
const CLAIM_SECONDS = 3_600;
/** Until its invocation has ended … */
export const OPEN_CLAIM_SECONDS = 10 * 365 * 86_400;

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
  | { id: string; hold: IdempotencyClaim; isNew: true }
  | { id: string; hold: IdempotencyClaim; isNew: false; wasEnqueued: boolean }
  | 'other body';

/** A key that was claimed, as it is to be held. */
export interface IdempotencyClaim {
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

/** What a key stands for once its job is there: it is no longer a mere claim. */
export function claimValue(id: string, { body }: IdempotencyClaim): string {
  return `${body} ${id} enqueued`;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
