import { setTimeout as sleep } from 'node:timers/promises';
import { newInvocationId } from '@errand/contracts';
import type { Queues, Shards } from '../redis/connect.js';
import { PREFIX, keysIn } from '../redis/names.js';
import { keyspaceOfShard } from './shard-keyspace.js';
import { allPlaces, countAt, placesOf, type Belonging, type Place, type ShardLayout } from './shard-layout.js';
import { shardOfId } from './shard-of-id.js';
import { ShardTurns } from './shard-turns.js';
import { digestOf } from '../sessions/conversation.js';

/** How long a new layout is not used for sessions and keys. Commands of the layout before it have ended by then. */
const SETTLE_MS = 2_500;

/** The prefix of the keys at a place. */
export function keyspaceOf(place: Place): string {
  return place === 'root' ? PREFIX : keyspaceOfShard(place);
}

/**
 * The keyspaces of an installation with several shards. Each is what the queue library is without shards. `root` is the keyspace `{errand}`:
 * it has the layout, what belongs to no invocation, and the work from before the first growth.
 */
export class ShardSet implements Shards {
  private readonly opened = new Map<Place, Queues>();
  private readonly turns = new ShardTurns();

  /** @param open opens the keyspace of a shard */
  constructor(
    readonly root: Queues,
    private layout: ShardLayout,
    private readonly open: (place: Place) => Queues,
  ) {
    this.follow(layout);
  }

  /** Follows a newer layout. New shards are open at once, and get work when their layout begins. */
  follow(layout: ShardLayout): void {
    this.layout = layout;
    for (const place of allPlaces(layout)) {
      if (this.opened.has(place)) continue;
      const queues = place === 'root' ? this.root : this.open(place);
      queues.shards = this;
      this.opened.set(place, queues);
    }
  }

  /** The layout that this process follows. */
  get present(): ShardLayout {
    return this.layout;
  }

  /** All keyspaces, `root` first. */
  get all(): Queues[] {
    return [...this.opened.values()];
  }

  /** The keyspaces that get new work now. */
  get current(): Queues[] {
    const count = countAt(this.layout, Date.now());
    return count === 1 ? [this.root] : Array.from({ length: count }, (_, shard) => this.at(shard));
  }

  at(place: Place): Queues {
    return this.opened.get(place) ?? this.root;
  }

  /** The keyspace of an invocation, a batch, or anything whose id begins with that of one. A forged id leads to one that lacks it. */
  ofId(id: string): Queues {
    return this.at(shardOfId(id) ?? 'root');
  }

  /** The keyspace of a session: where it is, or where it would begin. A session that is named after its first turn is with that turn. */
  async ofSession(tenant: string, session: string): Promise<Queues> {
    const own = shardOfId(session);
    if (own !== undefined) return this.at(own);
    return this.find(tenant, session, (queues, keyspace) =>
      queues.redis.exists(keysIn(keyspace).session(tenant, digestOf(session))),
    );
  }

  /** The keyspace of a key of a tenant: an earlier one if `exists` there, else the present one. */
  async find(
    tenant: string,
    text: string,
    exists: (queues: Queues, keyspace: string) => Promise<number>,
  ): Promise<Queues> {
    await this.untilSettled();
    const [present, ...earlier] = placesOf(this.layout, Date.now(), tenant, text);
    for (const place of earlier) if ((await exists(this.at(place), keyspaceOf(place))) > 0) return this.at(place);
    return this.at(present);
  }

  /**
   * Waits while a layout has just begun. Another process may have placed a session or a key by the layout before it, in a command that still
   * runs.
   */
  private async untilSettled(): Promise<void> {
    const begun = this.layout.findLast(({ since }) => since <= Date.now());
    const left = (begun?.since ?? 0) + SETTLE_MS - Date.now();
    if (left > 0) await sleep(left);
  }

  /** The keyspaces at which a key of a tenant may be, the present one first. */
  placesOf(tenant: string, text: string): Queues[] {
    return placesOf(this.layout, Date.now(), tenant, text).map((place) => this.at(place));
  }

  /** The id of a new invocation, in the shard that it belongs to. Without a session or key, the living shards get them in turns. */
  async newId({ tenant, session, key }: Belonging): Promise<string> {
    if (session !== undefined) return (await this.ofSession(tenant, session)).named(newInvocationId());
    if (key !== undefined) {
      await this.untilSettled();
      return (this.placesOf(tenant, key)[0] ?? this.root).named(newInvocationId());
    }
    return this.next().named(newInvocationId());
  }

  /** The living keyspace whose turn it is. If none is alive, the submission to the next one fails with the reason. */
  next(): Queues {
    const { current } = this;
    const living = current.filter(({ redis }) => redis.problem === undefined);
    const among = living.length > 0 ? living : current;
    return among[this.turns.next() % among.length] ?? this.root;
  }

  /** Whether some keyspace takes new work: `ok`, or the reason of the first one that does not. */
  async checkWrites(report: (error: unknown) => void): Promise<string> {
    const states = await Promise.all(this.current.map((queues) => queues.checkOwnWrites(report)));
    return states.includes('ok') ? 'ok' : (states[0] ?? 'ok');
  }

  async close(): Promise<void> {
    await Promise.all(this.all.filter((queues) => queues !== this.root).map((queues) => queues.close()));
  }
}
