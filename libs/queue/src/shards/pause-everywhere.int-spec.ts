import { useQueues } from '../../test/use-queues.js';
import { pauseQueue as pauseOne, readPause } from '../pause/pause-queue.js';
import { EVERY_TENANT } from '../state/tenant-reach.js';
import { readQueue } from './merge-tenants.js';
import { openShards } from './open-shards.js';
import { pauseQueue, resumeQueue } from './pause-everywhere.js';

const kit = useQueues({ each: true });
const PAUSE = { at: '2026-01-02T03:04:05.678Z', by: 'local', note: null };

/** The queues with four shards, which close with the test. */
async function withShards(test: () => Promise<void>): Promise<void> {
  openShards(kit.redis.url, 'commands', kit.queues, [
    { count: 1, since: 0 },
    { count: 4, since: 1 },
  ]);
  try {
    await test();
  } finally {
    await kit.queues.shards?.close();
  }
}

const all = () => Promise.all((kit.queues.shards?.all ?? []).map((shard) => readPause(shard, 'scripts')));

describe('Pauses and shards', () => {
  it('A pause holds in all shards, keeps its earliest time, and a resume ends it in all', () =>
    withShards(async () => {
      const shard = kit.queues.shards?.all[2] ?? kit.queues;
      await pauseOne(shard, 'scripts', PAUSE);
      await pauseQueue(kit.queues, 'scripts', { ...PAUSE, at: '2027-01-02T03:04:05.678Z' });
      expect((await all()).every((pause) => pause !== null)).toBe(true);
      expect((await readQueue(kit.queues, 'scripts', EVERY_TENANT)).paused).toEqual(PAUSE);
      await resumeQueue(kit.queues, 'scripts');
      expect(await all()).toEqual([null, null, null, null, null]);
    }));
});
