import type { Queues } from '../redis/connect.js';
import { keysOf } from '../redis/names.js';
import { addWaiter as add, FAR_WAITER, resumeWaiters, waiterIn } from '../suspend/waiters.js';

/** How often a process looks for waiters to wake in other shards. */
const SWEEP_MS = 250;
/** The waiters of one look. */
const AT_ONCE = 500;

/** A waiter of another shard looks again by itself after so long: a shard that loses its primary can lose the registration or the wake. */
const LOOK_AGAIN_MS = 300_000;

/**
 * Registers a waiter in the shard of the invocation that it waits for. See `suspend/waiters.ts`.
 * @returns when the waiter must look again by itself (ms since 1970); undefined in the same shard
 */
export async function addWaiter(queues: Queues, id: string, waiter: string): Promise<number | undefined> {
  const shard = queues.shardOf(id);
  if (shard === queues.shardOf(waiter)) {
    await add(shard, id, waiter);
    return undefined;
  }
  // Each wait has a note of its own. A process may remove the note of an earlier wait late, and must then not remove that of the next wait.
  await add(shard, id, `${FAR_WAITER}${waiter} ${id}`);
  return Date.now() + LOOK_AGAIN_MS;
}

/**
 * Wakes waiters in other shards than what they waited for. The script that ends a job notes them in its own shard. This process wakes them in
 * theirs, and removes the note afterwards: after a crash in between, another process wakes them again, which changes nothing.
 */
export class WaiterSweep {
  private readonly timer: NodeJS.Timeout;
  /** The looks of shards by keyspace, and the wakes by note. A shard that is lost meanwhile holds up its own only. */
  private readonly running = new Map<string, Promise<void>>();

  constructor(
    private readonly queues: Queues,
    private readonly onError: (error: unknown) => void,
  ) {
    this.timer = setInterval(() => this.sweep(), SWEEP_MS);
  }

  /** Resolves when nothing runs in a shard that is there. */
  async close(): Promise<void> {
    clearInterval(this.timer);
    await Promise.all(this.running.values());
    // A look has started wakes.
    await Promise.all(this.running.values());
  }

  /** A shard that is away keeps its notes. */
  private sweep(): void {
    for (const shard of this.queues.shards?.all ?? []) this.start(shard.keyspace, shard, () => this.wakeFrom(shard));
  }

  /** Runs the work unless it runs already. It counts as ended when the shard goes away. */
  private start(name: string, shard: Queues, work: () => Promise<void>): void {
    if (shard.redis.status !== 'ready' || this.running.has(name)) return;
    const done = shard
      .unlessAway(work())
      .catch(this.onError)
      .finally(() => this.running.delete(name));
    this.running.set(name, done);
  }

  private async wakeFrom(from: Queues): Promise<void> {
    for (const note of await from.redis.srandmember(keysOf(from.redis).farWaiters, AT_ONCE)) {
      const shard = this.queues.shardOf(waiterIn(note));
      this.start(note, shard, () => this.wake(note, shard, from));
    }
  }

  private async wake(note: string, shard: Queues, from: Queues): Promise<void> {
    const waiter = waiterIn(note);
    const own = `a wake of ${waiter}`;
    await shard.redis.sadd(keysOf(shard.redis).waiters(own), waiter);
    await resumeWaiters(shard, own);
    await from.unlessAway(from.redis.srem(keysOf(from.redis).farWaiters, note));
  }
}
