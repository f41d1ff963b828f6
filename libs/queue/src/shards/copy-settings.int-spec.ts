import { NestFactory } from '@nestjs/core';
import { eventually } from '../../../../test/support/eventually.js';
import { PartlyAway } from '../../test/partly-away.js';
import { useQueues } from '../../test/use-queues.js';
import { readWeight, setWeight } from '../fair/tenant-weights.js';
import { pauseQueue, readPause, resumeQueue } from '../pause/pause-queue.js';
import { QueueModule } from '../queue.module.js';
import { Queues } from '../redis/connect.js';
import { SettingsCopies } from './copy-settings.js';
import { openShards } from './open-shards.js';
import type { ShardLayout } from './shard-layout.js';

const kit = useQueues({ each: true });
const PAUSE = { at: '2026-01-02T03:04:05.678Z', by: 'local', note: null };
const grownAt = (since: number): ShardLayout => [
  { count: 1, since: 0 },
  { count: 4, since },
];

/** Changes the settings of `{errand}` alone, as a process does that does not know the shards. */
async function change(weight: number): Promise<void> {
  for (const queue of ['invocations', 'deliveries'] as const) await pauseQueue(kit.queues, queue, PAUSE);
  await setWeight(kit.queues, 'acme', weight);
}

/** Whether a shard has the settings of `change`. */
async function has(shard: Queues, weight: number): Promise<boolean> {
  const pauses = [await readPause(shard, 'invocations'), await readPause(shard, 'deliveries')];
  return pauses.every((pause) => pause !== null) && (await readWeight(shard, 'acme')) === weight;
}

const allHave = async (shards: readonly Queues[], weight: number) =>
  (await Promise.all(shards.map((shard) => has(shard, weight)))).every(Boolean);

/** The queues with four shards, which close with the test. */
async function withShards(test: (copies: SettingsCopies, shards: Queues[]) => Promise<void>): Promise<void> {
  const shards = openShards(kit.redis.url, 'commands', kit.queues, grownAt(1))?.all.slice(1) ?? [];
  const copies = await SettingsCopies.start(kit.queues);
  try {
    await test(copies, shards);
  } finally {
    copies.close();
    await kit.queues.shards?.close();
  }
}

describe('The settings of shards', () => {
  it('A process gives the shards that it opens at its start the pauses and weights of {errand}', async () => {
    await change(3);
    const opened = QueueModule.forRedis(kit.redis.url, kit.queues.retention, { layout: grownAt(1), patient: true });
    const app = await NestFactory.createApplicationContext(opened, { logger: false });
    try {
      const shards = app.get(Queues).shards?.all ?? [];
      expect(shards).toHaveLength(5);
      await eventually(() => allHave(shards, 3));
    } finally {
      await app.close();
    }
  });

  it.each(['patient', 'commands'] as const)(
    'The start of a process whose connections are %s does not wait for a shard that is away, which gets its copy later',
    async (kind) => {
      await change(3);
      const partly = await PartlyAway.open(kit.redis.url, kind, kit.queues, grownAt(1));
      const copies = await SettingsCopies.start(kit.queues);
      try {
        await eventually(() => allHave(partly.present, 3));
        if (kind === 'commands') await partly.untilRefused();
        await partly.bringBack();
        await eventually(() => has(partly.away, 3).catch(() => false));
      } finally {
        copies.close();
        await partly.close();
      }
    },
  );

  it('A change by a process that does not know the new shards comes to them when their layout begins', () =>
    withShards(async (copies, shards) => {
      let weight = 0;
      // The change must be complete before the layout begins. On a slow machine, a later begin is necessary.
      for (let [leadMs, isInTime] = [1_000, false]; !isInTime; leadMs *= 2) {
        const since = Date.now() + leadMs;
        await copies.copy(shards, grownAt(since));
        await change((weight += 2));
        isInTime = Date.now() < since - 100;
      }
      await eventually(() => allHave(shards, weight));
    }));

  it('A change during a copy is not lost', () =>
    withShards(async (copies, [shard = kit.queues]) => {
      await change(3);
      const read = shard.redis.hgetall.bind(shard.redis);
      let changes = 0;
      shard.redis.hgetall = async (key: string) => {
        if (changes++ === 0) await change(5);
        return read(key);
      };
      await copies.copy([shard], grownAt(1));
      await eventually(() => has(shard, 5));
    }));

  it('A pause and a weight that a copy has brought end with those of {errand}, and a pause of the shard itself stays', () =>
    withShards(async (copies, shards) => {
      await change(3);
      await copies.copy(shards, grownAt(1));
      await eventually(() => allHave(shards, 3));
      const [first = kit.queues, ...others] = shards;
      const own = { ...PAUSE, by: 'another' };
      await resumeQueue(first, 'deliveries');
      await pauseQueue(first, 'deliveries', own);
      for (const queue of ['invocations', 'deliveries'] as const) await resumeQueue(kit.queues, queue);
      await setWeight(kit.queues, 'acme', 1);
      await copies.copy(shards, grownAt(1));
      await eventually(async () => {
        const pauses = await Promise.all(others.map((shard) => readPause(shard, 'deliveries')));
        const weights = await Promise.all(shards.map((shard) => readWeight(shard, 'acme')));
        return pauses.every((pause) => pause === null) && weights.every((weight) => weight === 1);
      });
      expect(await readPause(first, 'deliveries')).toEqual(own);
    }));
});
