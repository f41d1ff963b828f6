import { setTimeout } from 'node:timers/promises';
import { useStack } from './support/start-stack.js';

/** Real processes that are told to end, and a Redis that goes away. */
const stack = useStack({ persistent: true, env: { ERRAND_SHUTDOWN_MS: '2000' } }, { each: true });
const { client } = stack;

const delay = (ms: number) => ({ toolId: 'core:delay', arguments: { ms, value: 'done' } });

const untilRunning = (id: string) => client.until(id, ({ status }) => status === 'running');

describe('a worker that is told to end', () => {
  it('names what it could not finish in time, and another finishes it', async () => {
    const worker = await stack.processes.start('worker');
    const { body } = await client.post('/v1/invocations', delay(5_000));
    await untilRunning(body.id);
    expect(await stack.processes.end(worker, 'SIGTERM')).toBe(1);
    expect(stack.processes.wordsOf(worker)).toContain(
      `not drained within ERRAND_SHUTDOWN_MS=2000; left to others: ${body.id}`,
    );
    await stack.processes.start('worker');
    expect(await client.untilEnded(body.id)).toMatchObject({ status: 'succeeded', steps: [{ attempts: 2 }] });
  });

  it('ends in time although Redis is away', async () => {
    const worker = await stack.processes.start('worker');
    const { body } = await client.post('/v1/invocations', delay(60_000));
    await untilRunning(body.id);
    await stack.redis.kill();
    expect(await stack.processes.end(worker, 'SIGTERM')).toBe(1);
    expect(stack.processes.wordsOf(worker)).toContain('not drained within ERRAND_SHUTDOWN_MS=2000');
    await stack.redis.restart();
  });
});

describe.each(['worker', 'script-runner'] as const)('an idle %s that is told to end', (part) => {
  it('does not wait for a Redis that is away', async () => {
    const idle = await stack.processes.start(part, { ERRAND_SHUTDOWN_MS: '20000' });
    await stack.redis.kill();
    expect(await stack.processes.end(idle, 'SIGTERM')).toBe(0);
    await stack.redis.restart();
  });
});

describe('a Redis that is killed and comes back', () => {
  it('has all that was accepted, and who waited goes on', async () => {
    const worker = await stack.processes.start('worker');
    const before = await client.post('/v1/invocations', delay(300));
    const parked = await client.post('/v1/invocations', { ...delay(1), options: { delayMs: 2_000 } });
    await untilRunning(before.body.id);
    await stack.redis.kill();
    const refused = await client.post<{ code: string }>('/v1/invocations', delay(1));
    expect([refused.status, refused.body.code]).toEqual([503, 'unavailable']);
    expect(refused.headers.get('retry-after')).not.toBeNull();
    expect(await (await fetch(`${stack.url}/metrics`)).text()).toContain('errand_redis_up 0');
    await stack.redis.restart();
    await untilAccepted(delay(1));
    expect(await client.untilEnded(before.body.id)).toMatchObject({ status: 'succeeded', result: 'done' });
    expect(await client.untilEnded(parked.body.id)).toMatchObject({ status: 'succeeded' });
    expect(worker.exitCode).toBeNull();
  });

  it('after longer than a lock holds finds what ran meanwhile in the same hands', async () => {
    const impatient = { ERRAND_LOCK_MS: '1000', ERRAND_STALLED_MS: '500' };
    await Promise.all([stack.processes.start('worker', impatient), stack.processes.start('worker', impatient)]);
    const calls = [delay(5_000), delay(2_000)];
    const ids = await Promise.all(calls.map(async (call) => (await client.post('/v1/invocations', call)).body.id));
    await Promise.all(ids.map(untilRunning));
    await stack.redis.kill();
    // One of them ends while there is nobody to take its end.
    await setTimeout(3_000);
    await stack.redis.restart();
    for (const id of ids)
      expect(await client.untilEnded(id)).toMatchObject({ status: 'succeeded', steps: [{ attempts: 1 }] });
  });

  it('that only hangs is told of as well', async () => {
    process.kill(stack.redis.pid, 'SIGSTOP');
    const refused = await client.post<{ code: string }>('/v1/invocations', delay(1));
    process.kill(stack.redis.pid, 'SIGCONT');
    expect([refused.status, refused.body.code]).toEqual([503, 'unavailable']);
    await untilAccepted(delay(1));
  });

  async function untilAccepted(body: object): Promise<void> {
    while ((await client.post('/v1/invocations', body)).status !== 202);
  }
});
