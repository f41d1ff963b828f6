import type { Queues } from '../redis/connect.js';
import { openConnection } from '../redis/primary-redis.js';
import type { Consumer, ConsumeOptions } from '../consume/consume.js';
import { ConsumerPresence } from '../consume/heartbeats.js';
import { rulesArgs, USUAL_RULES } from '../fair/fair-rules.js';
import type { JobProcessor } from '../bullmq/consumer-options.js';
import { ErrandConsumer } from '../bullmq/errand-consumer.js';
import { LockKeeper } from '../bullmq/lock-keeper.js';
import { prefixOf } from '../redis/names.js';
import { DELIVERIES } from '../redis/queue-names.js';
import type { Delivered, DeliveryRecord } from '../state/record.js';
import { deliveryEndOf, finishDeliveries, type DeliveryEnd } from './finish-deliveries.js';
import { ReceiverLimits } from './receiver-limits.js';
import { DeliveryFailed, DeliveryRunner, type PendingDelivery, type Sent } from './run-delivery.js';

/** The longest pause that a receiver may request with `Retry-After`. */
const MAX_RETRY_AFTER_MS = 86_400_000;
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
  const limits = new ReceiverLimits(options.perReceiver);
  const runner = new DeliveryRunner(
    { queues, locks, limits, onError: options.onError, storage: () => worker.storage },
    send,
  );
  const run: JobProcessor<DeliveryRecord, Delivered> = (job, token) => runner.run(job, token);
  const worker: ErrandConsumer<DeliveryRecord, Delivered, DeliveryEnd> = new ErrandConsumer(DELIVERIES, run, {
    locks,
    isIndexed: false,
    leanEndOf: deliveryEndOf,
    finishAndTake: (primary, taker, commit) => finishDeliveries(primary, taker, commit, limits),
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
