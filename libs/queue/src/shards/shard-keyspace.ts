import { PREFIX } from '../redis/names.js';

/** The highest number of shards. The id of an invocation has two characters for its shard. */
export const MOST_SHARDS = 1_024;

const SLOTS = 16_384;
/** Consecutive multiples of it, modulo 1, are spread as evenly as possible, however many there are. */
const GOLDEN_RATIO = (Math.sqrt(5) - 1) / 2;
/** The place of the first shard. With it, few shards are spread well over three primaries, of which the first has `{errand}`. */
const FIRST = 0.25;
/** How far the slot of a shard may be from its wanted place, as a part of all slots. */
const TOLERANCE = 0.005;

const KNOWN = new Map<number, string>();

/**
 * The prefix of all keys of a shard: `{errand.<shard>}`, or `{errand.<shard>-<n>}` with the smallest n that puts the shard near its place
 * among the slots of a Redis Cluster. The plain names of the first eight shards would give half of them to one of three primaries.
 */
export function keyspaceOfShard(shard: number): string {
  const known = KNOWN.get(shard) ?? chooseKeyspace(shard);
  KNOWN.set(shard, known);
  return known;
}

function chooseKeyspace(shard: number): string {
  const name = PREFIX.slice(1, -1);
  const wanted = (FIRST + shard * GOLDEN_RATIO) % 1;
  for (let n = 0; ; n++) {
    const tag = n === 0 ? `${name}.${shard}` : `${name}.${shard}-${n}`;
    if (Math.abs(slotOf(tag) / SLOTS - wanted) <= TOLERANCE) return `{${tag}}`;
  }
}

/** The slot of a Redis Cluster that has the keys with this hash tag: CRC-16 (XMODEM) of the tag. */
export function slotOf(tag: string): number {
  let crc = 0;
  for (const byte of Buffer.from(tag)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 0x8000) === 0 ? crc << 1 : (crc << 1) ^ 0x1021;
    crc &= 0xffff;
  }
  return crc % SLOTS;
}
