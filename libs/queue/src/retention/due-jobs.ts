import type { Queues } from '../redis/connect.js';
import { keysOf } from '../redis/names.js';
import { DELIVERIES, QUEUE_NAMES, type WorkQueue } from '../redis/queue-names.js';

export const OUTCOMES = ['completed', 'failed'] as const;
/** The size of one batch. Redis runs other commands between two batches. */
export const BATCH = 100;

/** BullMQ's set of the ended jobs of a queue. */
export interface EndedSet {
  queue: WorkQueue | typeof DELIVERIES;
  outcome: (typeof OUTCOMES)[number];
}

/** How a sweep goes through a set. */
export interface SweptSet extends EndedSet {
  /** It begins behind so many jobs, which an earlier sweep has passed over because they must stay. */
  from: number;
  /** The highest number of ended jobs that the set keeps. */
  most: number;
}

const nameOf = ({ queue, outcome }: EndedSet) => `${queue}:${outcome}`;

/** All sets, each with its place. All processes share the places, because any of them may sweep next. */
export async function readSets(queues: Queues): Promise<SweptSet[]> {
  const [places, labelled] = await Promise.all([
    queues.redis.hgetall(keysOf(queues.redis).sweepPlaces),
    queues.labelled(),
  ]);
  const { count } = queues.retention;
  const setsOf = (names: readonly EndedSet['queue'][], most: number) =>
    names.flatMap((queue) =>
      OUTCOMES.map((outcome) => ({ queue, outcome, most, from: Number(places[nameOf({ queue, outcome })] ?? 0) })),
    );
  const invocations = setsOf([...QUEUE_NAMES, ...labelled], count);
  // Deliveries go with their invocations, which are in several sets.
  return [...invocations, ...setsOf([DELIVERIES], count * invocations.length)];
}

/** Stores where the next sweep goes on. Takes no command if this was the place before, as it is for most sets. */
export async function storePlace({ redis }: Queues, set: SweptSet, place: number): Promise<void> {
  if (place === set.from) return;
  const places = keysOf(redis).sweepPlaces;
  if (place === 0) await redis.hdel(places, nameOf(set));
  else await redis.hset(places, nameOf(set), place);
}

/** The next jobs of a set that are due at `now` (ms), oldest first, up to BATCH. The due jobs are at the beginning of the set. */
export async function findDue(
  { redis, retention }: Queues,
  { queue, outcome, most }: SweptSet,
  now: number,
  from: number,
): Promise<string[]> {
  const set = keysOf(redis).ended(queue, outcome);
  const oldestKept = now - retention.ageSeconds * 1_000;
  const [size, oldest] = await Promise.all([
    redis.zcard(set),
    redis.zrange(set, `${from}`, `${from + BATCH - 1}`, 'WITHSCORES'),
  ]);
  const ids = oldest.filter((_, n) => n % 2 === 0);
  return ids.filter((_, n) => from + n < size - most || Number(oldest[2 * n + 1]) <= oldestKept);
}
