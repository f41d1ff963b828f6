import { startRedis, type TestRedis } from '../../../../test/support/start-redis.js';
import { sendGathered } from './gather-writes.js';
import { openConnection } from './primary-redis.js';

let redis: TestRedis;
beforeEach(async () => {
  redis = await startRedis();
});
afterEach(() => redis.stop());

it('All commands of one turn go to Redis in one write and in order, also after a reconnect', async () => {
  const client = openConnection(redis.url, 'patient');
  for (const round of ['before', 'after']) {
    await client.ping();
    const before = client.stream.bytesWritten;
    const asked = [1, 2, 3].map((n) => client.rpush(round, n));
    expect(client.stream.writableLength).toBeGreaterThan(0);
    expect(client.stream.writableCorked).toBe(1);
    expect(await Promise.all(asked)).toEqual([1, 2, 3]);
    expect(client.stream.bytesWritten).toBeGreaterThan(before);
    expect(await client.lrange(round, 0, -1)).toEqual(['1', '2', '3']);
    client.disconnect(true);
  }
  client.disconnect();
});

it('Gathered commands can be sent before the turn ends, and later ones are gathered again', async () => {
  const client = openConnection(redis.url, 'patient');
  await client.ping();
  const asked = [client.rpush('list', 1), client.rpush('list', 2)];
  sendGathered(client);
  expect(client.stream.writableLength).toBe(0);
  asked.push(client.rpush('list', 3));
  expect(client.stream.writableCorked).toBe(1);
  expect(await Promise.all(asked)).toEqual([1, 2, 3]);
  client.disconnect();
});
