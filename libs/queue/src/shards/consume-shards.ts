import { Semaphore } from '@errand/contracts';
import { consumeDeliveries as deliver } from '../callbacks/consume-deliveries.js';
import { consume as consumeOne, type Consumer, type ConsumeOptions } from '../consume/consume.js';
import type { Handle, Work } from '../consume/run-job.js';
import type { Queues } from '../redis/connect.js';
import type { WorkQueue } from '../redis/queue-names.js';
import { extendAttachments } from './place-attachments.js';

/**
 * Consumes a queue of all shards of `queues` with one set of slots, also of those that come later. Without shards, it is `consume` of the
 * queue library.
 */
export function consume(
  url: string,
  queue: WorkQueue,
  { queues, ...given }: ConsumeOptions & { queues?: Queues },
  handle: Handle,
): Consumer {
  if (!queues) return consumeOne(url, queue, given, handle);
  const options: ConsumeOptions = {
    ...given,
    keepAttachments: (record, waitMs) => extendAttachments(queues, record, waitMs),
  };
  const slots = options.slots ?? new Semaphore(options.concurrency);
  return new ShardConsumers(queues, ({ keyspace, shards }) => {
    if (!shards) return consumeOne(url, queue, options, handle);
    // One job at a time would cost scripts of its own. Half of the free slots leave some for the shards that look at the same time.
    const slotsPart = options.slots ? 0 : 0.5;
    const shared = { ...options, slots, slotsPart, keyspace };
    return consumeOne(url, queue, shared, (work) => handle(withSharedSlot(work, slots)));
  });
}

/** Sends the deliveries of all shards with one set of slots. Each shard has its part of the slots of a receiver. */
export const consumeDeliveries: typeof deliver = (url, queues, options, send) => {
  const slots = new Semaphore(options.concurrency);
  return new ShardConsumers(queues, (shard) => {
    if (!shard.shards) return deliver(url, shard, options, send);
    const perReceiver = () => Math.max(1, Math.ceil(options.perReceiver() / (queues.shards?.all.length ?? 1)));
    return deliver(url, shard, { ...options, perReceiver }, (delivery) => slots.run(() => send(delivery)));
  });
};

/** A job that waits without a slot gives back the slot that the consumers share, and takes one to go on. */
function withSharedSlot(work: Work, slots: Semaphore): Work {
  let waits = 0;
  const outside = async <T>(wait: Promise<T>): Promise<T> => {
    if (waits++ === 0) slots.release();
    try {
      return await wait;
    } finally {
      if (--waits === 0) await slots.acquire();
    }
  };
  return { ...work, withoutSlot: (wait) => work.withoutSlot(outside(wait)) };
}

/**
 * One consumer for each keyspace. At the first growth, a new consumer with shared slots replaces the one of `{errand}`, which ends what it
 * runs.
 */
class ShardConsumers implements Consumer {
  private readonly consumers = new Map<string, Consumer>();
  private readonly replaced: Promise<void>[] = [];
  private lone: Consumer | undefined;

  constructor(
    private readonly queues: Queues,
    private readonly start: (queues: Queues) => Consumer,
  ) {
    this.follow();
    queues.events.on('shards', this.follow);
  }

  /** A shard that is away does not hold up the others. */
  ready(): Promise<void> {
    if (this.lone) return this.lone.ready();
    return Promise.any([...this.consumers.values()].map((consumer) => consumer.ready()));
  }

  async close(): Promise<void> {
    this.queues.events.off('shards', this.follow);
    const all = [...this.consumers.values(), ...(this.lone ? [this.lone] : [])];
    await Promise.all([...this.replaced, ...all.map((consumer) => consumer.close())]);
  }

  private readonly follow = (): void => {
    const { shards } = this.queues;
    if (!shards) {
      this.lone = this.start(this.queues);
      return;
    }
    for (const queues of shards.all)
      if (!this.consumers.has(queues.keyspace)) this.consumers.set(queues.keyspace, this.start(queues));
    if (this.lone) this.replaced.push(this.lone.close());
    this.lone = undefined;
  };
}
