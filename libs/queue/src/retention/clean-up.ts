import type { ChainableCommander } from 'ioredis';
import { childrenOf } from '../consume/cancel.js';
import type { Queues } from '../redis/connect.js';
import { indexKeysOf, memberOf, statusSetKeys } from '../state/search-index.js';
import { DELIVERIES, deliveryId, keys, dataKeysOf, PREFIX, QUEUE_NAMES, type WorkQueue } from '../redis/names.js';
import type { InvocationRecord } from '../state/record.js';

const OUTCOMES = ['completed', 'failed'] as const;
/** How many are forgotten in one go: other commands pass between two. */
const AT_ONCE = 100;
const SWEEP_MS = 1_000;
/** Processes that share a Redis take turns; who dies in his turn loses it. */
const TURN_MS = 30_000;

type Outcome = (typeof OUTCOMES)[number];
interface Place {
  queue: WorkQueue | typeof DELIVERIES;
  id: string;
}
interface Due extends Place {
  queue: WorkQueue;
  outcome: Outcome;
}

/**
 * Removes ended invocations that are older than they are kept, or more than are kept, with everything that is there because of them.
 * BullMQ could remove the jobs, but nobody would hear which. Each goes in one transaction: it is there with all it has, or gone.
 */
export class RetentionCleaner {
  private timer: NodeJS.Timeout | undefined;
  private sweeping: Promise<unknown> | undefined;

  constructor(
    private readonly queues: Queues,
    private readonly onError: (error: unknown) => void,
  ) {}

  start(): void {
    this.timer = setInterval(() => this.tick(), SWEEP_MS);
  }

  /** Resolves when no turn is under way; does not wait for a Redis that is away. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    if (this.queues.redis.status === 'ready') await this.sweeping;
  }

  /** A turn that waits for Redis is not followed by others. */
  private tick(): void {
    this.sweeping ??= this.takeTurn()
      .catch(this.onError)
      .finally(() => (this.sweeping = undefined));
  }

  /** Forgets all that is due; one command where another process is at it. */
  private async takeTurn(): Promise<void> {
    const { redis } = this.queues;
    if ((await redis.set(keys.sweep, 1, 'PX', TURN_MS, 'NX')) === null) return;
    await this.sweep();
    // The next turn is a sweep's time from now, whoever takes it.
    await redis.pexpire(keys.sweep, SWEEP_MS - 100);
  }

  /** Forgets all that is due at `now` (ms); returns how many jobs that were. Two round trips where none is, of four commands a queue. */
  async sweep(now = Date.now()): Promise<number> {
    for (let forgotten = 0; ;) {
      const due = await this.findDue(now);
      const done = await Promise.all(due.map((job) => this.forget(job)));
      const count = done.filter(Boolean).length;
      if (count === 0) return forgotten;
      forgotten += count;
    }
  }

  private async findDue(now: number): Promise<Due[]> {
    const { redis, retention } = this.queues;
    const oldestKept = now - retention.ageSeconds * 1_000;
    const found = [...QUEUE_NAMES, ...(await this.queues.labelled())].flatMap((queue) =>
      OUTCOMES.map(async (outcome) => {
        const set = endedKey(queue, outcome);
        const [size, oldest] = await Promise.all([
          redis.zcard(set),
          redis.zrange(set, '0', `${AT_ONCE - 1}`, 'WITHSCORES'),
        ]);
        const ids = oldest.filter((_, n) => n % 2 === 0);
        const due = ids.filter((_, n) => n < size - retention.count || Number(oldest[2 * n + 1]) <= oldestKept);
        return due.map((id) => ({ queue, outcome, id }));
      }),
    );
    return (await Promise.all(found)).flat();
  }

  /** Unless its callback has not been tried yet: from the first try on the delivery holds what it tells. */
  private async forget(job: Due): Promise<boolean> {
    const { redis } = this.queues;
    if (await this.isUntold(job.id)) return false;
    const [data, children, again] = await Promise.all([
      redis.hget(keys.job(job.queue, job.id), 'data'),
      childrenOf(this.queues, job.id),
      redis.get(keys.redeliveries(job.id)),
    ]);
    const deliveries = Array.from({ length: Number(again ?? 0) + 1 }, (_, n) => deliveryId(job.id, n));
    const around = await this.ended([...children, ...deliveries.map((id) => ({ queue: DELIVERIES, id }) as const)]);
    const multi = redis.multi();
    for (const gone of [job, ...around]) removeJob(multi, gone);
    removeFromIndex(multi, job.id, data);
    multi.del(...dataKeysOf(job.id), keys.redeliveries(job.id));
    for (const [error] of (await multi.exec()) ?? []) if (error) throw error;
    return true;
  }

  private async isUntold(id: string): Promise<boolean> {
    const [there, finishedOn, attemptsMade] = await this.queues.redis.hmget(
      keys.job(DELIVERIES, deliveryId(id, 0)),
      'timestamp',
      'finishedOn',
      'atm',
    );
    return there !== null && finishedOn === null && Number(attemptsMade ?? 0) === 0;
  }

  /** Those of the jobs that have ended: what still runs, or is still owed, goes when it has. */
  private async ended(jobs: readonly Place[]): Promise<Place[]> {
    const { redis } = this.queues;
    const times = await Promise.all(jobs.map(({ queue, id }) => redis.hexists(keys.job(queue, id), 'finishedOn')));
    return jobs.filter((_, n) => times[n] === 1);
  }
}

function endedKey(queue: Place['queue'], outcome: Outcome): string {
  return `${PREFIX}:${queue}:${outcome}`;
}

/** All that BullMQ keeps of a job that has ended. */
function removeJob(multi: ChainableCommander, { queue, id }: Place): void {
  const parts = ['', ':logs', ':dependencies', ':processed', ':failed', ':unsuccessful'];
  multi.del(...parts.map((part) => keys.job(queue, id) + part));
  for (const outcome of OUTCOMES) multi.zrem(endedKey(queue, outcome), id);
}

/** Of a job whose record is gone, nobody knows where it is found: lists take out what they meet of it. */
function removeFromIndex(multi: ChainableCommander, id: string, data: string | null): void {
  if (data === null) return;
  const record = JSON.parse(data) as InvocationRecord;
  if (record.parent) return;
  for (const key of [...statusSetKeys(record.tenant), ...indexKeysOf(record)]) multi.zrem(key, memberOf(id));
}
