import { join } from 'node:path';
import { ErrorCode, type IRedisClient } from 'bullmq';
import { moveStalledJobsToWait } from 'bullmq/dist/cjs/scripts/index.js';
import type { Redis } from 'ioredis';
import { loadScript } from '../redis/lua-script.js';
import { keysOf } from '../redis/names.js';
import { DELIVERIES, type WorkQueue } from '../redis/queue-names.js';
import { LockLapsedError } from './held-lock.js';
import { asFunction } from './layout.js';

/** Live consumers reach Redis within this time after its start: they retry once a second. */
const RETURN_MS = 2_000;
const RENEWALS_PER_LOCK = 4;

/** The numbers of KEYS and ARGV of BullMQ's script. Those of Errand come after them. */
const BULL_KEYS = moveStalledJobsToWait.keys;
const BULL_ARGS = 4;

const RENEW = loadScript<number[]>(join(__dirname, 'renew-locks.lua'));
const CHECK_STALLED = loadScript<string[]>(join(__dirname, 'check-stalled.lua'), {
  constants: { 'bullmq.keys': BULL_KEYS, 'bullmq.args': BULL_ARGS, returnMs: RETURN_MS },
  functions: asFunction(moveStalledJobsToWait),
});

/** A job that this process runs. */
interface HeldJob {
  id: string;
  token: string;
  /** How often the job was started, with this start. Another number means that another process was given the job. */
  attempt: number;
}

/**
 * The locks of the jobs that one consumer runs. They are renewed as long as the process lives. They outlast pauses and restarts of Redis and
 * pauses of the process: a lapsed lock is taken again if no other process was given the job. The stalled check depends on these renewals
 * as the consumers' heartbeat.
 */
export class LockKeeper {
  private readonly held = new Set<HeldJob>();
  private readonly gapMs: number;
  private timer: NodeJS.Timeout | undefined;
  private isClosed = false;

  /** @param on `lost` is called for each job that another process has */
  constructor(
    private readonly redis: Redis,
    private readonly queue: WorkQueue | typeof DELIVERIES,
    private readonly lockMs: number,
    private readonly on: { lost: (job: HeldJob) => void; error: (error: Error) => void },
  ) {
    // After a gap that is not noticed, each lock has at least a quarter of its time left.
    this.gapMs = Math.ceil(lockMs / 2);
    this.schedule();
  }

  /** Keeps the lock of a job that was just taken. Returns a function that ends this. */
  keep(id: string, token: string, attempt: number): () => void {
    const job = { id, token, attempt };
    this.held.add(job);
    return () => void this.held.delete(job);
  }

  /** Gives up the lock of a job that another process has. Without this, a lapsed lock could be taken again to store an end. */
  giveUp(id: string, token: string): void {
    const job = this.find(id, token);
    if (job) this.held.delete(job);
  }

  /** Renews all locks now. Those of jobs that other processes have are given up. */
  async renewAll(): Promise<void> {
    await this.renew([...this.held]);
  }

  /** Whether the lock of a job is kept. */
  isHeld(id: string, token: string): boolean {
    return this.find(id, token) !== undefined;
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
  }

  /** Runs an action that needs the lock of a job. If the lock has lapsed and can be taken again, the action runs again. */
  async asHolder<T>(id: string, token: string, act: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await act();
      } catch (error) {
        if (!isLapsed(error) || !(await this.retake(id, token))) throw error;
      }
    }
  }

  /** Runs BullMQ's stalled check in the script that decides whether it may put jobs back. Returns their ids. */
  checkStalled(client: IRedisClient, given: readonly (string | number)[]): Promise<string[]> {
    const keys = keysOf(this.redis);
    const events = this.queue === DELIVERIES ? '' : keys.events('');
    return CHECK_STALLED.run(
      client as unknown as Redis,
      [...given.slice(0, BULL_KEYS).map(String), keys.pulse(this.queue)],
      [...given.slice(BULL_KEYS), this.lockMs, this.gapMs, events, new Date().toISOString()],
    );
  }

  private schedule(): void {
    this.timer = setTimeout(() => void this.beat(), this.lockMs / RENEWALS_PER_LOCK);
  }

  private async beat(): Promise<void> {
    await this.renew([...this.held]).catch(this.on.error);
    if (!this.isClosed) this.schedule();
  }

  /** Returns the jobs that other processes have, after reporting them. Their locks are kept no longer. */
  private async renew(jobs: readonly HeldJob[]): Promise<HeldJob[]> {
    const keys = keysOf(this.redis);
    const { redis, queue, lockMs, gapMs } = this;
    const lost = await RENEW.run(
      redis,
      [keys.set(queue, 'active'), keys.set(queue, 'stalled'), keys.pulse(queue)],
      [keys.job(queue, ''), lockMs, gapMs, ...jobs.flatMap(({ id, token, attempt }) => [id, token, attempt])],
    );
    // A job that has ended meanwhile is not held any more, and not lost.
    const gone = jobs.filter((job, n) => lost.includes(n) && this.held.delete(job));
    for (const job of gone) this.on.lost(job);
    return gone;
  }

  private find(id: string, token: string): HeldJob | undefined {
    return [...this.held].find((held) => held.id === id && held.token === token);
  }

  private async retake(id: string, token: string): Promise<boolean> {
    const job = this.find(id, token);
    return job !== undefined && (await this.renew([job])).length === 0;
  }
}

/** BullMQ's error, or that of a script of Errand. */
function isLapsed(error: unknown): boolean {
  if (error instanceof LockLapsedError) return true;
  return error instanceof Error && 'code' in error && error.code === ErrorCode.JobLockNotExist;
}
