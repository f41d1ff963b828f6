import type { DeliveryAttempt } from '@errand/contracts';
import { DelayedError, UnrecoverableError } from 'bullmq';
import type { Queues } from '../redis/connect.js';
import { openConnection } from '../redis/primary-redis.js';
import type { Consumer, ConsumeOptions } from '../consume/consume.js';
import { ConsumerPresence } from '../consume/heartbeats.js';
import { rulesArgs, USUAL_RULES } from '../fair/fair-rules.js';
import type { JobProcessor, JobStorage } from '../bullmq/consumer-options.js';
import { ErrandConsumer } from '../bullmq/errand-consumer.js';
import { LockKeeper } from '../bullmq/lock-keeper.js';
import type { TakenJob } from '../bullmq/taken-job.js';
import { isLast, readPushTurn, settlePush, type PushedStatus } from '../push/push-delivery.js';
import { webhookIdOf } from '../redis/job-ids.js';
import { keysOf, prefixOf } from '../redis/names.js';
import { DELIVERIES } from '../redis/queue-names.js';
import type { Delivered, DeliveryRecord } from '../state/record.js';
import { deferDelivery, ReceiverLimits, resumeDeferred } from './receiver-limits.js';

/** The longest pause that a receiver may request with `Retry-After`. */
const MAX_RETRY_AFTER_MS = 86_400_000;
/** The highest number of deferred deliveries that one free slot resumes: one for that slot, and one because a success raises the limit. */
const RESUMED_AT_ONCE = 2;
/** The death of a process is not the fault of a delivery, which stays pending until its schedule ends. */
const ANY_NUMBER_OF_DEATHS = 1_000_000;

export interface DeliveryOptions extends ConsumeOptions {
  /**
   * Returns the highest number of concurrent deliveries to one receiver (host and port). It can change with the shards. `concurrency` bounds all
   * receivers together.
   */
  perReceiver: () => number;
  /** The pause in ms after each failed attempt. When the list ends, the delivery has failed. */
  scheduleMs: readonly number[];
}

/** A delivery whose attempt is due. */
export interface PendingDelivery extends DeliveryRecord {
  id: string;
  webhookId: string;
  /** Of a push delivery: the status to send. */
  pushed?: PushedStatus;
}

/** The outcome of an attempt. `refused` ends the delivery, `failed` leads to another attempt, `skipped` means that nothing had to be sent. */
export type Sent =
  | { verdict: 'skipped' }
  | { verdict: 'delivered' | 'refused' | 'failed'; attempt: DeliveryAttempt; body?: string; retryAfterMs?: number };

/** Makes BullMQ schedule another attempt. */
class DeliveryFailed extends Error {
  constructor(
    message: string,
    readonly retryAfterMs: number,
  ) {
    super(message);
  }
}

/**
 * Runs `send` for each delivery that is due, and stores each attempt with the delivery. A delivery is deferred (a delayed job) while its
 * receiver is at its concurrency limit. Any process with a free slot for the receiver resumes it.
 */
export function consumeDeliveries(
  url: string,
  queues: Queues,
  options: DeliveryOptions,
  send: (delivery: PendingDelivery) => Promise<Sent>,
): Consumer {
  const redis = openConnection(url, 'patient', prefixOf(queues.redis));
  // A lost delivery needs no action here: another process sends it again, with the same `webhook-id`.
  const locks = new LockKeeper(redis, DELIVERIES, options.lockMs, { lost: () => {}, error: options.onError });
  const runner = new DeliveryRunner(queues, locks, options, send, () => worker.storage);
  const run: JobProcessor<DeliveryRecord, Delivered> = (job, token) => runner.run(job, token);
  const worker: ErrandConsumer<DeliveryRecord, Delivered> = new ErrandConsumer(DELIVERIES, run, {
    locks,
    isIndexed: false,
    fair: () => rulesArgs(options.fair ?? USUAL_RULES, presence.slots),
    allSlots: () => presence.slots,
    connection: redis,
    concurrency: options.concurrency,
    process: options.process,
    lockMs: options.lockMs,
    stalledMs: options.stalledMs,
    maxStalledCount: ANY_NUMBER_OF_DEATHS,
    pauseAfter: (attempts, error) => {
      const pause = options.scheduleMs[attempts - 1];
      const asked = error instanceof DeliveryFailed ? error.retryAfterMs : 0;
      return pause === undefined ? -1 : Math.max(pause, Math.min(asked, MAX_RETRY_AFTER_MS));
    },
    onError: options.onError,
  });
  const presence = new ConsumerPresence(redis, DELIVERIES, {
    slots: options.concurrency,
    lockMs: options.lockMs,
    takesJobs: () => worker.takesJobs,
    onError: options.onError,
  });
  return {
    close: async () => {
      await worker.drain(redis, presence.stop());
      redis.disconnect();
    },
    ready: async () => {
      await Promise.all([worker.waitUntilReady(), presence.ready()]);
    },
  };
}

type DeliveryJob = TakenJob<DeliveryRecord>;

class DeliveryRunner {
  private readonly limits: ReceiverLimits;

  constructor(
    private readonly queues: Queues,
    private readonly locks: LockKeeper,
    private readonly options: DeliveryOptions,
    private readonly send: (delivery: PendingDelivery) => Promise<Sent>,
    /** Waits while Redis is away, so that a message that was sent is not sent again. */
    private readonly storage: () => JobStorage,
  ) {
    this.limits = new ReceiverLimits(options.perReceiver);
  }

  async run(job: DeliveryJob, token: string): Promise<Delivered> {
    const receiver = new URL(job.data.callback.url).host;
    if (!this.limits.tryAcquire(receiver)) return this.deferDelivery(receiver, job, token);
    const begun = Date.now();
    let succeeded = true;
    try {
      if (job.data.push) return await this.pushNext(job, token);
      const sent = await this.send({ id: job.id, webhookId: webhookIdOf(job.data.invocationId), ...job.data });
      return await this.record(job, sent);
    } catch (error) {
      // A push delivery that waits for its next status has not failed.
      succeeded = error instanceof DelayedError;
      throw error;
    } finally {
      this.limits.release(receiver, succeeded, Date.now() - begun);
      await this.resumeNext(receiver);
    }
  }

  /** Sends the next status of a push delivery. Unless that was the last one, the delivery then waits or is due again. */
  private async pushNext(job: DeliveryJob, token: string): Promise<Delivered> {
    const id = job.id;
    const { invocationId } = job.data;
    const next = await readPushTurn(this.queues, id, invocationId);
    if (next === 'end') return { status: 'skipped' };
    if (next === 'wait') return this.settle(id, token, false);
    const { body, bodyOf, ...data } = job.data;
    const kept = body !== undefined && bodyOf === next.number && { body };
    const webhookId = `${id}.${next.number}`;
    const sent = await this.send({ id, webhookId, ...data, ...kept, pushed: next });
    const delivered = await this.record(job, sent, next.number);
    return isLast(next) ? delivered : this.settle(id, token, true);
  }

  private async settle(id: string, token: string, wasSent: boolean): Promise<never> {
    const idleMs = this.queues.retention.ageSeconds * 1_000;
    await this.locks.asHolder(id, token, () => settlePush(this.queues.redis, { id, token }, { wasSent, idleMs }));
    throw new DelayedError();
  }

  /** Resumes deliveries afterwards, because a slot may have become free meanwhile. */
  private async deferDelivery(receiver: string, job: DeliveryJob, token: string): Promise<never> {
    const owned = { id: job.id, token };
    const estimate = this.limits.estimateOf(receiver);
    await this.locks.asHolder(owned.id, token, () => deferDelivery(this.queues.redis, receiver, owned, estimate));
    await this.resumeNext(receiver);
    throw new DelayedError();
  }

  private async resumeNext(receiver: string): Promise<void> {
    const count = Math.min(this.limits.freeSlots(receiver), RESUMED_AT_ONCE);
    // A deferred delivery that is not resumed becomes due by its delay.
    if (count > 0) await resumeDeferred(this.queues.redis, receiver, count).catch(this.options.onError);
  }

  /** @throws UnrecoverableError, which ends the delivery; DeliveryFailed, which leads to another attempt */
  private async record(job: DeliveryJob, sent: Sent, bodyOf?: number): Promise<Delivered> {
    const keys = keysOf(this.queues.redis);
    // BullMQ copies the result of a child to its parent. The child has it already.
    await this.queues.redis.unlink(`${keys.job(DELIVERIES, job.id)}:processed`).catch(this.options.onError);
    if (sent.verdict === 'skipped') return { status: 'skipped' };
    const { verdict, attempt, body, retryAfterMs = 0 } = sent;
    await this.storage().addLog(job.id, JSON.stringify(attempt));
    if (verdict === 'delivered') return { status: 'delivered' };
    if (body !== undefined && (job.data.body === undefined || job.data.bodyOf !== bodyOf))
      await this.storage().updateData(job.id, { ...job.data, body, ...(bodyOf !== undefined && { bodyOf }) });
    const message = attempt.error ?? '';
    throw verdict === 'refused' ? new UnrecoverableError(message) : new DeliveryFailed(message, retryAfterMs);
  }
}
