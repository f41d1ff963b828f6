import { BULL_FIELD, timeOfScore } from '../bullmq/layout.js';
import type { QueuePlace } from '@errand/contracts';
import type { Queues } from '../redis/connect.js';
import { countConsumers } from '../consume/heartbeats.js';
import { memberOf, statusSetKey } from './search-index.js';
import { FIELD, keys, QUEUE_NAMES, scriptQueue, type QueueName, DELIVERIES, type WorkQueue } from '../redis/names.js';
import { throughputOf, medianMs } from './throughput.js';
import type { StoredInvocation } from './read-invocation.js';

/** Of the next so many in a queue, the place is looked up; of those behind them, it is reckoned from the index. */
const LOOKED_UP = 1_000;

const CONSUMER: Record<QueueName, string> = { invocations: 'worker', scripts: 'script-runner' };

/** What is known of a job that waits. Times in ms. */
interface Waiting {
  queue: QueueName;
  name: string;
  started: boolean;
  woken: boolean;
  due: number | undefined;
  ahead: number | undefined;
  /** Something of its queue runs. */
  isBusy: boolean;
  isServed: boolean;
}

/**
 * Why an invocation that is queued, or waits for an answer or a script-runner, does not run, and for how long yet; undefined for any
 * other. Its cost does not grow with the queue: all commands are bounded, or logarithmic.
 */
export async function explainWait(queues: Queues, invocation: StoredInvocation): Promise<QueuePlace | undefined> {
  const { status, steps, id } = invocation;
  if (status === 'waiting_external') {
    const asking = steps.filter((step) => step.status === 'waiting_external').map(({ index }) => `step ${index}`);
    return placeless(`an answer to ${asking.join(', ') || 'a step'}`);
  }
  if (status === 'running') return explainSuspended(queues, invocation);
  if (status !== 'queued') return undefined;
  const found = await Promise.all(QUEUE_NAMES.map((queue) => look(queues, queue, invocation.record.tenant, id)));
  const waiting = found.find((candidate) => candidate !== undefined);
  return waiting && describe(queues, waiting);
}

/** Of one that is parked until a script-runner takes a script of it. */
async function explainSuspended({ redis }: Queues, { steps }: StoredInvocation): Promise<QueuePlace | undefined> {
  const label = steps.find(({ waiting }) => waiting?.for === 'runner')?.waiting?.label;
  if (label === undefined) return undefined;
  const runner = `script-runner that offers '${label}'`;
  const isOffered = (await countConsumers(redis, scriptQueue(label))) > 0;
  return placeless(isOffered ? `a free ${runner}` : `a ${runner}: none is alive`);
}

function placeless(waitingFor: string): QueuePlace {
  return { position: null, ahead: null, etaMs: null, waitingFor };
}

/** Undefined where the job is in another queue. One round trip. */
async function look(queues: Queues, queue: QueueName, tenant: string, id: string): Promise<Waiting | undefined> {
  const { redis } = queues;
  const wait = keys.set(queue, 'wait');
  const index = statusSetKey(tenant, `waiting:${queue}`);
  const [job, due, rank, place, waits, active, earlier, consumers] = await Promise.all([
    redis.hmget(keys.job(queue, id), 'name', BULL_FIELD.starts, FIELD.suspended),
    redis.zscore(keys.set(queue, 'delayed'), id),
    redis.zrank(keys.set(queue, 'prioritized'), id),
    // From the end that is taken first.
    redis.lpos(wait, id, 'RANK', -1, 'MAXLEN', LOOKED_UP),
    redis.llen(wait),
    redis.llen(keys.set(queue, 'active')),
    redis.zlexcount(index, '-', `(${memberOf(id)}`),
    countConsumers(redis, queue),
  ]);
  const [name, started, suspended] = job;
  if (typeof name !== 'string') return undefined;
  return {
    queue,
    name,
    started: Number(started ?? 0) > 0,
    woken: suspended === 'woken',
    due: due === null ? undefined : timeOfScore(due),
    ahead: countAhead({ place, rank, waits, active, earlier }),
    isBusy: active > 0,
    isServed: consumers > 0,
  };
}

/** How many are taken before it: those without priority come first. Undefined where nobody knows that it waits. */
function countAhead(found: {
  place: number | null;
  rank: number | null;
  waits: number;
  active: number;
  earlier: number;
}): number | undefined {
  const { place, rank, waits, active, earlier } = found;
  if (rank !== null) return waits + rank;
  if (place !== null) return waits - 1 - place;
  if (waits <= LOOKED_UP) return undefined;
  // Of those that came earlier, as many as are in hand are not before it any more.
  return Math.min(Math.max(LOOKED_UP, earlier - active), waits - 1);
}

async function describe({ redis }: Queues, waiting: Waiting): Promise<QueuePlace> {
  const { queue, name, ahead, due, isBusy, isServed } = waiting;
  const [perSecond, usual = 0] = await Promise.all([throughputOf(redis, queue), medianMs(redis, name)]);
  const before = isBusy && ahead !== undefined ? ahead + 1 : ahead;
  const untilTurn = due === undefined ? turnMs(before, perSecond) : Math.max(0, due - Date.now());
  const known = isServed && untilTurn !== undefined;
  return {
    position: due === undefined && ahead !== undefined ? ahead + 1 : null,
    ahead: due === undefined ? (ahead ?? null) : null,
    waitingFor: reasonOf(waiting),
    etaMs: known ? Math.max(1, Math.round(untilTurn + usual)) : null,
  };
}

/** When so many have ended that must end before it: also the next in line waits for one that runs, where one does. */
function turnMs(before: number | undefined, perSecond: number | undefined): number | undefined {
  if (before === undefined) return undefined;
  if (before === 0) return 0;
  return perSecond === undefined ? undefined : (before / perSecond) * 1_000;
}

function reasonOf({ queue, started, woken, due, ahead, isServed }: Waiting): string {
  const consumer = CONSUMER[queue];
  const nobody = isServed ? '' : `; no ${consumer} is alive`;
  if (due !== undefined && !woken) {
    const at = new Date(due).toISOString();
    return (started ? `its next attempt, at ${at}` : `its time, ${at}`) + nobody;
  }
  if (!isServed) return `a ${consumer}: none is alive`;
  if (ahead === undefined && started) return `a ${consumer} to take it over from one that is gone`;
  if (ahead === undefined || ahead === 0) return `a free ${consumer}: it is the next`;
  return `a free ${consumer}: ${ahead} ${ahead === 1 ? 'is' : 'are'} before it in the queue`;
}

/** How much of a queue stands where, and how long its next in line has been there. */
export interface QueueDepth {
  queue: WorkQueue | typeof DELIVERIES;
  /** `later`: for a retry, a time, an answer. `owed`: deliveries of what has not ended yet. */
  jobs: { waiting: number; active: number; later: number; owed: number };
  /** Age of the one that is taken next, in ms; 0 where none waits. */
  oldestMs: number;
  /** How many processes take its jobs; of deliveries, the workers do. */
  consumers?: number;
}

/** The present depth of every queue: three round trips, whose cost does not depend on how much is in them. */
export async function readQueueDepths(queues: Queues): Promise<QueueDepth[]> {
  const work = [...QUEUE_NAMES, ...(await queues.labelled())];
  const depths = work.map(async (queue) => {
    const [depth, consumers] = await Promise.all([readDepth(queues, queue), countConsumers(queues.redis, queue)]);
    return { ...depth, consumers };
  });
  return Promise.all([...depths, readDepth(queues, DELIVERIES)]);
}

async function readDepth({ redis }: Queues, queue: QueueDepth['queue']): Promise<QueueDepth> {
  const [wait, prioritized, active, later, owed, [first], [urgent]] = await Promise.all([
    redis.llen(keys.set(queue, 'wait')),
    redis.zcard(keys.set(queue, 'prioritized')),
    redis.llen(keys.set(queue, 'active')),
    redis.zcard(keys.set(queue, 'delayed')),
    redis.zcard(keys.set(queue, 'waiting-children')),
    redis.lrange(keys.set(queue, 'wait'), -1, -1),
    redis.zrange(keys.set(queue, 'prioritized'), '0', '0'),
  ]);
  // Those without a priority go before all that have one.
  const next = first ?? urgent;
  const since = next === undefined ? null : await redis.hget(keys.job(queue, next), 'timestamp');
  return {
    queue,
    jobs: { waiting: wait + prioritized, active, later, owed },
    oldestMs: since === null ? 0 : Math.max(0, Date.now() - Number(since)),
  };
}
