import { newBatchId, newInvocationId, isInvocationId, isBatchId, timeOfInvocationId } from '@errand/contracts';
import { childId, deliveryId } from '../redis/job-ids.js';
import { keyspaceOfShard, MOST_SHARDS, slotOf } from './shard-keyspace.js';
import {
  allPlaces,
  changedLayout,
  countAt,
  ONE_SHARD,
  parseLayout,
  placeAmong,
  placesOf,
  recordedCount,
  type ShardLayout,
} from './shard-layout.js';
import { shardOfId, withShard } from './shard-of-id.js';
import { ShardTurns } from './shard-turns.js';

describe('The keyspace of a shard', () => {
  it('A keyspace has a hash tag of its own, which begins with the number of the shard', () => {
    const keyspaces = Array.from({ length: MOST_SHARDS }, (_, shard) => keyspaceOfShard(shard));
    expect(new Set(keyspaces).size).toBe(MOST_SHARDS);
    for (const [shard, keyspace] of keyspaces.entries())
      expect(keyspace).toMatch(new RegExp(`^\\{errand\\.${shard}(-\\d+)?\\}$`));
  });

  it('The slot of a tag is the one that the specification of Redis Cluster gives', () => {
    expect([slotOf('123456789'), slotOf('errand.0'), slotOf('')]).toEqual([0x31c3, 13_132, 0]);
  });

  it.each([3, 6, 8, 12, 16, 32, 64])('Each of three primaries has 25 to 42 %% of %i shards', (count) => {
    const perPrimary = [0, 0, 0];
    for (let shard = 0; shard < count; shard++) {
      const primary = Math.min(2, Math.floor((slotOf(keyspaceOfShard(shard).slice(1, -1)) * 3) / 16_384));
      perPrimary[primary] = (perPrimary[primary] ?? 0) + 1;
    }
    for (const own of perPrimary) {
      expect(own / count).toBeGreaterThanOrEqual(0.25);
      expect(own / count).toBeLessThanOrEqual(0.42);
    }
  });
});

describe('The shard of an id', () => {
  it('An id carries its shard, stays an id of the same time, and gives it to the ids that derive from it', () => {
    for (const shard of [0, 1, 31, 32, 1_023]) {
      const id = withShard(newInvocationId(), shard);
      expect(isInvocationId(id)).toBe(true);
      expect(timeOfInvocationId(id)).toBe(timeOfInvocationId(id.slice(0, -3)));
      const derived = [id, childId(id, 0), childId(id, 2, 'node'), deliveryId(id, 0), deliveryId(id, 3)];
      expect(derived.map(shardOfId)).toEqual(derived.map(() => shard));
      const batch = withShard(newBatchId(), shard);
      expect([isBatchId(batch), shardOfId(batch)]).toEqual([true, shard]);
    }
  });

  it('Other texts carry no shard', () => {
    const id = newInvocationId();
    const forged = [
      `${id}u0`,
      `${id}u000`,
      `${id}uio`,
      `${id}U00`,
      `${id.slice(0, -1)}u00`,
      `${id}u00z`,
      'inv_u00',
      '',
    ];
    expect([id, childId(id, 0), ...forged].map(shardOfId)).toEqual([id, '', ...forged].map(() => undefined));
  });

  it('There is no id for a shard beyond the last one', () => {
    for (const shard of [-1, 0.5, MOST_SHARDS]) expect(() => withShard(newInvocationId(), shard)).toThrow('no shard');
  });

  it('Ids sort by time, whatever their shards are', () => {
    const [first = '', second = '', third = '', fourth = ''] = [1, 2, 3, 4].map((ms) => newInvocationId(ms));
    const ids: string[] = [withShard(first, 900), second, withShard(third, 3), fourth];
    expect(ids.toReversed().toSorted()).toEqual(ids);
  });
});

describe('The layout of the shards', () => {
  const grown: ShardLayout = [
    { count: 1, since: 0 },
    { count: 8, since: 1_000 },
    { count: 16, since: 2_000 },
  ];

  it('A new number of shards counts from its beginning on', () => {
    expect([999, 1_000, 1_999, 2_000].map((now) => countAt(grown, now))).toEqual([1, 8, 8, 16]);
    expect(recordedCount(grown)).toBe(16);
    expect(changedLayout(grown, 16, 3_000)).toBe(grown);
    expect(changedLayout(grown, 8, 3_000).at(-1)).toEqual({ count: 8, since: 3_000 });
  });

  it('One shard is the keyspace without a number, and stays readable after a growth', () => {
    expect(allPlaces(ONE_SHARD)).toEqual(['root']);
    expect(placeAmong(1, 'a', 'x')).toBe('root');
    expect(allPlaces(grown)).toEqual(['root', ...Array.from({ length: 16 }, (_, shard) => shard)]);
  });

  it('A session is looked for at its present place, and then at those of earlier layouts', () => {
    const [present, ...earlier] = placesOf(grown, 5_000, 'a', 'session');
    expect(present).toBe(placeAmong(16, 'a', 'session'));
    expect(earlier).toContain('root');
    expect(placesOf(grown, 1_500, 'a', 'session')).toEqual([placeAmong(8, 'a', 'session'), 'root']);
    expect(placesOf(ONE_SHARD, 1, 'a', 'session')).toEqual(['root']);
  });

  it('Sessions spread evenly, and those of two tenants are independent', () => {
    const counts = Array.from({ length: 8 }, () => 0);
    for (let n = 0; n < 8_000; n++) {
      const place = placeAmong(8, 'a', `session ${n}`);
      if (typeof place === 'number') counts[place] = (counts[place] ?? 0) + 1;
    }
    expect(Math.min(...counts)).toBeGreaterThan(850);
    expect(placeAmong(1_024, 'a', 'bc')).not.toBe(placeAmong(1_024, 'ab', 'c'));
  });

  it.each(['', '{}', '[]', '[{"count":0,"since":0}]', '[{"count":1025,"since":0}]', '[{"count":2}]', '[null]'])(
    'The record %j is refused instead of guessed',
    (text) => {
      expect(() => parseLayout(text)).toThrow();
    },
  );

  it('A record reads back as it was written', () => {
    expect(parseLayout(JSON.stringify(grown))).toEqual(grown);
  });
});

describe('The turns of the shards', () => {
  it('Submissions within 40 ms share a turn, 200 at most', () => {
    const turns = new ShardTurns();
    const together = Array.from({ length: 480 }, () => turns.next(1_000));
    const sizes = [...new Set(together)].map((turn) => together.filter((one) => one === turn).length);
    expect(sizes).toEqual([200, 200, 80]);
    const last = Number(together.at(-1));
    expect(turns.next(1_039)).toBe(last);
    expect(turns.next(1_040)).toBe(last + 1);
  });
});
