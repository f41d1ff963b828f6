import type { DeliveryAttempt } from '@errand/contracts';
import { DelayedError, UnrecoverableError, type Job, type Processor } from 'bullmq';
import { connectPatiently, type Queues } from '../redis/connect.js';
import type { Consumer, ConsumeOptions } from '../consume/consume.js';
import { ReceiverLimits } from './receiver-limits.js';
import { ErrandWorker, type ErrandWorkerOptions } from '../bullmq/errand-worker.js';
import { LockKeeper } from '../bullmq/lock-keeper.js';
import { DELIVERIES, keys, PREFIX, webhookIdOf } from '../redis/names.js';
import type { Delivered, DeliveryRecord } from '../state/record.js';
import { resumeDeferred, deferDelivery } from './receiver-limits.js';

/** The longest that a receiver may ask to be left in peace. */
const MAX_RETRY_AFTER_MS = 86_400_000;
/** How many that wait aside are called when a place comes free. */
const CALLED_AT_ONCE = 2;
/** A death says nothing against a delivery: it is owed until its schedule ends. */
const ANY_NUMBER_OF_DEATHS = 1_000_000;

export interface DeliveryOptions extends ConsumeOptions {
  /** How many are sent to one receiver (host and port) at a time; `concurrency` bounds all of them together. */
  perReceiver: number;
  /** What passes after each failed attempt until the next, in ms; after the last of them the delivery is given up. */
  scheduleMs: readonly number[];
}

/** A delivery whose attempt is due. */
export interface PendingDelivery extends DeliveryRecord {
  id: string;
  webhookId: string;
}

/** What came of an attempt: `refused` ends the delivery, `failed` has it tried again, `skipped`: nothing was to be sent. */
export type Sent =
  | { verdict: 'skipped' }
  | { verdict: 'delivered' | 'refused' | 'failed'; attempt: DeliveryAttempt; body?: string; retryAfterMs?: number };

/** Says when to try again. */
class DeliveryFailed extends Error {
  constructor(
    message: string,
    readonly retryAfterMs: number,
  ) {
    super(message);
  }
}

/**
 * Runs `send` for each delivery that is due, and notes each attempt with the delivery. One whose receiver has all its places taken
 * waits aside, among the delayed jobs, and is called as soon as any process has a place for it.
 */
export function consumeDeliveries(
  url: string,
  queues: Queues,
  options: DeliveryOptions,
  send: (delivery: PendingDelivery) => Promise<Sent>,
): Consumer {
  const redis = connectPatiently(url);
  // Another process sends it then, too: with the same `webhook-id`.
  const locks = new LockKeeper(redis, DELIVERIES, options.lockMs, { lost: () => {}, error: options.onError });
  const runner = new DeliveryRunner(queues, locks, options, send);
  const workerOptions: ErrandWorkerOptions = {
    locks,
    isIndexed: false,
    connection: redis,
    prefix: PREFIX,
    concurrency: options.concurrency,
    lockDuration: options.lockMs,
    stalledInterval: options.stalledMs,
    maxStalledCount: ANY_NUMBER_OF_DEATHS,
    runRetryDelay: 1_000,
    settings: {
      backoffStrategy: (attempts, _type, error) => {
        const pause = options.scheduleMs[attempts - 1];
        const asked = error instanceof DeliveryFailed ? error.retryAfterMs : 0;
        return pause === undefined ? -1 : Math.max(pause, Math.min(asked, MAX_RETRY_AFTER_MS));
      },
    },
  };
  const run: Processor<DeliveryRecord, Delivered> = (job, token) => runner.run(job, token!);
  const worker = new ErrandWorker<DeliveryRecord, Delivered>(DELIVERIES, run, workerOptions);
  worker.on('error', options.onError);
  return {
    close: async () => {
      await worker.drain(redis);
      redis.disconnect();
    },
    ready: async () => {
      await worker.waitUntilReady();
    },
  };
}

type DeliveryJob = Job<DeliveryRecord, Delivered>;

class DeliveryRunner {
  private readonly places: ReceiverLimits;

  constructor(
    private readonly queues: Queues,
    private readonly locks: LockKeeper,
    private readonly options: DeliveryOptions,
    private readonly send: (delivery: PendingDelivery) => Promise<Sent>,
  ) {
    this.places = new ReceiverLimits(options.perReceiver);
  }

  async run(job: DeliveryJob, token: string): Promise<Delivered> {
    const receiver = new URL(job.data.callback.url).host;
    if (!this.places.take(receiver)) return this.deferDelivery(receiver, job, token);
    const begun = Date.now();
    let succeeded = false;
    try {
      const sent = await this.send({ id: job.id!, webhookId: webhookIdOf(job.data.invocationId), ...job.data });
      succeeded = sent.verdict === 'delivered' || sent.verdict === 'skipped';
      return await this.note(job, sent);
    } finally {
      this.places.leave(receiver, succeeded, Date.now() - begun);
      await this.callNext(receiver);
    }
  }

  /** A place may have come free meanwhile. */
  private async deferDelivery(receiver: string, job: DeliveryJob, token: string): Promise<never> {
    const owned = { id: job.id!, token };
    const pace = this.places.paceOf(receiver);
    await this.locks.asHolder(owned.id, token, () => deferDelivery(this.queues.redis, receiver, owned, pace));
    await this.callNext(receiver);
    throw new DelayedError();
  }

  /** One for the place that has come free, and one more where there is another: the places of a receiver grow while it answers. */
  private async callNext(receiver: string): Promise<void> {
    const count = Math.min(this.places.room(receiver), CALLED_AT_ONCE);
    // Whoever is not called comes by its time.
    if (count > 0) await resumeDeferred(this.queues.redis, receiver, count).catch(this.options.onError);
  }

  /** @throws what makes BullMQ try again, or give up */
  private async note(job: DeliveryJob, sent: Sent): Promise<Delivered> {
    // BullMQ hands a parent the result of its child, which is kept with the child already.
    await this.queues.redis.unlink(`${keys.job(DELIVERIES, job.id!)}:processed`).catch(this.options.onError);
    if (sent.verdict === 'skipped') return { status: 'skipped' };
    const { verdict, attempt, body, retryAfterMs = 0 } = sent;
    await job.log(JSON.stringify(attempt));
    if (verdict === 'delivered') return { status: 'delivered' };
    if (body !== undefined && job.data.body === undefined) await job.updateData({ ...job.data, body });
    const said = attempt.error ?? '';
    throw verdict === 'refused' ? new UnrecoverableError(said) : new DeliveryFailed(said, retryAfterMs);
  }
}
