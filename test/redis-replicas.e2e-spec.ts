import { randomUUID } from 'node:crypto';
import { eventually } from './support/eventually.js';
import { RedisProcesses, serverArguments, type RedisProcess } from './support/redis-processes.js';
import { useStack } from './support/start-stack.js';

const ECHO = { toolId: 'core:echo', arguments: { value: 1 } };
const processes = new RedisProcesses();
const stack = useStack({ with: ['worker'], env: { ERRAND_REDIS_MIN_REPLICAS: '1' } });
const { client } = stack;
let replica: RedisProcess;
beforeAll(async () => {
  const follow = { replicaof: `127.0.0.1 ${stack.redis.port}` };
  replica = await processes.start((port, folder) => serverArguments(port, folder, follow));
  await eventually(async () => (await replica.admin.info('replication')).includes('master_link_status:up'));
});
afterAll(() => processes.stop());

const submit = (key: string) => client.post('/v1/invocations', ECHO, { 'idempotency-key': key });
const reason = async () => (await client.get<{ checks: { redis: string } }>('/readyz')).body.checks.redis;

describe('An API with ERRAND_REDIS_MIN_REPLICAS=1', () => {
  it('A submission is accepted while the replica follows', async () => {
    expect((await submit(randomUUID())).status).toBe(202);
    expect(await reason()).toBe('ok');
  });

  it('A submission gets 503 while the replica hangs, and its key gets the same invocation afterwards', async () => {
    const [fresh, known, batch] = [randomUUID(), randomUUID(), randomUUID()];
    const before = await submit(known);
    replica.signal('SIGSTOP');
    const refused = await submit(fresh);
    expect(refused.status).toBe(503);
    expect(refused.body).toMatchObject({
      code: 'unavailable',
      detail: expect.stringContaining('fewer than 1 of its replicas'),
    });
    expect(refused.headers.get('retry-after')).toBe('2');
    // A response to a repeated request is a promise as well.
    expect((await submit(known)).status).toBe(503);
    const items = { items: [ECHO, ECHO] };
    expect((await client.post('/v1/invocations/batch', items, { 'idempotency-key': batch })).status).toBe(503);
    expect(await reason()).toBe('fewer than 1 replicas of Redis confirm writes');
    expect((await client.read(before.body.id)).id).toBe(before.body.id);

    replica.signal('SIGCONT');
    await eventually(async () => (await reason()) === 'ok');
    const accepted = await submit(fresh);
    expect([200, 202]).toContain(accepted.status);
    expect((await submit(fresh)).body.id).toBe(accepted.body.id);
    expect((await client.untilEnded(accepted.body.id)).status).toBe('succeeded');
    expect((await client.post('/v1/invocations/batch', items, { 'idempotency-key': batch })).status).toBe(200);
    const list = await client.get<{ items: unknown[] }>('/v1/invocations');
    // Three single ones and two of the batch: nothing was accepted twice.
    expect(list.body.items).toHaveLength(5);
  });
});
