import { newInvocationId } from '@errand/contracts';
import { eventually } from '../../../../test/support/eventually.js';
import { startRedis, type TestRedis } from '../../../../test/support/start-redis.js';
import { recordOf } from '../../test/use-queues.js';
import {
  addWaiter,
  cancelInvocation,
  connectQueues,
  NotificationHub,
  openShards,
  submitInvocations,
  WaiterSweep,
  type Queues,
} from '../index.js';
import { FIELD } from '../redis/job-fields.js';
import { keysOf } from '../redis/names.js';
import { Sweeps } from './sweeps.js';

const RETENTION = { ageSeconds: 3_600, count: 8_000 };
let server: TestRedis;
let queues: Queues;

beforeEach(async () => {
  server = await startRedis();
  queues = connectQueues(server.url, RETENTION);
  openShards(server.url, 'commands', queues, [{ count: 2, since: 0 }]);
});
afterEach(async () => {
  await queues.shards?.close();
  await queues.close();
  await server.stop();
});

/** Enqueues invocations of a shard that are suspended. */
async function suspended(shard: Queues, count: number): Promise<string[]> {
  const keys = keysOf(shard.redis);
  const ids = Array.from({ length: count }, () => shard.named(newInvocationId()));
  const options = { delayMs: 3_600_000 };
  await submitInvocations(
    shard,
    ids.map((id) => ({ queue: 'invocations', id, record: recordOf(), options })),
  );
  await Promise.all(ids.map((id) => shard.redis.hset(keys.job('invocations', id), FIELD.suspended, 'time')));
  return ids;
}

async function countWoken(ids: readonly string[]): Promise<number> {
  const states = await Promise.all(
    ids.map((id) => {
      const { redis } = queues.shardOf(id);
      return redis.hget(keysOf(redis).job('invocations', id), FIELD.suspended);
    }),
  );
  return states.filter((state) => state === 'woken').length;
}

describe('Many invocations of two shards that wait for the same one', () => {
  it('The end wakes or notes 500 of them in one step, and the sweeps of a process wake the others in both shards', async () => {
    const [own = queues, other = queues] = queues.shards?.current ?? [];
    const [target = ''] = await suspended(own, 1);
    const near = await suspended(own, 400);
    const far = await suspended(other, 400);
    await Promise.all([...near, ...far].map((id) => addWaiter(queues, target, id)));
    await cancelInvocation(queues, 'default', target);
    const noted = await own.redis.scard(keysOf(own.redis).farWaiters);
    expect(noted + (await countWoken(near))).toBe(500);
    expect(await countWoken(far)).toBe(0);
    const keyspaces = queues.shards?.all.map(({ keyspace }) => keyspace);
    const hub = await NotificationHub.open(server.url, keyspaces);
    const sweeps = Sweeps.start(queues, hub);
    await eventually(async () => (await countWoken([...near, ...far])) === 800, 'all are woken');
    await eventually(async () => (await own.redis.keys('*waiters-left*')).length === 0, 'none are left');
    await eventually(async () => (await own.redis.keys('*far-waiters')).length === 0, 'no note is left');
    await sweeps.stop();
    hub.close();
  });
});

describe('An invocation that waits for one of another shard', () => {
  it('The notification of its note wakes it, also while others are woken', async () => {
    const [own = queues, other = queues] = queues.shards?.current ?? [];
    const hub = await NotificationHub.open(server.url, [own.keyspace, other.keyspace]);
    const sweep = new WaiterSweep(queues, hub, () => {});
    // Without the looks of each second.
    clearInterval(Reflect.get(sweep, 'timer') as NodeJS.Timeout);
    const targets = await suspended(own, 20);
    const waiters = await suspended(other, 20);
    await Promise.all(targets.map((target, n) => addWaiter(queues, target, waiters[n]!)));
    for (const target of targets) await cancelInvocation(queues, 'default', target);
    await eventually(async () => (await countWoken(waiters)) === 20, 'all are woken');
    await eventually(async () => (await own.redis.keys('*far-waiters')).length === 0, 'no note is left');
    await sweep.close();
    hub.close();
  });
});
