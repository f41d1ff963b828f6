import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from './support/eventually.js';
import { GATE } from './support/gate-library.js';
import { useStack } from './support/start-stack.js';

/** Real processes that get SIGTERM, and a Redis that is killed. */
const env = { ERRAND_SHUTDOWN_MS: '2000', ERRAND_REDIS_REPLY_MS: '2000' };
const stack = useStack({ library: GATE, persistent: true, env }, { each: true });
const { client } = stack;

const delay = (ms: number) => ({ toolId: 'core:delay', arguments: { ms, value: 'done' } });
const file = (name: string) => join(stack.folder, name);
/** Runs until `release` is called with the same name. Then it writes the file `<name>.left`. */
const hold = (name: string) => ({ toolId: 'gate:hold', arguments: { open: file(name), left: file(`${name}.left`) } });
const release = (name: string) => writeFileSync(file(name), '');

const untilRunning = (id: string) => client.until(id, ({ status }) => status === 'running');

const LOCK_MS = 1_000;

describe('A worker that gets SIGTERM', () => {
  it('A worker logs the jobs that it could not finish in time, and another worker finishes them', async () => {
    const worker = await stack.processes.start('worker');
    const { body } = await client.post('/v1/invocations', hold('long'));
    await untilRunning(body.id);
    expect(await stack.processes.end(worker, 'SIGTERM')).toBe(1);
    expect(stack.processes.wordsOf(worker)).toContain(
      `not drained within ERRAND_SHUTDOWN_MS=2000; other processes take over: ${body.id}`,
    );
    await stack.processes.start('worker');
    release('long');
    expect(await client.untilEnded(body.id)).toMatchObject({ status: 'succeeded', steps: [{ attempts: 2 }] });
  });

  it('A worker ends in time although Redis is away', async () => {
    const worker = await stack.processes.start('worker');
    const { body } = await client.post('/v1/invocations', hold('long'));
    await untilRunning(body.id);
    await stack.redis.kill();
    expect(await stack.processes.end(worker, 'SIGTERM')).toBe(1);
    expect(stack.processes.wordsOf(worker)).toContain('not drained within ERRAND_SHUTDOWN_MS=2000');
    await stack.redis.restart();
  });
});

describe.each(['worker', 'script-runner'] as const)('An idle %s that gets SIGTERM', (part) => {
  it('An idle process does not wait for Redis when it ends', async () => {
    const idle = await stack.processes.start(part, { ERRAND_SHUTDOWN_MS: '120000' });
    await stack.redis.kill();
    const code = await stack.processes.end(idle, 'SIGTERM');
    expect(code === 0 ? 'ended in order' : stack.processes.wordsOf(idle)).toBe('ended in order');
    await stack.redis.restart();
  });
});

describe('A Redis that is killed and restarted', () => {
  it('A restarted Redis has all accepted invocations, and running and delayed ones continue', async () => {
    const worker = await stack.processes.start('worker');
    const before = await client.post('/v1/invocations', hold('before'));
    const parked = await client.post('/v1/invocations', { ...delay(1), options: { delayMs: 2_000 } });
    await untilRunning(before.body.id);
    await stack.redis.kill();
    const refused = await client.post<{ code: string }>('/v1/invocations', delay(1));
    expect([refused.status, refused.body.code]).toEqual([503, 'unavailable']);
    expect(refused.headers.get('retry-after')).not.toBeNull();
    expect(await (await fetch(`${stack.url}/metrics`)).text()).toContain('errand_redis_up 0');
    await stack.redis.restart();
    await untilAccepted(delay(1));
    release('before');
    expect(await client.untilEnded(before.body.id)).toMatchObject({ status: 'succeeded', result: 'done' });
    expect(await client.untilEnded(parked.body.id)).toMatchObject({ status: 'succeeded' });
    expect(worker.exitCode).toBeNull();
  });

  it('A worker keeps its running jobs when Redis is away for longer than a lock', async () => {
    const impatient = { ERRAND_LOCK_MS: String(LOCK_MS), ERRAND_STALLED_MS: '500' };
    await Promise.all([stack.processes.start('worker', impatient), stack.processes.start('worker', impatient)]);
    const calls = [hold('long'), hold('short')];
    const ids = await Promise.all(calls.map(async (call) => (await client.post('/v1/invocations', call)).body.id));
    // A worker that has only taken a job needs Redis to begin it.
    await eventually(() => ['long', 'short'].every((name) => existsSync(file(`${name}.left.begun`))));
    await stack.redis.kill();
    const killedAt = performance.now();
    // One job ends while Redis is away.
    release('short');
    await eventually(() => existsSync(file('short.left')) && performance.now() - killedAt > LOCK_MS);
    await stack.redis.restart();
    release('long');
    for (const id of ids)
      expect(await client.untilEnded(id)).toMatchObject({ status: 'succeeded', steps: [{ attempts: 1 }] });
  });

  it('A submission gets 503 while Redis hangs', async () => {
    process.kill(stack.redis.pid, 'SIGSTOP');
    const refused = await client.post<{ code: string }>('/v1/invocations', delay(1));
    process.kill(stack.redis.pid, 'SIGCONT');
    expect([refused.status, refused.body.code]).toEqual([503, 'unavailable']);
    await untilAccepted(delay(1));
  });

  async function untilAccepted(body: object): Promise<void> {
    await eventually(async () => (await client.post('/v1/invocations', body)).status === 202);
  }
});
