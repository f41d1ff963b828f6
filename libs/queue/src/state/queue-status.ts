import { join } from 'node:path';
import { BULL_FIELD, timeOfScore } from '../bullmq/layout.js';
import type { QueuePause, QueuePlace } from '@errand/contracts';
import type { Queues } from '../redis/connect.js';
import { countConsumers } from '../consume/heartbeats.js';
import { countInLanes } from '../fair/show-ring.js';
import { describePause, readPause } from '../pause/pause-queue.js';
import { loadScript } from '../redis/lua-script.js';
import { FIELD } from '../redis/job-fields.js';
import { keysOf } from '../redis/names.js';
import { QUEUE_NAMES, scriptQueue, type QueueName, DELIVERIES, type WorkQueue } from '../redis/queue-names.js';
import { CONSUMER, explainHaltedScript, noConsumer } from './halted-queues.js';
import { throughputOf, medianMs } from './throughput.js';
import type { StoredInvocation } from './read-invocation.js';

/** BullMQ's waiting list is searched this far for a job that no lane has: one of an older version, or the next one. */
const MAX_SCANNED = 100_000;

const READ_PLACE = loadScript<number | null>(join(__dirname, '../fair/read-place.lua'));
const LIST_RING = loadScript<string[]>(join(__dirname, '../fair/list-ring.lua'));

/** The data of a waiting job. Times in ms. */
interface WaitingJob {
  queue: QueueName;
  name: string;
  started: boolean;
  woken: boolean;
  due: number | undefined;
  ahead: number | undefined;
  /** A job of its queue runs. */
  isBusy: boolean;
  isServed: boolean;
  pause: QueuePause | null;
}

/**
 * Explains why an invocation does not run, and estimates when it will end. Covers queued invocations, those that wait for an answer or a
 * script-runner, and running ones whose script waits in a queue that starts none; returns undefined for others. The cost is bounded: it grows
 * with the number of tenants that have work, up to 2,000.
 */
export async function explainWait(queues: Queues, invocation: StoredInvocation): Promise<QueuePlace | undefined> {
  const { status, steps, id } = invocation;
  if (status === 'waiting_external') {
    const asking = steps.filter((step) => step.status === 'waiting_external').map(({ index }) => `step ${index}`);
    return withoutPosition(`an answer to ${asking.join(', ') || 'a step'}`);
  }
  if (status === 'running') return explainScript(queues, invocation);
  if (status !== 'queued') return undefined;
  const found = await Promise.all(QUEUE_NAMES.map((queue) => readWaitingJob(queues, queue, id)));
  const waiting = found.find((candidate) => candidate !== undefined);
  return waiting && describe(queues, waiting);
}

/** For a running invocation whose script no script-runner has: it has not begun, or its runner has died. */
async function explainScript(queues: Queues, { id, steps }: StoredInvocation): Promise<QueuePlace | undefined> {
  const { redis } = queues;
  const label = steps.find(({ waiting }) => waiting?.for === 'runner')?.waiting?.label;
  if (label === undefined) {
    const reason = await explainHaltedScript(queues, id);
    return reason === undefined ? undefined : withoutPosition(reason);
  }
  const queue = scriptQueue(label);
  const pause = await readPause({ redis }, queue);
  if (pause) return withoutPosition(describePause(queue, pause));
  const isOffered = (await countConsumers(redis, queue)) > 0;
  return withoutPosition(isOffered ? `a free script-runner that offers '${label}'` : noConsumer(queue));
}

function withoutPosition(waitingFor: string): QueuePlace {
  return { position: null, ahead: null, etaMs: null, waitingFor };
}

/** Returns undefined if the job is in another queue. One round trip. */
async function readWaitingJob(queues: Queues, queue: QueueName, id: string): Promise<WaitingJob | undefined> {
  const keys = keysOf(queues.redis);
  const { redis } = queues;
  const wait = keys.set(queue, 'wait');
  const [job, due, rank, position, waits, active, inLane, consumers, pause] = await Promise.all([
    redis.hmget(keys.job(queue, id), 'name', BULL_FIELD.starts, FIELD.suspended),
    redis.zscore(keys.set(queue, 'delayed'), id),
    redis.zrank(keys.set(queue, 'prioritized'), id),
    // From the end with the next job.
    redis.lpos(wait, id, 'RANK', -1, 'MAXLEN', MAX_SCANNED),
    redis.llen(wait),
    redis.llen(keys.set(queue, 'active')),
    READ_PLACE.run(redis, [keys.job(queue, ''), keys.job(queue, id)], [id]),
    countConsumers(redis, queue),
    readPause({ redis }, queue),
  ]);
  const [name, started, suspended] = job;
  if (typeof name !== 'string') return undefined;
  return {
    queue,
    name,
    started: Number(started ?? 0) > 0,
    woken: suspended === 'woken',
    due: due === null ? undefined : timeOfScore(due),
    ahead: inLane ?? countAhead({ position, rank, waits }),
    isBusy: active > 0,
    isServed: consumers > 0,
    pause,
  };
}

/** The number of jobs that are taken before a job of BullMQ's own sets. Undefined if the job is in none. */
function countAhead({
  position,
  rank,
  waits,
}: {
  position: number | null;
  rank: number | null;
  waits: number;
}): number | undefined {
  if (rank !== null) return waits + rank;
  if (position !== null) return waits - 1 - position;
  return waits > MAX_SCANNED ? waits - 1 : undefined;
}

async function describe({ redis }: Queues, waiting: WaitingJob): Promise<QueuePlace> {
  const { queue, name, ahead, due, isBusy, isServed, pause } = waiting;
  const [perSecond, runMs = 0] = await Promise.all([throughputOf(redis, queue), medianMs(redis, name)]);
  const before = isBusy && ahead !== undefined ? ahead + 1 : ahead;
  const untilTurn = due === undefined ? turnMs(before, perSecond) : Math.max(0, due - Date.now());
  const known = isServed && !pause && untilTurn !== undefined;
  return {
    position: due === undefined && ahead !== undefined ? ahead + 1 : null,
    ahead: due === undefined ? (ahead ?? null) : null,
    waitingFor: reasonOf(waiting),
    etaMs: known ? Math.max(1, Math.round(untilTurn + runMs)) : null,
  };
}

/** The time until `before` jobs have ended, in ms. They include a running job if one exists. */
export function turnMs(before: number | undefined, perSecond: number | undefined): number | undefined {
  if (before === undefined) return undefined;
  if (before === 0) return 0;
  return perSecond === undefined ? undefined : (before / perSecond) * 1_000;
}

function reasonOf({ queue, started, woken, due, ahead, isServed, pause }: WaitingJob): string {
  const consumer = CONSUMER[queue];
  const ofPause = pause && describePause(queue, pause);
  const suffix = (isServed ? '' : `; no ${consumer} is alive`) + (ofPause ? `; then ${ofPause}` : '');
  if (due !== undefined && !woken) {
    const at = new Date(due).toISOString();
    return (started ? `its next attempt, at ${at}` : `its time, ${at}`) + suffix;
  }
  if (ofPause) return ofPause;
  if (!isServed) return noConsumer(queue);
  if (ahead === undefined && started) return `a ${consumer} to take it over from one that is gone`;
  if (ahead === undefined || ahead === 0) return `a free ${consumer}: it is the next`;
  return `a free ${consumer}: ${ahead} ${ahead === 1 ? 'is' : 'are'} before it in the queue`;
}

/** The numbers of jobs of a queue by state, and the age of its next job. */
interface QueueDepth {
  queue: WorkQueue | typeof DELIVERIES;
  /** `later`: delayed jobs, which wait for a retry, a time or an answer. `owed`: deliveries whose invocation has not ended. */
  jobs: { waiting: number; active: number; later: number; owed: number };
  /** The age of the next job in ms; 0 if none waits. */
  oldestMs: number;
  /** The number of its consumers. Absent for deliveries, which workers take. */
  consumers?: number;
}

/** The present depth of every queue. Takes three round trips; the cost does not depend on the depth. */
export async function readQueueDepths(queues: Queues): Promise<QueueDepth[]> {
  const work = [...QUEUE_NAMES, ...(await queues.labelled())];
  const depths = work.map(async (queue) => {
    const [depth, consumers] = await Promise.all([readDepth(queues, queue), countConsumers(queues.redis, queue)]);
    return { ...depth, consumers };
  });
  return Promise.all([...depths, readDepth(queues, DELIVERIES)]);
}

/** The present depth of one queue. Two round trips. */
export async function readDepth({ redis }: Pick<Queues, 'redis'>, queue: QueueDepth['queue']): Promise<QueueDepth> {
  const keys = keysOf(redis);
  const prefix = keys.job(queue, '');
  const [wait, prioritized, active, later, owed, [first], [urgent], inLanes, [fair]] = await Promise.all([
    redis.llen(keys.set(queue, 'wait')),
    redis.zcard(keys.set(queue, 'prioritized')),
    redis.llen(keys.set(queue, 'active')),
    redis.zcard(keys.set(queue, 'delayed')),
    redis.zcard(keys.set(queue, 'waiting-children')),
    redis.lrange(keys.set(queue, 'wait'), -1, -1),
    redis.zrange(keys.set(queue, 'prioritized'), '0', '0'),
    countInLanes(redis, prefix),
    LIST_RING.run(redis, [prefix], [0, 1]),
  ]);
  // BullMQ's own sets are taken first.
  const next = first ?? urgent ?? fair;
  const since = next === undefined ? null : await redis.hget(keys.job(queue, next), 'timestamp');
  return {
    queue,
    jobs: { waiting: wait + prioritized + inLanes, active, later, owed },
    oldestMs: since === null ? 0 : Math.max(0, Date.now() - Number(since)),
  };
}
