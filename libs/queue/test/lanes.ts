import { randomUUID } from 'node:crypto';
import type { Queues } from '../src/index.js';
import { keys } from '../src/redis/names.js';
import type { DELIVERIES, WorkQueue } from '../src/redis/queue-names.js';
import type { InvocationRecord } from '../src/state/record.js';

type Queue = WorkQueue | typeof DELIVERIES;

/** Lets an older version put a job with a priority into BullMQ's set, so that the next take admits nothing from the lanes. */
export async function holdAdmissionOf({ redis }: Queues, queue: Queue, record: InvocationRecord): Promise<void> {
  const id = `old-${randomUUID()}`;
  await redis.hset(keys.job(queue, id), { name: 'old', data: JSON.stringify(record), opts: '{}', timestamp: 1 });
  await redis.zadd(keys.set(queue, 'prioritized'), 1, id);
}

/** The sets of a queue in which a job stands. */
export async function placesIn({ redis }: Queues, queue: Queue, id: string): Promise<string[]> {
  const prefix = keys.job(queue, '');
  const lanes = (await redis.keys(`${prefix}fair:lane:*`)).map((key) => key.slice(prefix.length));
  const sorted = await Promise.all(
    ['prioritized', 'delayed', ...lanes].map(async (set) =>
      (await redis.zscore(prefix + set, id)) === null ? [] : set,
    ),
  );
  const lists = await Promise.all(
    ['wait', 'active'].map(async (list) => ((await redis.lpos(prefix + list, id)) === null ? [] : list)),
  );
  return [...sorted, ...lists].flat();
}
