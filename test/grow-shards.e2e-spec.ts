import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { connectQueues, recordShardCount, type Queues } from '@errand/queue';
import { useStack } from './support/start-stack.js';
import { eventually } from './support/eventually.js';
import { messageOf, WebhookReceiver, type Received } from './support/webhook-receiver.js';
import { shardOfId } from '../libs/queue/src/shards/shard-of-id.js';

const ECHO = { toolId: 'core:echo', arguments: { value: 1 } };
const CLIENTS = 4;
/** The pause of a client between two pairs of submissions: the growth takes more than 10 s, and more load checks nothing else. */
const PAUSE_MS = 150;
const stack = useStack({ with: ['worker'], env: { ERRAND_SHARDS: '', ERRAND_CALLBACK_ALLOW: '127.0.0.1' } });
const { client } = stack;
let queues: Queues;
let receiver: WebhookReceiver;
/** The invocations whose callback has failed once, and those whose callback was received. */
const failed = new Set<string>();
const told = new Set<string>();

beforeAll(async () => {
  queues = connectQueues(stack.redis.url, { ageSeconds: 1, count: 1 });
  receiver = await WebhookReceiver.start((request, response) => {
    response.statusCode = statusFor(request);
    response.end();
  });
});
afterAll(async () => {
  receiver.stop();
  await queues.close();
});

/** One callback of four fails once, so that some are due again after the new shards have begun. */
function statusFor(request: Received): number {
  const { id } = messageOf(request).data;
  const fails = !failed.has(id) && receiver.received.length % 4 === 0;
  (fails ? failed : told).add(id);
  return fails ? 500 : 204;
}

const withKey = (key: string) => client.post('/v1/invocations', ECHO, { 'idempotency-key': key });

// A new number of shards begins 10 s after its record, so that every process has read it by then.
it('Growing from one shard to eight under load loses no invocation and no callback, and keys stay valid', async () => {
  const accepted: string[] = [];
  const withCallback: string[] = [];
  const keyed = new Map<string, string>();
  const stop = new AbortController();
  const submit = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      const key = randomUUID();
      const [free, bound] = await Promise.all([
        client.post('/v1/invocations', { ...ECHO, callback: { url: receiver.url } }),
        withKey(key),
      ]);
      expect([free.status, bound.status]).toEqual([202, 202]);
      accepted.push(free.body.id, bound.body.id);
      withCallback.push(free.body.id);
      keyed.set(key, bound.body.id);
      await setTimeout(PAUSE_MS);
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
  await eventually(() => withCallback.every((id) => told.has(id)), 'every callback is received');
  expect(failed.size).toBeGreaterThan(0);
  const sample = [...keyed].filter((_, n) => n % Math.ceil(keyed.size / 60) === 0);
  for (const [key, id] of sample) expect((await withKey(key)).body.id).toBe(id);
  const listed = await client.get<{ count: { value: number } }>('/v1/invocations?count=true&limit=1');
  expect(listed.body.count.value).toBe(Math.min(accepted.length, 10_000));
});
