import { createHash } from 'node:crypto';
import { MOST_SHARDS } from './shard-keyspace.js';

/** A number of shards, and the time (ms, by the clock of Redis) from which new work is placed among so many. */
export interface LayoutEntry {
  count: number;
  since: number;
}

/** The numbers of shards that an installation has had, oldest first. The first entry has no beginning: its `since` is 0. */
export type ShardLayout = readonly [LayoutEntry, ...LayoutEntry[]];

/** The layout without a record: one shard, whose keys have the prefix `{errand}`. */
export const ONE_SHARD: ShardLayout = [{ count: 1, since: 0 }];

/** Where keys of one layout are: a shard, or the keyspace `{errand}` for a layout with one. */
export type Place = number | 'root';

/** What a new invocation belongs to. A session decides on its shard, else an idempotency key. */
export interface Belonging {
  tenant: string;
  session?: string | undefined;
  key?: string | undefined;
}

/** @throws Error if the text is no layout: nothing may be placed by a guess */
export function parseLayout(text: string): ShardLayout {
  const entries: unknown = JSON.parse(text);
  const isLayout = Array.isArray(entries) && entries.length > 0 && entries.every(isEntry);
  if (!isLayout) throw new Error(`The recorded layout of the shards cannot be read: ${text.slice(0, 200)}`);
  return entries as unknown as ShardLayout;
}

function isEntry(entry: unknown): boolean {
  if (typeof entry !== 'object' || entry === null) return false;
  const { count, since } = entry as Partial<LayoutEntry>;
  return Number.isInteger(count) && Number(count) >= 1 && Number(count) <= MOST_SHARDS && Number.isFinite(since);
}

/** The last recorded number of shards, which may begin later. */
export function recordedCount(layout: ShardLayout): number {
  return layout.at(-1)?.count ?? layout[0].count;
}

/** The number of shards among which new work is placed at `now`. */
export function countAt(layout: ShardLayout, now: number): number {
  return layout.findLast(({ since }) => since <= now)?.count ?? layout[0].count;
}

/** The layout with another number of shards from `since` on. The same number changes nothing. */
export function changedLayout(layout: ShardLayout, count: number, since: number): ShardLayout {
  return recordedCount(layout) === count ? layout : [...layout, { count, since }];
}

/** All places that can have keys, without duplicates: `root` first, then the shards. */
export function allPlaces(layout: ShardLayout): Place[] {
  const most = Math.max(...layout.map(({ count }) => count));
  return ['root', ...(most === 1 ? [] : Array.from({ length: most }, (_, shard) => shard))];
}

/** The place of a session or an idempotency key of a tenant among `count` shards. */
export function placeAmong(count: number, tenant: string, text: string): Place {
  if (count === 1) return 'root';
  const digest = createHash('sha256')
    .update(JSON.stringify([tenant, text]))
    .digest();
  return digest.readUInt32BE(0) % count;
}

/**
 * The places at which a session or key may be at `now`: first that of the present layout, then those of earlier ones, the newest first.
 * A session or key that was stored under an earlier layout keeps its place until it expires.
 */
export function placesOf(layout: ShardLayout, now: number, tenant: string, text: string): [Place, ...Place[]] {
  const begun = layout.filter(({ since }) => since <= now).toReversed();
  const [first = layout[0], ...earlier] = begun;
  const present = placeAmong(first.count, tenant, text);
  const others = new Set(earlier.map(({ count }) => placeAmong(count, tenant, text)));
  others.delete(present);
  return [present, ...others];
}
