import type { DeliveryAttempt } from '@errand/contracts';
import { DelayedError, UnrecoverableError } from 'bullmq';
import type { JobStorage } from '../bullmq/consumer-options.js';
import type { LockKeeper } from '../bullmq/lock-keeper.js';
import type { TakenJob } from '../bullmq/taken-job.js';
import { isLast, readPushTurn, settlePush, type PushedStatus } from '../push/push-delivery.js';
import type { Queues } from '../redis/connect.js';
import { webhookIdOf } from '../redis/job-ids.js';
import { keysOf } from '../redis/names.js';
import { DELIVERIES } from '../redis/queue-names.js';
import type { Delivered, DeliveryRecord } from '../state/record.js';
import { DeferredDeliveries } from './deferred-deliveries.js';
import { receiverOf } from './finish-deliveries.js';
import type { ReceiverLimits } from './receiver-limits.js';

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
export class DeliveryFailed extends Error {
  constructor(
    message: string,
    readonly retryAfterMs: number,
  ) {
    super(message);
  }
}

type DeliveryJob = TakenJob<DeliveryRecord>;

interface RunnerNeeds {
  queues: Queues;
  locks: LockKeeper;
  limits: ReceiverLimits;
  onError: (error: Error) => void;
  /** Waits while Redis is away, so that a message that was sent is not sent again. */
  storage: () => JobStorage;
}

/** Runs the deliveries that a consumer has taken: sends each, unless its receiver is at its limit, and stores the attempt. */
export class DeliveryRunner {
  private readonly deferred: DeferredDeliveries;

  constructor(
    private readonly needs: RunnerNeeds,
    private readonly send: (delivery: PendingDelivery) => Promise<Sent>,
  ) {
    const { queues, limits, onError } = needs;
    this.deferred = new DeferredDeliveries(queues.redis, limits, onError);
  }

  async run(job: DeliveryJob, token: string): Promise<Delivered> {
    const receiver = receiverOf(job.data);
    if (!this.needs.limits.tryAcquire(receiver)) return this.defer(receiver, job, token);
    const begun = Date.now();
    try {
      const delivered = job.data.push ? await this.pushNext(job, token) : await this.sendOnce(job);
      this.needs.limits.release(receiver, true, Date.now() - begun);
      // `finishDeliveries` resumes others with the end. Only a delivery of an earlier version ends by BullMQ's script.
      if (!job.isLean) await this.deferred.resume(receiver, 1);
      return delivered;
    } catch (error) {
      // A push delivery that waits for its next status has not failed.
      this.needs.limits.release(receiver, error instanceof DelayedError, Date.now() - begun);
      await this.deferred.resume(receiver, 1);
      throw error;
    }
  }

  private async sendOnce(job: DeliveryJob): Promise<Delivered> {
    const sent = await this.send({ id: job.id, webhookId: webhookIdOf(job.data.invocationId), ...job.data });
    return this.record(job, sent);
  }

  /** Sends the next status of a push delivery. Unless that was the last one, the delivery then waits or is due again. */
  private async pushNext(job: DeliveryJob, token: string): Promise<Delivered> {
    const id = job.id;
    const { invocationId } = job.data;
    const next = await readPushTurn(this.needs.queues, id, invocationId);
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
    const idleMs = this.needs.queues.retention.ageSeconds * 1_000;
    await this.needs.locks.asHolder(id, token, () =>
      settlePush(this.needs.queues.redis, { id, token }, { wasSent, idleMs }),
    );
    throw new DelayedError();
  }

  private async defer(receiver: string, { id }: DeliveryJob, token: string): Promise<never> {
    const estimate = this.needs.limits.estimateOf(receiver);
    await this.needs.locks.asHolder(id, token, () => this.deferred.defer({ id, token, receiver, estimate }));
    throw new DelayedError();
  }

  /** @throws UnrecoverableError, which ends the delivery; DeliveryFailed, which leads to another attempt */
  private async record(job: DeliveryJob, sent: Sent, bodyOf?: number): Promise<Delivered> {
    if (sent.verdict === 'skipped') return { status: 'skipped' };
    const { verdict, attempt, body, retryAfterMs = 0 } = sent;
    const line = JSON.stringify(attempt);
    if (verdict === 'delivered' && !job.data.push) {
      job.logLine = line;
      return { status: 'delivered' };
    }
    // BullMQ copied the result of the child to its parent. The child has it already.
    await this.needs.queues.redis
      .unlink(`${keysOf(this.needs.queues.redis).job(DELIVERIES, job.id)}:processed`)
      .catch(this.needs.onError);
    await this.needs.storage().addLog(job.id, line);
    if (verdict === 'delivered') return { status: 'delivered' };
    if (body !== undefined && (job.data.body === undefined || job.data.bodyOf !== bodyOf))
      await this.needs.storage().updateData(job.id, { ...job.data, body, ...(bodyOf !== undefined && { bodyOf }) });
    const message = attempt.error ?? '';
    throw verdict === 'refused' ? new UnrecoverableError(message) : new DeliveryFailed(message, retryAfterMs);
  }
}
