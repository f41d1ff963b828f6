import type { Callback } from '@errand/contracts';
import {
  enqueueInvocation as enqueue,
  enqueueInvocations,
  type NewInvocation,
} from '../enqueue/enqueue-invocations.js';
import {
  claimKeys as claim,
  claimValue,
  digestOfKey,
  readClaim as readHere,
  CLAIM_SECONDS,
  type Claimed,
  type IdempotencyClaim,
  type KeyClaim,
} from '../enqueue/idempotency.js';
import type { SubmitOptions } from '../enqueue/job-options.js';
import { QueueFullError } from '../enqueue/queue-full.js';
import { discardPushes as discard } from '../push/push-configurations.js';
import type { Queues, Shards } from '../redis/connect.js';
import { keysOf } from '../redis/names.js';
import type { QueueName } from '../redis/queue-names.js';
import { freshInvocation, type StoredInvocation } from '../state/read-invocation.js';
import type { Accepted, InvocationRecord } from '../state/record.js';

/**
 * A key and a session can have different shards. The invocation is with its session, and the claim with its key. Then the claim is kept for
 * this time after the submission, because the end of the invocation does not reach it.
 */
const APART_SECONDS = 90 * 86_400;

/** Claims keys as the queue library does, each in the shard of its hash, or where an earlier layout has it. */
export async function claimKeys(queues: Queues, requests: readonly KeyClaim[]): Promise<Claimed[]> {
  const { shards } = queues;
  if (!shards) return claim(queues, requests);
  const groups = new Map<Queues, { request: KeyClaim; at: number }[]>();
  for (const [at, request] of requests.entries()) {
    const place = await placeOfKey(shards, request);
    groups.set(place, [...(groups.get(place) ?? []), { request, at }]);
  }
  const claimed: Claimed[] = [];
  await Promise.all(
    [...groups].map(async ([place, group]) => {
      const found = await claim(
        place,
        group.map(({ request }) => request),
      );
      for (const [n, one] of found.entries()) claimed[group[n]?.at ?? 0] = withPlace(one, place);
    }),
  );
  return claimed;
}

function withPlace(claimed: Claimed, place: Queues): Claimed {
  if (claimed === 'other body') return claimed;
  return { ...claimed, claim: { ...claimed.claim, keptBy: place } };
}

/** The id that a key of a tenant belongs to; undefined if no submission has had the key. */
export async function readClaim(
  queues: Queues,
  request: Pick<KeyClaim, 'tenant' | 'key'>,
): Promise<string | undefined> {
  return readHere(queues.shards ? await placeOfKey(queues.shards, request) : queues, request);
}

async function placeOfKey(shards: Shards, { tenant, key }: Pick<KeyClaim, 'tenant' | 'key'>): Promise<Queues> {
  return shards.find(tenant, key, ({ redis }) => redis.exists(keysOf(redis).idempotency(tenant, digestOfKey(key))));
}

/** Enqueues an invocation in the shard that its id carries. @throws as the queue library does */
export async function enqueueInvocation(queues: Queues, invocation: NewInvocation): Promise<Accepted | QueueFullError> {
  const shard = queues.shardOf(invocation.id);
  const { claim: claimed } = invocation;
  if (claimed?.keptBy === undefined || claimed.keptBy === shard) return enqueue(shard, invocation);
  return enqueueApart(shard, { ...invocation, claim: claimed }, claimed.keptBy);
}

/**
 * Enqueues with a claim in another shard. The claim gets its long life first: whatever fails afterwards, a repeated request gets the same id,
 * and enqueues under it what is not there.
 */
async function enqueueApart(
  shard: Queues,
  invocation: NewInvocation & { claim: IdempotencyClaim },
  { redis }: Queues,
): Promise<Accepted | QueueFullError> {
  const { id, claim: claimed, record, options } = invocation;
  const key = keysOf(redis).idempotency(record.tenant, claimed.digest);
  const seconds = APART_SECONDS + Math.ceil((options?.delayMs ?? 0) / 1_000);
  await redis.expire(key, seconds);
  const accepted = await enqueue(shard, invocation);
  if (accepted instanceof QueueFullError) await redis.expire(key, CLAIM_SECONDS);
  else await redis.set(key, claimValue(id, claimed), 'EX', seconds);
  return accepted;
}

/** Enqueues several invocations, in order. Each is accepted or refused by itself. */
export async function submitInvocations(
  queues: Queues,
  invocations: readonly NewInvocation[],
): Promise<(Accepted | QueueFullError)[]> {
  if (!queues.shards) return enqueueInvocations(queues, invocations);
  return Promise.all(invocations.map((invocation) => enqueueInvocation(queues, invocation)));
}

/** Enqueues one invocation, and returns it as it is after that. @throws QueueFullError */
export async function submitInvocation(
  queues: Queues,
  queue: QueueName,
  id: string,
  record: InvocationRecord,
  options: SubmitOptions = {},
  callback?: Callback,
): Promise<StoredInvocation> {
  const accepted = await enqueueInvocation(queues, { queue, id, record, options, callback });
  if (accepted instanceof QueueFullError) throw accepted;
  return freshInvocation(accepted);
}

/** The ids of push deliveries carry the shard of their invocation. */
export const discardPushes: typeof discard = async (queues, pushes) => {
  const [first] = Object.values(pushes);
  if (first !== undefined) await discard(queues.shardOf(first), pushes);
};
