import { createHash } from 'node:crypto';
import { canonicalJson } from '@errand/contracts';
import type { Redis } from 'ioredis';
import type { Queues } from '../redis/connect.js';
import { keysOf } from '../redis/names.js';

/** A claim expires after this time if nothing is enqueued: the submission was refused, or its process died. */
export const CLAIM_SECONDS = 3_600;
/** The expiry of a claim whose invocation is enqueued. The end of the invocation sets a shorter one. */
export const OPEN_CLAIM_SECONDS = 10 * 365 * 86_400;

/** A request to claim an idempotency key of a tenant. */
export interface KeyClaim {
  tenant: string;
  key: string;
  /** The body of the request. Another body under the same key is refused. */
  body: unknown;
  /** The id of the invocation or batch if the key is free. */
  id: string;
  /** The life of the claim in seconds, if it is not the usual one. */
  seconds?: number;
}

/** The result of a claim: the id of the key's invocation. `submitInvocations` takes `claim` and extends it to the life of the invocation. */
export type Claimed =
  | { id: string; claim: IdempotencyClaim; isNew: true }
  | { id: string; claim: IdempotencyClaim; isNew: false; wasEnqueued: boolean }
  | 'other body';

/** The digests of a claimed key and of its request body. */
export interface IdempotencyClaim {
  digest: string;
  body: string;
  /** Where the claim is stored, if there are several shards. */
  keptBy?: Queues;
}

/**
 * Claims keys in order, each for its id, in one round trip. A key that was claimed before returns its earlier id, also if the claimant
 * died before it enqueued anything.
 * @throws LateReplicasError if an earlier invocation is stored, but too few replicas have confirmed that
 */
export async function claimKeys(
  { redis, replicas }: Pick<Queues, 'redis' | 'replicas'>,
  requests: readonly KeyClaim[],
): Promise<Claimed[]> {
  const keys = keysOf(redis);
  if (requests.length === 0) return [];
  const { server } = replicas;
  const pipeline = redis.pipeline();
  const digests = new BodyDigests();
  const claims = requests.map(({ tenant, key: name, body, id, seconds = CLAIM_SECONDS }) => {
    const claim = { digest: sha256(name), body: digests.of(body) };
    const key = keys.idempotency(tenant, claim.digest);
    pipeline.set(key, `${claim.body} ${id}`, 'EX', seconds, 'NX').get(key);
    return claim;
  });
  const replies = (await pipeline.exec()) ?? [];
  for (const [error] of replies) if (error) throw error;
  const claimed = claims.map((claim, n): Claimed => {
    const isNew = replies[2 * n]?.[1] === 'OK';
    const [body, id = '', enqueued] = String(replies[2 * n + 1]?.[1]).split(' ');
    if (body !== claim.body) return 'other body';
    return isNew ? { id, claim, isNew } : { id, claim, isNew, wasEnqueued: enqueued !== undefined };
  });
  // The first response may have said that replicas were late.
  if (claimed.some((one) => one !== 'other body' && !one.isNew && one.wasEnqueued)) await replicas.confirm(server);
  return claimed;
}

/** The id of the invocation of a claimed key; undefined for a free key. It claims nothing. */
export async function readClaim(
  { redis }: { redis: Redis },
  { tenant, key }: Pick<KeyClaim, 'tenant' | 'key'>,
): Promise<string | undefined> {
  const keys = keysOf(redis);
  const value = await redis.get(keys.idempotency(tenant, sha256(key)));
  return value?.split(' ')[1];
}

/** The value of a claimed key once its job exists. */
export function claimValue(id: string, { body }: IdempotencyClaim): string {
  return `${body} ${id} enqueued`;
}

/** The digests of request bodies. The items of a batch share one body, which can have a megabyte. */
class BodyDigests {
  private readonly known = new Map<unknown, string>();

  of(body: unknown): string {
    const digest = this.known.get(body) ?? sha256(canonicalJson(body));
    this.known.set(body, digest);
    return digest;
  }
}

/** The digest of an idempotency key. */
export function digestOfKey(key: string): string {
  return sha256(key);
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
