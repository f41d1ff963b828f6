import type { Invocation } from '@errand/contracts';
import { Redis } from 'ioredis';
import { Client, type Problem } from './support/client.js';
import { onOneServer } from './support/redis-kinds.js';
import { useStack } from './support/start-stack.js';

interface Page {
  items: Invocation[];
}

const stack = useStack(onOneServer('Each shard has its own places and bounds, and each server its own memory'), {
  each: true,
});
const { client } = stack;

const echo = (value: unknown) => ({ toolId: 'core:echo', arguments: { value } });

describe('The queue of invocations', () => {
  it('A queued invocation shows its position and what it waits for', async () => {
    const { body } = await client.post('/v1/invocations', echo(1));
    const { body: second } = await client.post('/v1/invocations', echo(2));
    expect((await client.read(body.id)).queue).toEqual({
      position: 1,
      ahead: 0,
      waitingFor: 'a worker: none is alive',
      etaMs: null,
    });
    expect((await client.read(second.id)).queue).toMatchObject({ position: 2 });
    await stack.start('worker');
    expect(await client.untilEnded(second.id)).not.toHaveProperty('queue');
  });

  it('A full queue refuses submissions with 429 and Retry-After, and keeps its jobs', async () => {
    const small = new Client(await stack.startApi({ ERRAND_QUEUE_BOUND: '10' }));
    const answers = await Promise.all(Array.from({ length: 30 }, (_, n) => small.post('/v1/invocations', echo(n))));
    const refused = answers.filter(({ status }) => status === 429);
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(10);
    expect(refused).toHaveLength(20);
    expect(refused[0]!.body.code).toBe('queue_full');
    expect(Number(refused[0]!.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect((await small.get<Page>('/v1/invocations?limit=100')).body.items).toHaveLength(10);
    await stack.start('worker');
    for (const { body, status } of answers) if (status === 202) await small.untilEnded(body.id);
    expect((await small.post('/v1/invocations', echo('again'))).status).toBe(202);
  });

  it('A submission that Redis cannot store gets 503 and leaves nothing in Redis', async () => {
    await client.post('/v1/invocations', echo(0));
    const admin = new Redis(stack.redis.url);
    await admin.config('SET', 'maxmemory-policy', 'noeviction');
    await admin.config('SET', 'maxmemory', '1');
    const before = await admin.dbsize();
    const { status, body, headers } = await client.post<Problem>('/v1/invocations', echo(1));
    expect({ status, code: body.code }).toEqual({ status: 503, code: 'unavailable' });
    expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(await admin.dbsize()).toBeLessThanOrEqual(before);
    await admin.config('SET', 'maxmemory', '0');
    expect((await client.post('/v1/invocations', echo(2))).status).toBe(202);
    expect((await client.get<Page>('/v1/invocations')).body.items).toHaveLength(2);
    await admin.config('SET', 'min-replicas-to-write', '1');
    expect((await client.post<Problem>('/v1/invocations', echo(1))).body.code).toBe('unavailable');
    admin.disconnect();
  });
});
