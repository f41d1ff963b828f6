import { newInvocationId } from '@errand/contracts';
import { recordOf, useQueues } from '../../test/use-queues.js';
import { repairRings, RetentionCleaner, submitInvocations } from '../index.js';
import { keys } from '../redis/names.js';
import { eventually } from '../../../../test/support/eventually.js';

const kit = useQueues({ each: true });

async function submit(tenant: string, count: number): Promise<void> {
  const record = recordOf({ tenant });
  const fresh = Array.from({ length: count }, () => ({ queue: 'invocations' as const, id: newInvocationId(), record }));
  await submitInvocations(kit.queues, fresh);
}
const found = async () => (await repairRings(kit.queues)).find(({ queue }) => queue === 'invocations');

it('A repair of untouched queues finds nothing to correct', async () => {
  await submit('a', 3);
  await submit('b', 2);
  expect(await found()).toEqual({ queue: 'invocations', waiting: 5, removed: 0, wrong: 0 });
});

it('A repair takes out lanes that are gone, corrects the count, and wakes a consumer', async () => {
  await submit('a', 3);
  await submit('b', 2);
  const { redis, byName } = kit.queues;
  await redis.del(keys.fair('invocations', 'lane:0:b:'), keys.set('invocations', 'marker'));
  expect(await found()).toEqual({ queue: 'invocations', waiting: 3, removed: 2, wrong: 2 });
  expect(await byName.invocations.getWaitingCount()).toBe(3);
  expect(await redis.zcard(keys.set('invocations', 'marker'))).toBe(1);
  await redis.set(keys.fair('invocations', 'left'), 1_000);
  expect(await found()).toMatchObject({ waiting: 3, wrong: -3 });
  expect(await found()).toMatchObject({ waiting: 3, wrong: 0 });
  await redis.del(keys.fair('invocations', 'lane:0:a:'));
  expect(await found()).toMatchObject({ waiting: 0 });
  expect(await redis.keys(keys.fair('invocations', '*'))).toEqual([]);
});

it('A repair of many tenants corrects each of them, and lets a lost one have its turns again', async () => {
  await submit('first', 1);
  const tenants = Array.from({ length: 250 }, (_, n) => `tenant-${n}`);
  for (const tenant of tenants) await submit(tenant, 1);
  const { redis } = kit.queues;
  const key = (name: string) => keys.fair('invocations', name);
  await redis.hset(key('tenants'), { 'tenant-7': 99 });
  await redis.hdel(key('tenants'), 'tenant-120');
  await redis.zrem(key('ring:0'), 'tenant-140');
  await redis.del(key('lane:0:tenant-249:'));
  expect(await found()).toEqual({ queue: 'invocations', waiting: 249, removed: 2, wrong: 1 });
  expect(await redis.hgetall(key('tenants'))).toEqual(
    Object.fromEntries(tenants.slice(0, -1).map((tenant) => [tenant, '1'])),
  );
  expect(await redis.zcard(key('ring:0'))).toBe(249);
  expect(await found()).toEqual({ queue: 'invocations', waiting: 249, removed: 0, wrong: 0 });
});

it('A tenant with more than 1,000 keys keeps its count, and more than 20,000 tenants keep their total', async () => {
  const { redis } = kit.queues;
  const base = keys.fair('invocations');
  await redis.eval(
    `local base = ARGV[1]
    local function put(tenant, key)
      redis.call('ZADD', base .. 'lane:0:' .. tenant .. ':' .. key, 1, tenant .. key)
      redis.call('ZADD', base .. 'ring:0:' .. tenant, 0, key)
      redis.call('ZADD', base .. 'ring:0', 0, tenant)
      redis.call('INCR', base .. 'put')
    end
    redis.call('ZADD', base .. 'levels', 0, '0')
    for n = 1, 1001 do put('agents', 'agent-' .. n) end
    redis.call('HSET', base .. 'tenants', 'agents', 5)
    for n = 1, 20000 do
      put('tenant-' .. n, '')
      redis.call('HSET', base .. 'tenants', 'tenant-' .. n, n == 9000 and 3 or 1)
    end`,
    0,
    base,
  );
  await redis.set(`${base}left`, 10);
  expect(await found()).toEqual({ queue: 'invocations', waiting: 20_989, removed: 0, wrong: 2 });
  expect(await redis.hmget(`${base}tenants`, 'agents', 'tenant-9000')).toEqual(['5', '1']);
});

it('One of several processes repairs the rings in a minute', async () => {
  const { redis } = kit.queues;
  const claims = jest.spyOn(redis, 'set');
  await submit('a', 3);
  await submit('b', 1);
  for (const turn of [1, 2]) {
    await redis.set(keys.fair('invocations', 'left'), 1_000);
    const cleaner = new RetentionCleaner(kit.queues, () => {});
    cleaner.start();
    await eventually(() => claims.mock.calls.filter(([key]) => key === keys.repair).length === turn);
    await cleaner.stop();
    expect(await kit.queues.byName.invocations.getWaitingCount()).toBe(turn === 1 ? 4 : 0);
  }
});

it('The sweep of a process repairs the rings', async () => {
  await submit('a', 3);
  await submit('b', 1);
  await kit.queues.redis.set(keys.fair('invocations', 'left'), 1_000);
  const cleaner = new RetentionCleaner(kit.queues, () => {});
  cleaner.start();
  await eventually(async () => (await kit.queues.byName.invocations.getWaitingCount()) === 4);
  await cleaner.stop();
});
