import type { Queues } from '../redis/connect.js';
import type { QueueName } from '../redis/names.js';
import { throughputOf } from '../state/throughput.js';

/** Room for so large a part of the bound is worth coming back for. */
const WORTHWHILE = 0.01;
const LONGEST_SECONDS = 300;
/** Where no run is remembered, nobody knows. */
const UNKNOWN_SECONDS = 30;

/** A queue has as many waiting as it may: this submission was not taken, and left nothing. */
export class QueueFullError extends Error {
  constructor(
    readonly queue: QueueName,
    readonly bound: number,
    /** In how many seconds it may have room, by how quick it was lately. */
    readonly retryAfterSeconds: number,
  ) {
    super(
      `The queue '${queue}' holds as many as may wait in it (${bound}); nothing was accepted. ` +
        `Come back in ${retryAfterSeconds} s; ERRAND_QUEUE_BOUND sets the bound`,
    );
    this.name = 'QueueFullError';
  }
}

export async function refuse(queues: Queues, queue: QueueName): Promise<QueueFullError> {
  const perSecond = await throughputOf(queues.redis, queue);
  const seconds = perSecond === undefined ? UNKNOWN_SECONDS : Math.ceil((queues.bound * WORTHWHILE) / perSecond);
  return new QueueFullError(queue, queues.bound, Math.min(Math.max(1, seconds), LONGEST_SECONDS));
}
