import { randomUUID } from 'node:crypto';
import { connectQueues, recordShardCount, type Queues } from '@errand/queue';
import { useStack } from './support/start-stack.js';
import { eventually } from './support/eventually.js';
import { shardOfId } from '../libs/queue/src/shards/shard-of-id.js';

const ECHO = { toolId: 'core:echo', arguments: { value: 1 } };
const CLIENTS = 4;
const stack = useStack({ with: ['worker'], env: { ERRAND_SHARDS: '' } });
const { client } = stack;
let queues: Queues;

beforeAll(() => (queues = connectQueues(stack.redis.url, { ageSeconds: 1, count: 1 })));
afterAll(() => queues.close());

const withKey = (key: string) => client.post('/v1/invocations', ECHO, { 'idempotency-key': key });

// A new number of shards begins 10 s after its record, so that every process has read it by then.
it('Growing from one shard to eight under load loses nothing, and keys and sessions stay valid', async () => {
  const accepted: string[] = [];
  const keyed = new Map<string, string>();
  const stop = new AbortController();
  const submit = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      const key = randomUUID();
      const [free, bound] = await Promise.all([client.post('/v1/invocations', ECHO), withKey(key)]);
      expect([free.status, bound.status]).toEqual([202, 202]);
      accepted.push(free.body.id, bound.body.id);
      keyed.set(key, bound.body.id);
    }
  };
  const load = Promise.all(Array.from({ length: CLIENTS }, submit));
  await eventually(() => accepted.length > 40);
  await recordShardCount(queues.redis, 8);
  await eventually(() => new Set(accepted.slice(-80).map(shardOfId)).size === 8, 'all shards get new work');
  stop.abort();
  await load;
  expect(accepted.some((id) => shardOfId(id) === undefined)).toBe(true);
  for (const id of accepted) expect((await client.untilEnded(id)).status).toBe('succeeded');
  const sample = [...keyed].filter((_, n) => n % Math.ceil(keyed.size / 60) === 0);
  for (const [key, id] of sample) expect((await withKey(key)).body.id).toBe(id);
  const listed = await client.get<{ count: { value: number } }>('/v1/invocations?count=true&limit=1');
  expect(listed.body.count.value).toBe(Math.min(accepted.length, 10_000));
});
