import { setTimeout as sleep } from 'node:timers/promises';
import type { Queues } from '../redis/connect.js';
import { keysOf } from '../redis/names.js';
import type { NotificationHub } from '../suspend/notifications.js';
import { addWaiter as add, FAR_WAITER, resumeLeftWaiters, resumeWaiters, waiterIn } from '../suspend/waiters.js';

/** How often a process looks for waiters that a script has left, and for notes whose notification was lost. */
const LOOK_MS = 1_000;
/** How long Redis does other work between two parts of the waiters that a script has left. */
const PAUSE_MS = 100;
/** After it has woken waiters, a process waits so long for more notes of the same shard, so that it wakes several together. */
const COLLECT_MS = 50;

/** The waiters of one look. One run of a script wakes as many. */
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
 * Wakes the waiters that the script which ends a job does not wake: those above 500, and those in other shards than what they waited for. The
 * script notes both in its own shard.
 *
 * A script wakes the first ones in parts, and takes each out of its set in the same step. This process wakes the others in their shards when it
 * is notified, and removes the note afterwards: after a crash in between, another process wakes them again, which changes nothing.
 */
export class WaiterSweep {
  private readonly timer: NodeJS.Timeout;
  private readonly closing = new AbortController();
  /** The keyspaces whose notifications this process receives. */
  private readonly followed = new Set<string>();
  /** The looks of shards, and the wakes from one shard in another. A shard that is lost meanwhile holds up its own only. */
  private readonly running = new Map<string, Promise<void>>();

  constructor(
    private readonly queues: Queues,
    private readonly hub: NotificationHub,
    private readonly onError: (error: unknown) => void,
  ) {
    this.timer = setInterval(() => this.sweep(), LOOK_MS);
    this.follow();
  }

  /** Listens to the shards that are new. */
  follow(): void {
    for (const shard of this.queues.shards?.all ?? []) {
      if (this.followed.has(shard.keyspace)) continue;
      this.followed.add(shard.keyspace);
      void this.wakeWhenNotified(shard);
    }
  }

  /** Resolves when nothing runs in a shard that is there. */
  async close(): Promise<void> {
    this.closing.abort();
    clearInterval(this.timer);
    await Promise.all(this.running.values());
    // A look has started wakes.
    await Promise.all(this.running.values());
  }

  private async wakeWhenNotified(shard: Queues): Promise<void> {
    const { signal } = this.closing;
    const notes = this.hub.listen(keysOf(shard.redis).farWaiters);
    while (await notes.next(signal)) {
      // A look that is running may have read the notes too early for this one.
      await this.running.get(shard.keyspace);
      this.lookFar(shard);
      await this.running.get(shard.keyspace);
      await sleep(COLLECT_MS, undefined, { signal, ref: false }).catch(() => {});
    }
    notes.close();
  }

  /** A shard that is away keeps its notes. */
  private sweep(): void {
    for (const shard of this.queues.shards?.all ?? [this.queues])
      this.start(`${shard.keyspace} left`, shard, () => this.wakeLeft(shard));
    for (const shard of this.queues.shards?.all ?? []) this.lookFar(shard);
  }

  private lookFar(shard: Queues): void {
    this.start(shard.keyspace, shard, () => this.wakeFrom(shard));
  }

  /** Runs the work unless it runs already. It counts as ended when the shard goes away. */
  private start(name: string, shard: Queues, work: () => Promise<void>): void {
    if (this.closing.signal.aborted || shard.redis.status !== 'ready' || this.running.has(name)) return;
    const done = shard
      .unlessAway(work())
      .catch(this.onError)
      .finally(() => this.running.delete(name));
    this.running.set(name, done);
  }

  private async wakeLeft(shard: Queues): Promise<void> {
    while (!this.closing.signal.aborted && (await resumeLeftWaiters(shard))) await sleep(PAUSE_MS);
  }

  private async wakeFrom(from: Queues): Promise<void> {
    const notes = new Map<Queues, string[]>();
    for (const note of await from.redis.srandmember(keysOf(from.redis).farWaiters, AT_ONCE)) {
      const shard = this.queues.shardOf(waiterIn(note));
      notes.set(shard, [...(notes.get(shard) ?? []), note]);
    }
    for (const [shard, some] of notes) {
      const name = `${from.keyspace} ${shard.keyspace}`;
      // If a wake is running, it may not know all of these notes. The next look finds the others.
      void this.running.get(name)?.then(() => this.lookFar(from));
      this.start(name, shard, () => this.wake(some, shard, from));
    }
  }

  private async wake(notes: readonly string[], shard: Queues, from: Queues): Promise<void> {
    const own = `a wake from ${from.keyspace}`;
    await shard.redis.sadd(keysOf(shard.redis).waiters(own), ...notes.map(waiterIn));
    await resumeWaiters(shard, own);
    await from.unlessAway(from.redis.srem(keysOf(from.redis).farWaiters, ...notes));
  }
}
