import type { Queues } from '@errand/queue';
import { keysOf } from '../../../libs/queue/src/redis/names.js';
import { useStack } from '../../../test/support/start-stack.js';

/** No worker runs, so only the API extends the life of a file. */
const stack = useStack();
const { client } = stack;
let queues: Queues;
beforeAll(async () => {
  queues = await stack.openQueues();
});

it('A repair keeps the attachments of the invocation for the retention age', async () => {
  const attachments = [{ name: 'a.txt', base64: 'YQ==' }];
  const { body } = await client.post('/v1/invocations', { toolId: 'core:echo', arguments: { value: 1 }, attachments });
  await client.post(`/v1/invocations/${body.id}/cancel`, {});
  const { sha256 = '' } = (await client.read(body.id)).attachments?.[0] ?? {};
  const [place = queues] = queues.shards?.placesOf('default', sha256) ?? [];
  const name = keysOf(place.redis).attachment('default', sha256);
  expect(await place.redis.expire(name, 60)).toBe(1);
  const { status, body: repair } = await client.retry(body.id);
  expect(status).toBe(202);
  expect((await client.read(repair.id)).attachments).toHaveLength(1);
  expect(await place.redis.ttl(name)).toBeGreaterThan(60);
});
