import { newInvocationId } from '@errand/contracts';
import { eventually } from '../../../../test/support/eventually.js';
import { recordOf, useQueues } from '../../test/use-queues.js';
import { submitInvocation } from '../index.js';
import { keys } from '../redis/names.js';
import { LAYOUT_CHANGED } from '../redis/notification-names.js';
import { agreeOnLayout, readLayout, recordShardCount } from './stored-layout.js';

const kit = useQueues({ each: true });
const agree = (wanted?: number) => agreeOnLayout(kit.redis.url, wanted);

/** The notifications of a layout from now on. */
function hearLayouts(): string[] {
  const heard: string[] = [];
  kit.notifications.hearAll((id) => void (id === LAYOUT_CHANGED && heard.push(id)));
  return heard;
}

describe('The recorded layout of the shards', () => {
  it('A Redis without work takes the first wanted number, and every later process agrees', async () => {
    const layout = [{ count: 8, since: 0 }];
    expect(await Promise.all([agree(8), agree(8), agree(8)])).toEqual([layout, layout, layout]);
    expect(await agree()).toEqual(layout);
  });

  it('Without a wanted number, there is one shard and no record', async () => {
    expect(await agree()).toEqual([{ count: 1, since: 0 }]);
    expect(await kit.queues.redis.exists(keys.shardLayout)).toBe(0);
  });

  it('A process with another number than the recorded one refuses to start and names the command', async () => {
    await agree(8);
    await expect(agree(4)).rejects.toThrow(
      'ERRAND_SHARDS is 4, but this Redis has 8 shards. Unset it, set it to 8, or run `./errand shards 4` once',
    );
  });

  it('A Redis that has accepted work without shards has one shard', async () => {
    await submitInvocation(kit.queues, 'invocations', newInvocationId(), recordOf());
    await expect(agree(8)).rejects.toThrow('this Redis has one shard');
    expect(await agree(1)).toEqual([{ count: 1, since: 0 }]);
  });

  it('A change keeps the history and begins later, and the same number changes nothing', async () => {
    const grown = await recordShardCount(kit.queues.redis, 8);
    expect(grown).toEqual([
      { count: 1, since: 0 },
      { count: 8, since: expect.any(Number) },
    ]);
    expect(grown[1]?.since).toBeGreaterThan(Date.now());
    expect(await recordShardCount(kit.queues.redis, 8)).toEqual(grown);
    expect(await readLayout(kit.queues.redis)).toEqual(grown);
  });

  it('The record of a change has notified all processes, also if its own process dies right after it', async () => {
    const heard = hearLayouts();
    const { redis } = kit.queues;
    redis.publish = redis.spublish = () => Promise.reject<number>(new Error('The process has died'));
    await recordShardCount(redis, 8).catch(() => {});
    await eventually(() => heard.length === 1);
  });

  it('The same number again notifies all processes, and makes no record for one shard', async () => {
    const heard = hearLayouts();
    await recordShardCount(kit.queues.redis, 1);
    await eventually(() => heard.length === 1);
    expect(await kit.queues.redis.exists(keys.shardLayout)).toBe(0);
    await recordShardCount(kit.queues.redis, 8);
    await recordShardCount(kit.queues.redis, 8);
    await eventually(() => heard.length === 3);
  });

  it('Of two changes at the same time, at most one counts, and the other one says so', async () => {
    const both = await Promise.allSettled([8, 4].map((count) => recordShardCount(kit.queues.redis, count)));
    const failed = both.filter(({ status }) => status === 'rejected');
    expect((await readLayout(kit.queues.redis)).length).toBe(3 - failed.length);
  });

  it('A record that cannot be read stops the process instead of being guessed', async () => {
    await kit.queues.redis.set(keys.shardLayout, '[{"count":"many"}]');
    await expect(agree()).rejects.toThrow('cannot be read');
  });
});
