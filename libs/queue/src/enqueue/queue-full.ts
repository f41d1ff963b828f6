import type { Queues } from '../redis/connect.js';
import { keysOf } from '../redis/names.js';
import type { QueueName } from '../redis/queue-names.js';
import { throughputOf } from '../state/throughput.js';

/** A bound of a queue: the setting, and the invocations that it counts. */
const BOUNDS = {
  waiting: { setting: 'ERRAND_QUEUE_BOUND', held: 'invocations are ready in it' },
  delayed: { setting: 'ERRAND_DELAYED_BOUND', held: 'invocations with delayMs are not due yet' },
} as const;

/** The queue has as many invocations as one of its bounds allows. The submission was refused and left nothing behind. */
export class QueueFullError extends Error {
  constructor(
    readonly queue: QueueName,
    readonly reached: keyof typeof BOUNDS,
    readonly bound: number,
    /** After how many seconds a retry is likely to succeed. */
    readonly retryAfterSeconds: number,
  ) {
    const { setting, held } = BOUNDS[reached];
    super(
      `The queue '${queue}' is full: ${bound} ${held}, and nothing was accepted. ` +
        `Retry in ${retryAfterSeconds} s, or raise ${setting}`,
    );
    this.name = 'QueueFullError';
  }
}

/** A caller should wait until the queue has room for this part of its bound. */
const WORTHWHILE = 0.01;
const MAX_RETRY_AFTER_SECONDS = 300;
const UNKNOWN_RETRY_AFTER_SECONDS = 30;

/** The refusal of an invocation that would be ready. The time to wait comes from the recent throughput. */
export async function refuseWaiting({ redis, bounds }: Queues, queue: QueueName): Promise<QueueFullError> {
  const perSecond = await throughputOf(redis, queue);
  const seconds = perSecond === undefined ? UNKNOWN_RETRY_AFTER_SECONDS : (bounds.waiting * WORTHWHILE) / perSecond;
  return new QueueFullError(queue, 'waiting', bounds.waiting, wholeSeconds(seconds));
}

/** The refusal of an invocation with a delay. There is room when the first of the others is due. */
export async function refuseDelayed({ redis, bounds }: Queues, queue: QueueName): Promise<QueueFullError> {
  const keys = keysOf(redis);
  const [, due] = await redis.zrange(keys.submittedLater(queue), '0', '0', 'WITHSCORES');
  const seconds = due === undefined ? UNKNOWN_RETRY_AFTER_SECONDS : (Number(due) - Date.now()) / 1_000;
  return new QueueFullError(queue, 'delayed', bounds.delayed, wholeSeconds(seconds));
}

function wholeSeconds(seconds: number): number {
  return Math.min(Math.max(1, Math.ceil(seconds)), MAX_RETRY_AFTER_SECONDS);
}
