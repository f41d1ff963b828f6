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
import { keysOf, dataKeysOf, type Keys } from '../redis/names.js';
import { DELIVERIES, type WorkQueue } from '../redis/queue-names.js';
import type { InvocationRecord } from '../state/record.js';
import { BATCH, findDue, readSets, storePlace, type EndedSet, type SweptSet } from './due-jobs.js';
import { deliveriesOf, hasUnsent, isScriptOfOpen, isStored } from './must-stay.js';
import { removeDelivery, removeFromDeliveries, removeJob, type JobLocation } from './remove-job.js';

/** How many jobs of a set that must stay one sweep looks at. Thousands may stay for long, for example while no callback is sent. */
const MOST_PASSED = 1_000;
/** How often ended jobs are swept, by default. */
const SWEEP_MS = 1_000;
/** How often one of the processes corrects the rings of waiting jobs, and each of them the index of waits. */
const REPAIR_MS = 60_000;
/** One process sweeps at a time. If it dies, its turn ends after this time. */
const TURN_MS = 30_000;

const LEAVE_BATCH = loadScript<null>(join(__dirname, 'leave-batch.lua'));

type DueJob = EndedSet & { queue: WorkQueue; id: string };

/**
 * Removes ended invocations above the configured age or count, with everything that belongs to them, and sweeps the statistics. Each removal is one transaction, so
 * that an invocation exists with all its data or not at all. BullMQ can remove jobs as well, but does not report which ones.
 */
export class RetentionCleaner {
  private timer: NodeJS.Timeout | undefined;
  private sweeping: Promise<unknown> | undefined;
  private repairedAt = 0;
  private everyMs = SWEEP_MS;
  private readonly waits: WaitRepair;
  private readonly stats: StatsSweep;

  constructor(
    private readonly queues: Queues,
    private readonly onError: (error: unknown) => void,
  ) {
    this.waits = new WaitRepair(queues);
    this.stats = new StatsSweep(queues);
  }

  /** @param everyMs how often one of the processes sweeps */
  start(everyMs = SWEEP_MS): void {
    this.everyMs = everyMs;
    this.timer = setInterval(() => this.tick(), everyMs);
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
      if ((await redis.set(keys.repair, 1, 'PX', REPAIR_MS, 'NX')) !== null) await repairRings(this.queues);
      await this.waits.run();
    }
    // The next turn of any process begins `everyMs` from now.
    await redis.pexpire(keys.sweep, this.everyMs - 100);
  }

  /**
   * Removes the invocations that are due at `now` (ms), then the deliveries that ended long after their invocations. Returns the number of both. It
   * passes over those that must stay, about 1,000 of each set, and the next sweep goes on behind them. Takes three round trips if nothing is due.
   */
  async sweep(now = Date.now()): Promise<number> {
    const sets = await readSets(this.queues);
    const sweep = (some: readonly SweptSet[]) => Promise.all(some.map((set) => this.sweepSet(set, now)));
    const invocations = await sweep(sets.filter(({ queue }) => queue !== DELIVERIES));
    const deliveries = await sweep(sets.filter(({ queue }) => queue === DELIVERIES));
    return [...invocations, ...deliveries].reduce((sum, count) => sum + count, 0);
  }

  private async sweepSet(set: SweptSet, now: number): Promise<number> {
    let removed = 0;
    let place = set.from;
    let due: string[];
    do {
      due = await findDue(this.queues, set, now, place);
      const { queue, outcome } = set;
      const done = await Promise.all(
        due.map((id) =>
          queue === DELIVERIES ? removeDelivery(this.queues, id) : this.removeInvocation({ queue, outcome, id }),
        ),
      );
      const count = done.filter(Boolean).length;
      removed += count;
      place += due.length - count;
    } while (due.length === BATCH && place - set.from < MOST_PASSED);
    await storePlace(this.queues, set, due.length < BATCH ? 0 : place);
    return removed;
  }

  /** Returns false for a job that must stay. The calls of a turn must stay while the turn is stored. */
  private async removeInvocation(job: DueJob): Promise<boolean> {
    const { queues } = this;
    const { redis } = queues;
    const keys = keysOf(redis);
    if (await isScriptOfOpen(queues, job.id)) return false;
    const { callback, pushed } = await deliveriesOf(queues, job.queue, job.id);
    if (await hasUnsent(queues, [...callback, ...pushed])) return false;
    const [[data = null, cancelled, failedReason], children] = await Promise.all([
      redis.hmget(keys.job(job.queue, job.id), 'data', FIELD.cancelRequestedAt, 'failedReason'),
      childrenOf(queues, job.id),
    ]);
    const record = data === null ? undefined : (JSON.parse(data) as InvocationRecord);
    if (record?.parentTurn && (await isStored(queues, record.parentTurn.invocationId))) return false;
    const related = await this.onlyEnded([
      // The calls of a turn are an invocation of their own, which the next sweep removes.
      ...children.filter(({ id }) => !isInvocationId(id)),
      ...[...callback, ...pushed].map((id) => ({ queue: DELIVERIES, id }) as const),
    ]);
    const multi = redis.multi();
    for (const gone of [job, ...related]) removeJob(multi, keys, gone);
    if (record && !record.parent) {
      removeFromIndex(multi, keys, job.id, record);
      removeFromDeliveries(multi, keys, record.tenant, callback);
      const isCancelled = cancelled != null || (job.outcome === 'failed' && isCancel(failedReason));
      this.leaveBatch(multi, record, job, isCancelled);
    }
    // A failed script leaves its progress, and the mark of a script that may take effect only once.
    const ofScripts = related.flatMap(({ queue, id }) =>
      queue === DELIVERIES ? [] : [keys.journal(id), keys.events(id)],
    );
    multi.del(...dataKeysOf(keys, job.id), keys.redeliveries(job.id), ...ofScripts);
    for (const [error] of (await multi.exec()) ?? []) if (error) throw error;
    return true;
  }

  private leaveBatch(multi: ChainableCommander, { batch }: InvocationRecord, job: DueJob, isCancelled: boolean): void {
    const keys = keysOf(this.queues.redis);
    if (batch === undefined) return;
    const status = isCancelled ? 'cancelled' : job.outcome === 'completed' ? 'succeeded' : 'failed';
    LEAVE_BATCH.addTo(multi, [keys.batch(batch)], [job.id, status, this.queues.retention.ageSeconds]);
  }

  /** The jobs that have ended. The others are removed after their end. */
  private async onlyEnded(jobs: readonly JobLocation[]): Promise<JobLocation[]> {
    const keys = keysOf(this.queues.redis);
    const { redis } = this.queues;
    const times = await Promise.all(jobs.map(({ queue, id }) => redis.hexists(keys.job(queue, id), 'finishedOn')));
    return jobs.filter((_, n) => times[n] === 1);
  }
}

/** The index sets of a job without a record are unknown. Lists remove its entries when they find them. */
function removeFromIndex(multi: ChainableCommander, keys: Keys, id: string, record: InvocationRecord): void {
  const all = [...statusSetKeys(keys, record.tenant), changedKey(keys, record.tenant), ...indexKeysOf(keys, record)];
  for (const key of all) multi.zrem(key, memberOf(id));
}

function isCancel(failedReason: string | null | undefined): boolean {
  return readFailure(failedReason ?? '').type === 'CancelledError';
}
