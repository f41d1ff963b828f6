import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { requireHeld } from '../bullmq/held-lock.js';
import { TickBatcher } from '../enqueue/tick-batcher.js';
import { loadScript } from '../redis/lua-script.js';
import { keysOf } from '../redis/names.js';
import { DELIVERIES } from '../redis/queue-names.js';
import type { ReceiverEstimate, ReceiverLimits } from './receiver-limits.js';

/** The most deliveries that one run of the script defers. Redis runs other commands between two. */
const AT_ONCE = 50;

const DEFER = loadScript<(-1 | 0 | 1)[]>(join(__dirname, 'defer-deliveries.lua'));
const RESUME = loadScript<null>(join(__dirname, 'resume-deferred.lua'));

/** A running delivery whose receiver is busy. */
export interface BusyDelivery {
  id: string;
  token: string;
  receiver: string;
  estimate: ReceiverEstimate;
}

/** Moves running deliveries to the deferred ones of their receivers, and makes deferred ones due. */
export class DeferredDeliveries {
  private readonly batches: TickBatcher<BusyDelivery, -1 | 0 | 1>;

  /** @param onError called if deliveries could not be made due. They become due by their delay */
  constructor(
    private readonly redis: Redis,
    private readonly limits: Pick<ReceiverLimits, 'dueAfter'>,
    private readonly onError: (error: Error) => void,
  ) {
    const limit = { items: AT_ONCE, weight: AT_ONCE, weigh: () => 1 };
    this.batches = new TickBatcher((busy) => this.deferAll(busy), limit);
  }

  /**
   * Defers a delivery. Those of one tick of the event loop share one command.
   * @throws SupersededError if another process has the delivery; LockLapsedError
   */
  async defer(busy: BusyDelivery): Promise<void> {
    requireHeld(busy.id, await this.batches.do(busy));
  }

  /** Makes deferred deliveries of a receiver due, the oldest first, because `ended` of its deliveries have ended here. At most one command. */
  async resume(receiver: string, ended: number): Promise<void> {
    const count = this.limits.dueAfter(receiver, ended);
    if (count === 0) return;
    const keys = keysOf(this.redis);
    const sets = (['delayed', 'marker'] as const).map((set) => keys.set(DELIVERIES, set));
    await RESUME.run(this.redis, [keys.deferred(receiver), ...sets], [Date.now(), count]).catch(this.onError);
  }

  /** A slot may have become free meanwhile: the script that stored that end did not find these deliveries. */
  private async deferAll(busy: readonly BusyDelivery[]): Promise<(-1 | 0 | 1)[]> {
    const keys = keysOf(this.redis);
    const sets = (['stalled', 'active', 'delayed', 'marker'] as const).map((set) => keys.set(DELIVERIES, set));
    const fields = busy.flatMap(({ id, token, receiver, estimate: { limit, averageMs } }) => [
      id,
      token,
      keys.deferred(receiver),
      limit,
      averageMs,
    ]);
    const replies = await DEFER.run(this.redis, sets, [keys.job(DELIVERIES, ''), Date.now(), ...fields]);
    const receivers = new Set(busy.map(({ receiver }) => receiver));
    await Promise.all([...receivers].map((receiver) => this.resume(receiver, 0)));
    return replies;
  }
}
