import { countRunners as runnersOf, countWorkers as workersOf } from '../consume/heartbeats.js';
import { queueNames as namesOf } from '../fair/read-queues.js';
import { repairRings as repair, type RepairedQueue } from '../fair/repair-rings.js';
import { setWeight as set } from '../fair/tenant-weights.js';
import type { Queues } from '../redis/connect.js';
import { readQueueDepths as depthsOf } from '../state/queue-status.js';
import { mergeByName } from './merge-by-name.js';
import { askAll } from './ask-all.js';

type Depth = Awaited<ReturnType<typeof depthsOf>>[number];

/** The depths of all queues, each summed over the shards that answer. A consumer of a queue takes jobs of every shard. */
export async function readQueueDepths(queues: Queues): Promise<Depth[]> {
  if (!queues.shards) return depthsOf(queues);
  const { answers } = await askAll(queues.shards.all, depthsOf);
  return mergeByName(
    answers.flat(),
    ({ queue }) => queue,
    (a, b) => {
      const { waiting, active, later, owed } = a.jobs;
      const jobs = {
        waiting: waiting + b.jobs.waiting,
        active: active + b.jobs.active,
        later: later + b.jobs.later,
        owed: owed + b.jobs.owed,
      };
      const consumers = Math.max(a.consumers ?? 0, b.consumers ?? 0);
      const oldestMs = Math.max(a.oldestMs, b.oldestMs);
      return { ...a, jobs, oldestMs, ...(a.consumers !== undefined && { consumers }) };
    },
  );
}

export async function queueNames(queues: Queues): ReturnType<typeof namesOf> {
  if (!queues.shards) return namesOf(queues);
  const { answers } = await askAll(queues.shards.all, namesOf);
  return [...new Set(answers.flat())].toSorted((a, b) => rankOf(a) - rankOf(b) || (a < b ? -1 : 1));
}

/** The order in which one shard gives them. */
function rankOf(name: string): number {
  return name === 'invocations' ? 0 : name === 'scripts' ? 1 : name === 'deliveries' ? 3 : 2;
}

/** A weight holds in every shard. The keyspace `{errand}` gets it first: `copy-settings.ts` needs this order. */
export const setWeight = async (queues: Queues, tenant: string, weight: number): Promise<void> => {
  await set(queues, tenant, weight);
  const shards = (queues.shards?.all ?? []).filter((shard) => shard !== queues);
  await Promise.all(shards.map((shard) => set(shard, tenant, weight)));
};

export async function countWorkers(queues: Queues): Promise<number> {
  if (!queues.shards) return workersOf(queues);
  return Math.max(...(await askAll(queues.shards.all, workersOf)).answers);
}

export async function countRunners(queues: Queues): Promise<Record<string, number>> {
  if (!queues.shards) return runnersOf(queues);
  const { answers } = await askAll(queues.shards.all, runnersOf);
  const counts: Record<string, number> = {};
  for (const [label, count] of answers.flatMap((each) => Object.entries(each)))
    counts[label] = Math.max(counts[label] ?? 0, count);
  return counts;
}

/** The repairs of all shards, summed by queue. @throws Error if a shard does not answer */
export async function repairRings(queues: Queues): Promise<RepairedQueue[]> {
  if (!queues.shards) return repair(queues);
  const all = await Promise.all(queues.shards.all.map((shard) => repair(shard)));
  return mergeByName(
    all.flat(),
    ({ queue }) => queue,
    (a, b) => ({
      queue: a.queue,
      waiting: a.waiting + b.waiting,
      removed: a.removed + b.removed,
      wrong: a.wrong + b.wrong,
    }),
  );
}
