import { ToolError } from '@errand/contracts';
import { DelayedError, type Job } from 'bullmq';
import { cancelJob } from './cancel-job.js';
import { endOf, type EndedJob } from './ended-job.js';
import { FailedTry, failedTry, type Tried } from './failed-try.js';
import { pauseOf, toJobError } from './failure-text.js';
import { ConsumerPresence } from './consumer-presence.js';
import { indexEnds } from './index-ends.js';
import { JobsInHand, type Marks } from './jobs-in-hand.js';
import { SupersededError } from './journal.js';
import { keepLocks } from './keep-locks.js';
import { layAside } from './large-result.js';
import { keys, labelOf, PREFIX, type WorkQueue } from './names.js';
import { ParkJob, parkJob } from './park-job.js';
import type { InvocationRecord, Outcome } from './record.js';
import { SeatedWorker } from './seated-worker.js';
import type { Seats } from './seats.js';
import { wakeWaiters } from './wake-waiters.js';

/** A job in hand. */
export interface Work {
  id: string;
  record: InvocationRecord;
  /** 1 for the first start; counts every start, also after a park or the death of a process. It fences what is written. */
  attempt: number;
  /** How many of the starts followed a park: those are no attempts. */
  parks: number;
  /** When it was started, in ms; of one that has been parked, when it was before that. */
  begunAt: number;
  /** Whether an earlier process died with this job in hand: what it did is not known. */
  afterCrash: boolean;
  /**
   * Fires when the job is no longer this process's to run: somebody cancelled it, or another process has taken it over. It may
   * have fired before the work begins: then there is only to stop what an earlier process has left behind.
   */
  signal: AbortSignal;
}

export interface ConsumeOptions {
  /** How many jobs at a time, at the most. */
  concurrency: number;
  /** Shared with other consumers of the process: a job is taken only where one of them is free. */
  seats?: Seats;
  /** A job whose process gives no sign of life for `lockMs` is free for others, who look every `stalledMs`. */
  lockMs: number;
  stalledMs: number;
  onError: (error: Error) => void;
  /** Is told of each job that this process has brought to its end. */
  onEnded?: (ended: EndedJob) => void;
}

export interface Consumer {
  /** Takes nothing new; resolves when what was in hand has ended and is stored. */
  close(): Promise<void>;
  ready(): Promise<void>;
}

type InvocationJob = Job<InvocationRecord, Outcome>;
type Handle = (work: Work) => Promise<Outcome>;

/**
 * Runs `handle` for each job of a queue. What it returns is stored as the outcome; a ParkJob that it throws puts the job aside; a
 * FailedTry says itself whether it is tried again; a ToolError is, where a retry may mend it and as often as the caller allows;
 * anything else thrown is a fault of the platform, and treated as such a one.
 * A job whose end is wished ends as cancelled, whatever `handle` still gives.
 */
export function consume(url: string, queue: WorkQueue, options: ConsumeOptions, handle: Handle): Consumer {
  const hands = new JobsInHand(url, queue, options.onError);
  const runner = new JobRunner(queue, hands, handle, options.onError);
  const { seats } = options;
  const worker = new SeatedWorker<InvocationRecord, Outcome>(
    queue,
    (job, token) => runner.run(job, token!),
    {
      connection: hands.redis,
      prefix: PREFIX,
      concurrency: options.concurrency,
      lockDuration: options.lockMs,
      stalledInterval: options.stalledMs,
      // One death is bad luck, a second one with the same job is the job.
      maxStalledCount: 1,
      // How soon a result is written again that Redis was not there to take.
      runRetryDelay: 1_000,
      settings: { backoffStrategy: (_attempts, _type, error) => pauseOf(error) },
    },
    keepLocks(hands.redis, options.lockMs, indexEnds),
    seats && { seats, passOn: () => hands.redis.zadd(keys.set(queue, 'marker'), 0, '0') },
  );
  const presence = new ConsumerPresence(hands.redis, queue, options.onError);
  worker.on('error', options.onError);
  worker.on('completed', (job) => options.onEnded?.(endOf(job)));
  worker.on('lockRenewalFailed', (ids) => ids.forEach((id) => hands.lose(id)));
  // Put back for a retry, it waits: a wish that came just before found it running, and nobody would look until its turn.
  worker.on('failed', (job) => {
    if (job?.finishedOn) options.onEnded?.(endOf(job));
    if (job && !job.finishedOn) cancelJob(hands.redis, queue, job, 'settle').catch(options.onError);
  });
  return {
    close: async () => {
      await worker.drain(hands.redis, presence.stop());
      hands.close();
    },
    ready: async () => {
      await Promise.all([worker.waitUntilReady(), hands.ready(), presence.ready()]);
    },
  };
}

class JobRunner {
  constructor(
    private readonly queue: WorkQueue,
    private readonly hands: JobsInHand,
    private readonly handle: Handle,
    private readonly onError: (error: Error) => void,
  ) {}

  async run(job: InvocationJob, token: string): Promise<Outcome> {
    const signal = this.hands.take(job.id!);
    let parks = 0;
    this.tellBegun(job.id!);
    try {
      const marks = await this.marksOf(job);
      parks = marks.parks;
      const outcome = await this.handle(workOf(job, marks, signal));
      signal.throwIfAborted();
      return await this.layAside(job, outcome);
    } catch (error) {
      const reason: unknown = signal.aborted ? signal.reason : error;
      if (reason instanceof SupersededError) throw reason;
      if (reason instanceof ParkJob) return await this.park(job, token, reason);
      const { failure, pauseMs } = judge(reason, { attempts: job.attemptsStarted - parks, asked: job.data.retry });
      throw toJobError(failure, pauseMs);
    } finally {
      this.hands.drop(job.id!);
    }
  }

  /** Who has asked for a script of a label waits for somebody to take it, most often parked. Its end would wake him, too. */
  private tellBegun(id: string): void {
    const told: Promise<unknown>[] = [this.hands.redis.publish(keys.news, id)];
    if (labelOf(this.queue) !== undefined) told.push(wakeWaiters(this.hands, id));
    Promise.all(told).catch(this.onError);
  }

  /** The script of a step gives its result to the invocation, which lays it aside. */
  private async layAside({ id, data, attemptsStarted }: InvocationJob, outcome: Outcome): Promise<Outcome> {
    if (data.parent) return outcome;
    const { maxResultChars } = data;
    return layAside(this.hands.redis, { id: id!, attempt: attemptsStarted, maxResultChars }, outcome);
  }

  /** Only a job that was begun before can have been parked, or wished away unseen; for a first start the look costs no time. */
  private async marksOf(job: InvocationJob): Promise<Marks> {
    if (job.attemptsStarted > 1) return this.hands.look(job.id!);
    this.hands.lookBeside(job.id!);
    return { parks: 0, begunAt: undefined };
  }

  private async park(job: InvocationJob, token: string, park: ParkJob): Promise<never> {
    await parkJob(this.hands.redis, this.queue, { id: job.id!, token, tenant: job.data.tenant }, park);
    throw new DelayedError();
  }
}

function workOf(job: InvocationJob, { parks, begunAt }: Marks, signal: AbortSignal): Work {
  return {
    id: job.id!,
    record: job.data,
    attempt: job.attemptsStarted,
    parks,
    begunAt: begunAt ?? job.processedOn!,
    afterCrash: job.stalledCounter > 0,
    signal,
  };
}

function judge(reason: unknown, tried: Tried): FailedTry {
  if (reason instanceof FailedTry) return reason;
  return failedTry(reason instanceof ToolError ? reason : faultOfOurs(reason), tried);
}

function faultOfOurs(error: unknown): ToolError {
  const said = error instanceof Error ? error.message : String(error);
  return new ToolError('ServiceError', `A fault of the platform: ${said}`);
}
