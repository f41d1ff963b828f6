import { randomUUID } from 'node:crypto';
import { isNotConnectionError } from 'bullmq';
import type { Redis } from 'ioredis';
import { keysOf, prefixOf } from '../redis/names.js';
import type { DELIVERIES, WorkQueue } from '../redis/queue-names.js';
import { BullQueue } from './bull-queue.js';
import { ConsumerSlots } from './consumer-slots.js';
import { asError } from './end-by-bullmq.js';
import { END_CODE, type LeanEnd, type QueueState } from './finish-and-take.js';
import type { ConsumerOptions, JobProcessor, JobStorage } from './consumer-options.js';
import { JobEnds, type PendingEnd } from './job-ends.js';
import { JobRuns } from './job-runs.js';
import { JOBS_WAIT } from './layout.js';
import { TakenJob, type TakenFields } from './taken-job.js';

/*
 * A consumer is in one of these states:
 *
 * - looking: jobs may wait (`mayTake`). The next call takes as many as there are free slots, or as may start now beside a light tenant.
 * - full: no slot is free. The call that ends a job also takes the next one.
 * - blocking: no job waits. It blocks on BullMQ's marker. Calls that end jobs take none meanwhile.
 * - resting: a call has failed. It looks again after a pause.
 *
 * One call is on its way at a time, so that the ends of its round trip go together in the next one. Heavy ends do not wait for it.
 */

/** The pause before the next look after a failed call. */
const REST_MS = 1_000;
/** An idle consumer looks for jobs at least every 13 s: after the longest wait for a marker, and the grace of a lost connection. */
const LOOKS_MS = 15_000;

/**
 * A consumer of a BullMQ queue. One script ends the jobs that ended in a turn of the event loop and takes the next ones. A job that needs
 * more, for example a retry, is ended by BullMQ's own scripts.
 */
export class ErrandConsumer<Data, Result, End extends LeanEnd = LeanEnd> {
  private readonly name: string;
  private readonly queue: BullQueue;
  private readonly slots: ConsumerSlots;
  private readonly ends: JobEnds<Data, End>;
  private readonly runs: JobRuns<Data, Result, End>;
  private calls = 0;
  private mayTake = true;
  private state: QueueState = 'more';
  private due = 0;
  /** When Redis last answered to a look for jobs, or gave a marker (ms). */
  private lookedAt = Date.now();
  private isScheduled = false;
  private isCalling = false;
  private isBlocking = false;
  private isResting = false;
  private closing: Promise<void> | undefined;
  private onIdle: (() => void) | undefined;
  private stalledTimer: NodeJS.Timeout | undefined;

  constructor(
    private readonly queueName: WorkQueue | typeof DELIVERIES,
    process: JobProcessor<Data, Result>,
    private readonly options: ConsumerOptions<Data, End>,
  ) {
    const { connection, lockMs, stalledMs, maxStalledCount, pauseAfter, locks, isIndexed, fair, onError } = options;
    this.name = options.process === undefined ? randomUUID() : `${options.process}/${randomUUID()}`;
    const settings = {
      connection,
      prefix: prefixOf(connection),
      blockingConnection: true,
      lockDuration: lockMs,
      stalledInterval: stalledMs,
      maxStalledCount,
      settings: { backoffStrategy: (attempts: number, _type?: string, error?: Error) => pauseAfter(attempts, error) },
    };
    this.queue = new BullQueue(queueName, settings, { isIndexed, locks, fair });
    this.queue.on('error', onError);
    const proceed = () => this.proceed();
    this.slots = new ConsumerSlots({ ...options, onChange: proceed, onNoneShared: () => this.publishMarker() });
    this.ends = new JobEnds(this.queue, options, proceed, (ends) => this.send(ends, 0));
    this.runs = new JobRuns(process, options, {
      slots: this.slots,
      ends: this.ends,
      othersWait: () => this.mayTake,
      onChange: proceed,
      onError: (error) => this.report(error),
    });
    void this.checkStalled();
    this.proceed();
  }

  get storage(): JobStorage {
    return this.queue;
  }

  /** Whether it takes jobs: it has looked for some lately, or all slots are taken. */
  get takesJobs(): boolean {
    return !this.slots.isFree || Date.now() - this.lookedAt < LOOKS_MS;
  }

  /** Resolves when it is connected. */
  async waitUntilReady(): Promise<void> {
    await this.queue.waitUntilReady();
  }

  /** Resolves with the result of `wait`. The job holds no slot meanwhile, and another job can take it. */
  waitWithoutSlot<T>(id: string, wait: Promise<T>): Promise<T> {
    return this.slots.slotless.wait(id, wait);
  }

  /** Takes no more jobs. Resolves when the running jobs have ended and their end is stored. */
  close(): Promise<void> {
    this.closing ??= this.finish();
    return this.closing;
  }

  /**
   * Closes, and resolves when also `last` has settled. An idle consumer does not wait for a Redis that is away: its connections have ended
   * as well.
   */
  async drain(redis: Redis, ...last: Promise<unknown>[]): Promise<void> {
    await Promise.race([Promise.all([this.close(), ...last]), this.untilNothingToStore(redis)]);
    this.options.locks.close();
  }

  private async finish(): Promise<void> {
    clearTimeout(this.stalledTimer);
    const idle = new Promise<void>((resolve) => (this.onIdle = resolve));
    await this.queue.stopBlocking().catch((error: unknown) => this.report(error));
    this.proceed();
    await idle;
    await this.queue.close().catch((error: unknown) => this.report(error));
  }

  /** Resolves when Redis is away and no job is unfinished. An unfinished job stays so until Redis is back. */
  private untilNothingToStore(redis: Redis): Promise<void> {
    return new Promise((resolve) => {
      const check = () => {
        if (this.runs.areStored && redis.status !== 'ready') resolve();
      };
      redis.on('close', check);
      check();
    });
  }

  private async checkStalled(): Promise<void> {
    await this.queue.checkStalled().catch((error: unknown) => this.report(error));
    if (!this.closing) this.stalledTimer = setTimeout(() => void this.checkStalled(), this.options.stalledMs);
  }

  /** Makes the next step of the consumer, if it can make one. Called after each change of its state. */
  private proceed(): void {
    if (this.isScheduled || this.isCalling) return;
    const looks = this.mayTake && !this.closing && this.slots.isFree && this.runs.mayTake() > 0;
    if (looks || !this.ends.isEmpty) {
      this.isScheduled = true;
      setImmediate(() => this.call());
    } else if (this.closing) {
      this.slots.dropPermit();
      if (this.runs.areStored) this.onIdle?.();
    } else if (!this.mayTake && !this.isBlocking && !this.isResting && this.slots.isFree) void this.block();
  }

  /** Ends what has ended, and takes what it may take. */
  private call(): void {
    this.isScheduled = false;
    const ends = this.ends.next();
    const looks = this.mayTake || (ends.length > 0 && (!this.isBlocking || this.state === 'paused'));
    const most = looks && !this.closing ? this.runs.mayTake() : 0;
    const wanted = most > 0 ? this.slots.claim(most) : 0;
    this.slots.dropPermit();
    if (ends.length > 0 || wanted > 0) void this.commit(ends, wanted);
    else this.proceed();
  }

  private async commit(ends: PendingEnd<Data, End>[], wanted: number): Promise<void> {
    this.isCalling = true;
    const taken = await this.send(ends, wanted);
    this.isCalling = false;
    this.slots.giveBack(wanted - taken);
    this.proceed();
  }

  /** Returns the number of jobs that it has taken and started. */
  private async send(ends: PendingEnd<Data, End>[], wanted: number): Promise<number> {
    const call = `${this.name}:${this.calls++}`;
    const [now, askedAt] = [Date.now(), performance.now()];
    const { queueName: queue, name: consumer } = this;
    const { connection, lockMs } = this.options;
    const { concurrency, allSlots, fair, finishAndTake } = this.options;
    const portion = Math.min(1, concurrency / allSlots());
    const commit = { call, now, ends: ends.map(({ ending }) => ending), wanted, portion, rules: fair() };
    try {
      const reply = await finishAndTake(connection, { queue, consumer, lockMs }, commit);
      if (wanted > 0) this.note(reply.state, reply.nextDue);
      const isLimited = reply.state === 'limited' && wanted > 0;
      const taken = isLimited ? await this.takeLimited(call) : reply.taken;
      for (const [n, end] of ends.entries()) this.ends.settle(end, reply.codes[n] ?? END_CODE.other, now);
      return await this.runs.startAll(
        taken.map((fields) => new TakenJob<Data>(fields, call, now, isLimited ? undefined : askedAt)),
        now,
      );
    } catch (error) {
      this.report(error);
      // One job may be the reason. BullMQ's script ends each by itself, and waits while Redis is away.
      for (const end of ends) this.ends.settle(end, END_CODE.other, now);
      if (wanted > 0) this.rest();
      return 0;
    }
  }

  /** A rate limited queue gives one job at a time, by BullMQ's script. */
  private async takeLimited(call: string): Promise<TakenFields[]> {
    const { taken, pauseMs } = await this.queue.takeLimited(call);
    this.mayTake = taken.length > 0;
    if (pauseMs > 0) this.rest(pauseMs);
    return taken;
  }

  private note(state: QueueState, nextDue: number): void {
    this.lookedAt = Date.now();
    this.state = state;
    this.due = nextDue;
    this.mayTake = state === 'more';
  }

  private rest(ms = REST_MS): void {
    this.isResting = true;
    this.mayTake = false;
    setTimeout(() => {
      this.isResting = false;
      this.mayTake = true;
      this.proceed();
    }, ms);
  }

  private async block(): Promise<void> {
    this.isBlocking = true;
    try {
      for (;;) {
        this.due = await this.queue.untilMarker(this.due);
        if (this.due === 0 || this.closing) break;
        this.lookedAt = Date.now();
      }
    } catch (error) {
      this.report(error);
      if (!this.closing) this.rest();
    }
    this.isBlocking = false;
    if (this.closing || this.isResting) return;
    this.mayTake = true;
    if (this.slots.free <= 0) this.publishMarker();
    this.proceed();
  }

  /** Another consumer may have a free slot for the jobs that wait. */
  private publishMarker(): void {
    const { connection } = this.options;
    const marker = keysOf(connection).set(this.queueName, 'marker');
    const { score, member } = JOBS_WAIT;
    connection.zadd(marker, score, member).catch((error: unknown) => this.report(error));
  }

  /** A lost connection is no error of the consumer: it comes back, or the process is closing. */
  private report(thrown: unknown): void {
    const error = asError(thrown);
    if (isNotConnectionError(error)) this.options.onError(error);
  }
}
