import { join } from 'node:path';
import type { JobInHand, JobLeft } from '@errand/contracts';
import { queueNames } from '../fair/read-queues.js';
import type { Queues } from '../redis/connect.js';
import { loadScript } from '../redis/lua-script.js';
import { keysOf } from '../redis/names.js';
import { DELIVERIES } from '../redis/queue-names.js';
import { askAll } from '../shards/ask-all.js';
import { isInReach, type TenantReach } from '../state/tenant-reach.js';

type Job = [id: string, lock: string, tenant: string, name: string, started: string];
const READ = loadScript<[...Job, process: string][]>(join(__dirname, 'read-jobs-in-hand.lua'));
const READ_LEFT = loadScript<[...Job, ended: string][]>(join(__dirname, 'read-left-jobs.lua'));

/** No script looks at more jobs than this, so that it takes a few ms. */
const JOBS_AT_ONCE = 1_000;
/** The jobs of a queue in a shard that are looked at: as many as there are slots. */
const MOST_RUNNING = 100_000;
/** The name of a job of several calls has it between them. */
const SEVERAL = ' → ';
/** The most jobs that are shown of a process. */
const MOST_SHOWN = 1_000;

/** The running jobs by process. */
export interface JobsInHand {
  /** The jobs of a process, oldest first: up to 1,000. */
  of: (process: string) => JobInHand[];
  /** The shards that did not answer. */
  missing: string[];
}

/** Reads the jobs that run now, in all queues of all shards. The lock of a job names its process; it is the truth at the moment of the read. */
export async function readJobsInHand(queues: Queues, reach: TenantReach): Promise<JobsInHand> {
  const { answers, missing } = await askAll(queues.shards?.all ?? [queues], (shard) => readOfShard(shard, reach));
  const byProcess = new Map<string, JobInHand[]>();
  for (const [process, job] of answers.flat()) {
    const known = byProcess.get(process) ?? [];
    if (known.length < MOST_SHOWN) known.push(job);
    byProcess.set(process, known);
  }
  const of = (process: string) => (byProcess.get(process) ?? []).toSorted((a, b) => (a.since < b.since ? -1 : 1));
  return { of, missing };
}

/** The jobs that a lost process had: those that were put back, and where they are, and those that nobody has put back yet. */
export async function readJobsLeft(
  queues: Queues,
  process: string,
  inHand: readonly JobInHand[],
  reach: TenantReach,
): Promise<JobLeft[]> {
  const { answers } = await askAll(queues.shards?.all ?? [queues], ({ redis }) =>
    READ_LEFT.run(redis, [keysOf(redis).processLeft(process)], []),
  );
  const putBack = answers.flat().flatMap(([id, lock, tenant, name, started, ended]): JobLeft[] => {
    // A job that is not stored any more has no tenant. Only the operator, who reaches every tenant, gets its id.
    if (tenant === '' ? typeof reach === 'string' : !isInReach(reach, tenant)) return [];
    const holder = ownerOf(lock);
    const isGone = ended === '1' || name === '';
    const now = isGone ? 'gone' : holder === undefined ? 'waiting' : 'taken-over';
    return [{ ...describeJob(id, name, started), process: isGone ? null : (holder ?? null), now }];
  });
  return [...putBack, ...inHand.map((job): JobLeft => ({ ...job, process, now: 'in-hand' }))];
}

async function readOfShard(queues: Queues, reach: TenantReach): Promise<(readonly [string, JobInHand])[]> {
  const { redis } = queues;
  const keys = keysOf(redis);
  const found: (readonly [string, JobInHand])[] = [];
  for (const queue of await queueNames(queues)) {
    const size = Math.min(await redis.llen(keys.set(queue, 'active')), MOST_RUNNING);
    for (let from = 0; from < size; from += JOBS_AT_ONCE) {
      const jobs = await READ.run(redis, [keys.job(queue, '')], [from, from + JOBS_AT_ONCE - 1]);
      for (const [id, lock, tenant, name, started, starter] of jobs) {
        const process = ownerOf(lock) ?? starter;
        if (process !== '' && isInReach(reach, tenant))
          found.push([process, describeJob(id, queue === DELIVERIES ? '' : name, started)]);
      }
    }
  }
  return found;
}

/** The process in the token of a lock. Undefined for a lock that has lapsed, and for one of an older version. */
function ownerOf(lock: string): string | undefined {
  const at = lock.indexOf('/');
  return at < 0 ? undefined : lock.slice(0, at);
}

/** A job by its id: an invocation, a script of one of its steps, or a delivery. */
export function describeJob(id: string, name: string, started: string): JobInHand {
  const [first = '', step] = id.split('.');
  const isStep = first.startsWith('inv_') && step !== undefined;
  const isSingle = name !== '' && !name.includes(SEVERAL);
  return {
    invocationId: first.replace(/^msg_/, 'inv_'),
    step: isStep ? Number(step) : isSingle && first.startsWith('inv_') ? 0 : null,
    toolId: isSingle ? name : null,
    since: new Date(Number(started)).toISOString(),
  };
}
