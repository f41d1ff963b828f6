import { join } from 'node:path';
import { isInvocationId } from '@errand/contracts';
import type { ChainableCommander } from 'ioredis';
import { childrenOf } from '../consume/cancel.js';
import { readFailure } from '../consume/retry-policy.js';
import { repairRings } from '../fair/repair-rings.js';
import type { Queues } from '../redis/connect.js';
import { StatsSweep } from '../stats/stats-sweep.js';
import { changedKey, indexKeysOf, memberOf, statusSetKeys } from '../state/search-index.js';
import { loadScript } from '../redis/lua-script.js';
import { WaitRepair } from '../suspend/repair-waits.js';
import { FIELD } from '../redis/job-fields.js';
import { deliveryId, deliveryMember } from '../redis/job-ids.js';
import { keysOf, dataKeysOf, type Keys } from '../redis/names.js';
import { DELIVERIES, QUEUE_NAMES, type WorkQueue } from '../redis/queue-names.js';
import type { InvocationRecord } from '../state/record.js';

const OUTCOMES = ['completed', 'failed'] as const;
/** The size of one batch. Redis runs other commands between two batches. */
const BATCH = 100;
const SWEEP_MS = 1_000;
/** How often a process corrects the rings of waiting jobs and the index of waits. */
const REPAIR_MS = 60_000;
/** One process sweeps at a time. If it dies, its turn ends after this time. */
const TURN_MS = 30_000;

const LEAVE_BATCH = loadScript<null>(join(__dirname, 'leave-batch.lua'));

type EndedSet = (typeof OUTCOMES)[number];
/** A job and its queue. */
interface JobLocation {
  queue: WorkQueue | typeof DELIVERIES;
  id: string;
}
interface DueJob extends JobLocation {
  queue: WorkQueue;
  outcome: EndedSet;
}

/**
 * Removes ended invocations above the configured age or count, with everything that belongs to them, and sweeps the statistics. Each removal is one transaction, so
 * that an invocation exists with all its data or not at all. BullMQ can remove jobs as well, but does not report which ones.
 */
export class RetentionCleaner {
  private timer: NodeJS.Timeout | undefined;
  private sweeping: Promise<unknown> | undefined;
  private repairedAt = 0;
  private readonly waits: WaitRepair;
  private readonly stats: StatsSweep;

  constructor(
    private readonly queues: Queues,
    private readonly onError: (error: unknown) => void,
  ) {
    this.waits = new WaitRepair(queues);
    this.stats = new StatsSweep(queues);
  }

  start(): void {
    this.timer = setInterval(() => this.tick(), SWEEP_MS);
  }

  /** Resolves when no sweep runs. Does not wait while Redis is away. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.queues.unlessAway(this.sweeping ?? Promise.resolve());
  }

  /** Starts no second turn while one waits for Redis. */
  private tick(): void {
    this.sweeping ??= this.takeTurn()
      .catch(this.onError)
      .finally(() => (this.sweeping = undefined));
  }

  /** Sweeps, unless another process does. */
  private async takeTurn(): Promise<void> {
    const keys = keysOf(this.queues.redis);
    const { redis } = this.queues;
    if ((await redis.set(keys.sweep, 1, 'PX', TURN_MS, 'NX')) === null) return;
    await this.stats.sweep();
    await this.sweep();
    if (Date.now() - this.repairedAt >= REPAIR_MS) {
      this.repairedAt = Date.now();
      await repairRings(this.queues);
      await this.waits.run();
    }
    // The next turn of any process begins SWEEP_MS from now.
    await redis.pexpire(keys.sweep, SWEEP_MS - 100);
  }

  /** Removes all invocations that are due at `now` (ms) and returns their number. Takes two round trips if none is due. */
  async sweep(now = Date.now()): Promise<number> {
    let removed = 0;
    // Jobs that must stay are passed over, so that many of them do not stop the removal of the others.
    for (let from = 0; ;) {
      const due = await this.findDue(now, from);
      if (due.length === 0) return removed;
      const done = await Promise.all(due.map((job) => this.remove(job)));
      const count = done.filter(Boolean).length;
      removed += count;
      if (count === 0) from += BATCH;
    }
  }

  private async findDue(now: number, from: number): Promise<DueJob[]> {
    const keys = keysOf(this.queues.redis);
    const { redis, retention } = this.queues;
    const oldestKept = now - retention.ageSeconds * 1_000;
    const found = [...QUEUE_NAMES, ...(await this.queues.labelled())].flatMap((queue) =>
      OUTCOMES.map(async (outcome) => {
        const set = keys.ended(queue, outcome);
        const [size, oldest] = await Promise.all([
          redis.zcard(set),
          redis.zrange(set, `${from}`, `${from + BATCH - 1}`, 'WITHSCORES'),
        ]);
        const ids = oldest.filter((_, n) => n % 2 === 0);
        const due = ids.filter((_, n) => from + n < size - retention.count || Number(oldest[2 * n + 1]) <= oldestKept);
        return due.map((id) => ({ queue, outcome, id }));
      }),
    );
    return (await Promise.all(found)).flat();
  }

  /**
   * Returns false if the callback, or a push delivery, has had no attempt yet: only from the first failed attempt on, the delivery has its
   * message. Returns false for the calls of a turn as well, which are removed after the turn.
   */
  private async remove(job: DueJob): Promise<boolean> {
    const keys = keysOf(this.queues.redis);
    const { redis } = this.queues;
    const [[data = null, cancelled, failedReason, pushes], children, redeliveries] = await Promise.all([
      redis.hmget(keys.job(job.queue, job.id), 'data', FIELD.cancelRequestedAt, 'failedReason', FIELD.pushes),
      childrenOf(this.queues, job.id),
      redis.get(keys.redeliveries(job.id)),
    ]);
    const pushed = Object.values(JSON.parse(pushes ?? '{}') as Record<string, string>);
    if (await this.hasUnsent([deliveryId(job.id, 0), ...pushed])) return false;
    const repeated = Array.from({ length: Number(redeliveries ?? 0) + 1 }, (_, n) => deliveryId(job.id, n));
    const record = data === null ? undefined : (JSON.parse(data) as InvocationRecord);
    if (record?.parentTurn && (await this.exists(record.parentTurn.invocationId))) return false;
    const related = await this.onlyEnded([
      // The calls of a turn are an invocation of their own, which the next sweep removes.
      ...children.filter(({ id }) => !isInvocationId(id)),
      ...[...repeated, ...pushed].map((id) => ({ queue: DELIVERIES, id }) as const),
    ]);
    const multi = redis.multi();
    for (const gone of [job, ...related]) removeJob(multi, keys, gone);
    if (record && !record.parent) {
      removeFromIndex(multi, keys, job.id, record);
      removeFromDeliveries(multi, keys, record.tenant, repeated);
      const isCancelled = cancelled != null || (job.outcome === 'failed' && isCancel(failedReason));
      this.leaveBatch(multi, record, job, isCancelled);
    }
    multi.del(...dataKeysOf(keys, job.id), keys.redeliveries(job.id));
    for (const [error] of (await multi.exec()) ?? []) if (error) throw error;
    return true;
  }

  private leaveBatch(multi: ChainableCommander, { batch }: InvocationRecord, job: DueJob, isCancelled: boolean): void {
    const keys = keysOf(this.queues.redis);
    if (batch === undefined) return;
    const status = isCancelled ? 'cancelled' : job.outcome === 'completed' ? 'succeeded' : 'failed';
    LEAVE_BATCH.addTo(multi, [keys.batch(batch)], [job.id, status, this.queues.retention.ageSeconds]);
  }

  /** Whether one of these deliveries is open and has had no attempt of its present message. */
  private async hasUnsent(deliveries: readonly string[]): Promise<boolean> {
    const keys = keysOf(this.queues.redis);
    const fields = ['timestamp', 'finishedOn', 'atm'];
    const found = await Promise.all(
      deliveries.map((id) => this.queues.redis.hmget(keys.job(DELIVERIES, id), ...fields)),
    );
    return found.some(
      ([timestamp, finishedOn, failures]) => timestamp !== null && finishedOn === null && Number(failures ?? 0) === 0,
    );
  }

  private async exists(id: string): Promise<boolean> {
    const { redis } = this.queues.shardOf(id);
    const keys = keysOf(redis);
    return (await redis.exists(...QUEUE_NAMES.map((queue) => keys.job(queue, id)))) > 0;
  }

  /** The jobs that have ended. The others are removed after their end. */
  private async onlyEnded(jobs: readonly JobLocation[]): Promise<JobLocation[]> {
    const keys = keysOf(this.queues.redis);
    const { redis } = this.queues;
    const times = await Promise.all(jobs.map(({ queue, id }) => redis.hexists(keys.job(queue, id), 'finishedOn')));
    return jobs.filter((_, n) => times[n] === 1);
  }
}

/** Removes all keys that BullMQ keeps for an ended job. */
function removeJob(multi: ChainableCommander, keys: Keys, { queue, id }: JobLocation): void {
  const parts = ['', ':logs', ':dependencies', ':processed', ':failed', ':unsuccessful'];
  multi.del(...parts.map((part) => keys.job(queue, id) + part));
  for (const outcome of OUTCOMES) multi.zrem(keys.ended(queue, outcome), id);
}

/** The index sets of a job without a record are unknown. Lists remove its entries when they find them. */
function removeFromIndex(multi: ChainableCommander, keys: Keys, id: string, record: InvocationRecord): void {
  const all = [...statusSetKeys(keys, record.tenant), changedKey(keys, record.tenant), ...indexKeysOf(keys, record)];
  for (const key of all) multi.zrem(key, memberOf(id));
}

function removeFromDeliveries(multi: ChainableCommander, keys: Keys, tenant: string, ids: readonly string[]): void {
  for (const part of ['deliveries', 'deliveries-failed'] as const)
    multi.zrem(keys.deliveryIndex(tenant, part), ...ids.map(deliveryMember));
}

function isCancel(failedReason: string | null | undefined): boolean {
  return readFailure(failedReason ?? '').type === 'CancelledError';
}
