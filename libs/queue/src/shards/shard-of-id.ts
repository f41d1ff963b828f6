import { MOST_SHARDS } from './shard-keyspace.js';

/** Crockford's base 32, as in the ids. It has no `u`, which therefore marks the shard. */
const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';
/** `inv_`, `bat_`, `msg_` or `ses_`, then time, count and randomness, then the shard. More may follow behind a dot. */
const MARKED = /^[a-z]{3}_[0-9a-hjkmnp-tv-z]{39}u([0-9a-hjkmnp-tv-z]{2})(?![0-9a-z])/;

/** The id with its shard: `u` and two digits at the end. Ids with and without a shard sort by time alike. */
export function withShard(id: string, shard: number): string {
  if (!Number.isInteger(shard) || shard < 0 || shard >= MOST_SHARDS) throw new Error(`There is no shard ${shard}`);
  return `${id}u${DIGITS[shard >> 5] ?? ''}${DIGITS[shard & 31] ?? ''}`;
}

/** The shard that an id carries; undefined for an id from before the first growth, and for any other text. */
export function shardOfId(id: string): number | undefined {
  const [, digits] = MARKED.exec(id) ?? [];
  if (digits === undefined) return undefined;
  return DIGITS.indexOf(digits.charAt(0)) * 32 + DIGITS.indexOf(digits.charAt(1));
}
