import type { Queues } from '../redis/connect.js';
import { keysOf } from '../redis/names.js';
import { addWaiter as add, resumeWaiters } from '../suspend/waiters.js';

/** Before the id of a waiter that is in another shard than the invocation that it waits for. `resume-waiters.lua` knows it, too. */
const AFAR = '>';
/** How often a process looks for waiters to wake in other shards. */
const SWEEP_MS = 250;
/** The waiters of one look. */
const AT_ONCE = 500;

/** Registers a waiter in the shard of the invocation that it waits for. See `suspend/waiters.ts`. */
export async function addWaiter(queues: Queues, id: string, waiter: string): Promise<void> {
  const shard = queues.shardOf(id);
  await add(shard, id, shard === queues.shardOf(waiter) ? waiter : `${AFAR}${waiter}`);
}

/**
 * Wakes waiters in other shards than what they waited for. The script that ends a job notes them in its own shard. This process wakes them in
 * theirs, and removes the note afterwards: after a crash in between, another process wakes them again, which changes nothing.
 */
export class WaiterSweep {
  private readonly timer: NodeJS.Timeout;
  private sweeping: Promise<unknown> | undefined;

  constructor(
    private readonly queues: Queues,
    private readonly onError: (error: unknown) => void,
  ) {
    this.timer = setInterval(() => {
      this.sweeping ??= this.sweep().finally(() => (this.sweeping = undefined));
    }, SWEEP_MS);
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.queues.unlessAway(this.sweeping ?? Promise.resolve());
  }

  /** A shard that is away keeps its notes. */
  private async sweep(): Promise<void> {
    const living = this.queues.shards?.all.filter(({ redis }) => redis.status === 'ready') ?? [];
    await Promise.all(living.map((shard) => this.wakeFrom(shard).catch(this.onError)));
  }

  private async wakeFrom({ redis }: Queues): Promise<void> {
    const { farWaiters } = keysOf(redis);
    const waiters = await redis.srandmember(farWaiters, AT_ONCE);
    await Promise.all(
      waiters.map(async (waiter) => {
        const shard = this.queues.shardOf(waiter);
        if (shard.redis.status !== 'ready') return;
        const note = `a wake of ${waiter}`;
        await shard.redis.sadd(keysOf(shard.redis).waiters(note), waiter);
        await resumeWaiters(shard, note);
        await redis.srem(farWaiters, waiter);
      }),
    );
  }
}
