import { startCluster, type RedisCluster } from '../../../../test/support/start-cluster.js';
import { LuaScript } from './lua-script.js';
import { PREFIX } from './names.js';
import { openConnection, type PrimaryRedis } from './primary-redis.js';

const [A, B] = [`${PREFIX}:a`, `${PREFIX}:b`];
/** Writes its key, and then another one that it does not name as a key. */
const COUNT = new LuaScript<number>(() => "redis.call('INCR', KEYS[1]) redis.call('INCR', ARGV[1]) return #KEYS");
let cluster: RedisCluster;
let redis: PrimaryRedis;
beforeAll(async () => {
  cluster = await startCluster();
  redis = openConnection(cluster.url, 'patient');
});
afterAll(async () => {
  redis.disconnect();
  await cluster.stop();
});

it('A script runs whole after its slot has moved, and not in part while some of its keys are elsewhere', async () => {
  await redis.mset(A, 0, B, 0);
  // The first server knows the script then.
  expect(await COUNT.run(redis, [A], [B])).toBe(1);
  let runs: Promise<number[]> | undefined;
  const [before] = await cluster.serversOf(PREFIX);
  await cluster.moveSlot(
    PREFIX,
    async () => {
      // One of the two keys has moved. Each script begins with another one of them.
      runs ??= Promise.all([COUNT.run(redis, [A], [B]), COUNT.run(redis, [B], [A])]);
      await redis.ping();
    },
    2,
  );
  expect((await cluster.serversOf(PREFIX))[0]).not.toBe(before);
  expect(await runs).toEqual([1, 1]);
  expect(await redis.mget(A, B)).toEqual(['3', '3']);
});
