import type { Queues } from '../redis/connect.js';

/**
 * The answers of the keyspaces that answer, and the names of the others. A keyspace that has been away for some seconds is not asked, so that its
 * loss slows no list.
 * @throws the error of the first one if none answers
 */
export async function askAll<T>(
  all: readonly Queues[],
  ask: (queues: Queues) => Promise<T>,
): Promise<{ answers: T[]; missing: string[] }> {
  const present = all.filter(({ redis }) => !redis.isLost);
  const asked = present.length > 0 ? present : all;
  const settled = await Promise.allSettled(asked.map(ask));
  const answers = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const answering = new Set(asked.filter((_, n) => settled[n]?.status === 'fulfilled'));
  const missing = all.filter((queues) => !answering.has(queues)).map(({ keyspace }) => keyspace.slice(1, -1));
  const [first] = settled;
  if (answers.length === 0 && first?.status === 'rejected') throw first.reason;
  return { answers, missing };
}
