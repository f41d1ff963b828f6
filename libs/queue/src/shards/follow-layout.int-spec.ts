import { once } from 'node:events';
import { eventually } from '../../../../test/support/eventually.js';
import { PartlyAway } from '../../test/partly-away.js';
import { useQueues } from '../../test/use-queues.js';
import { keys } from '../redis/names.js';
import type { ConnectionKind } from '../redis/primary-redis.js';
import { readWeight, setWeight } from '../fair/tenant-weights.js';
import { pauseQueue, readPause } from '../pause/pause-queue.js';
import { SettingsCopies } from './copy-settings.js';
import { LayoutFollower } from './follow-layout.js';
import { ONE_SHARD } from './shard-layout.js';
import { recordShardCount } from './stored-layout.js';

const kit = useQueues({ each: true });
const PAUSE = { at: '2026-01-02T03:04:05.678Z', by: 'local', note: null };
const QUEUES = ['invocations', 'scripts', 'deliveries'] as const;

/** A process that follows the layout of the shards, until the test ends. */
async function withFollower(kind: ConnectionKind, test: () => Promise<void>): Promise<void> {
  const copies = await SettingsCopies.start(kit.queues);
  const follower = new LayoutFollower(kit.redis.url, kind, kit.queues, kit.notifications, copies);
  try {
    await test();
  } finally {
    follower.close();
    copies.close();
  }
}

/** Records a number of shards. Resolves when the process has announced the new shards. */
async function growTo(count: number): Promise<void> {
  const announced = once(kit.queues.events, 'shards');
  await recordShardCount(kit.queues.redis, count);
  await announced;
}

describe('A process that follows the layout of the shards', () => {
  it.each(['patient', 'commands'] as const)(
    'A process whose connections are %s announces new shards while one is away, and gives each of them all settings',
    async (kind) => {
      for (const queue of QUEUES) await pauseQueue(kit.queues, queue, PAUSE);
      await setWeight(kit.queues, 'acme', 3);
      const partly = await PartlyAway.open(kit.redis.url, kind, kit.queues, ONE_SHARD);
      const isCopied = async (shard: typeof kit.queues) =>
        (await Promise.all(QUEUES.map((queue) => readPause(shard, queue)))).every((pause) => pause !== null) &&
        (await readWeight(shard, 'acme')) === 3;
      try {
        await withFollower(kind, async () => {
          await growTo(4);
          await eventually(async () => (await Promise.all(partly.present.map(isCopied))).every(Boolean));
          if (kind === 'commands') await partly.untilRefused();
          await partly.bringBack();
          await eventually(() => isCopied(partly.away).catch(() => false), 'the shard that was away has the settings');
        });
      } finally {
        await partly.close();
      }
    },
  );

  it('A process that has missed the notification of a change follows it', async () => {
    const { redis } = kit.queues;
    const get = redis.get.bind(redis);
    let reads = 0;
    redis.get = async (key: string) => {
      const text = await get(key);
      reads++;
      return text;
    };
    await withFollower('commands', async () => {
      await eventually(() => reads > 0, 'the layout is read');
      await redis.set(keys.shardLayout, JSON.stringify([...ONE_SHARD, { count: 4, since: 1 }]));
      await eventually(() => kit.queues.shards?.all.length === 5, 'the new layout is followed');
    });
    await kit.queues.shards?.close();
  });
});
