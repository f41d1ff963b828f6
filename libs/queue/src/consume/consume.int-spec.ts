import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { TestRedis } from '../../../../test/support/start-redis.js';
import { newInvocationId, ToolError } from '@errand/contracts';
import { recordOf, succeed, useQueues } from '../../test/use-queues.js';
import { readInvocation, requireRedis, submitInvocation, SupersededError, type Queues } from '../index.js';

const kit = useQueues();
const { serve, until } = kit;
let redis: TestRedis;
let queues: Queues;
beforeAll(() => {
  ({ redis, queues } = kit);
});

describe('The check of the Redis connection', () => {
  it('The check passes with a reachable Redis, and its error names the address but not the password', async () => {
    await expect(requireRedis(redis.url)).resolves.toBeUndefined();
    const away = requireRedis('redis://user:hunter2@127.0.0.1:1').catch((error: Error) => error.message);
    expect(await away).toMatch(/127\.0\.0\.1:1 cannot be used: .*ECONNREFUSED/);
    expect(await away).not.toContain('hunter2');
  });
});

describe('An invocation in its queue', () => {
  it('An invocation is queued, runs, and can then be read with its result', async () => {
    const id = newInvocationId();
    await submitInvocation(queues, 'invocations', id, recordOf());
    expect((await readInvocation(queues, 'default', id))!.status).toBe('queued');
    await serve('invocations', succeed);
    const ended = await until(id, 'succeeded');
    expect(ended).toMatchObject({
      result: 42,
      error: null,
      progress: 1,
      steps: [{ index: 0, status: 'succeeded', result: 42, attempts: 1 }],
    });
    expect(Date.parse(ended.finishedAt!)).toBeGreaterThanOrEqual(Date.parse(ended.startedAt!));
  });

  it('An invocation is not visible to another tenant', async () => {
    const id = newInvocationId();
    await submitInvocation(queues, 'invocations', id, recordOf());
    expect(await readInvocation(queues, 'stranger', id)).toBeUndefined();
  });

  it("An invocation fails with the tool's error at once if a retry cannot help", async () => {
    await serve('invocations', () => Promise.reject(new ToolError('ScriptError', 'division by zero', { exitCode: 1 })));
    const id = newInvocationId();
    await submitInvocation(queues, 'invocations', id, recordOf());
    const ended = await until(id, 'failed');
    expect(ended.error).toEqual({ type: 'ScriptError', message: 'division by zero', details: { exitCode: 1 } });
    expect(ended.steps[0]!.attempts).toBe(1);
  });

  it('An invocation is retried if a retry can help', async () => {
    let starts = 0;
    await serve('invocations', async () => {
      starts += 1;
      if (starts < 3) throw new ToolError('ServiceError', 'away');
      return succeed();
    });
    const id = newInvocationId();
    await submitInvocation(queues, 'invocations', id, recordOf(), {
      attempts: 3,
      backoff: { type: 'fixed', delayMs: 10 },
    });
    const ended = await until(id, 'succeeded', 'failed');
    expect(ended).toMatchObject({
      status: 'succeeded',
      result: 42,
      error: null,
      steps: [{ status: 'succeeded', attempts: 3 }],
    });
    const times = (ended.earlierAttempts ?? []).flatMap(({ startedAt, finishedAt }) => [startedAt, finishedAt]);
    expect(times).toHaveLength(4);
    const all = [ended.createdAt, ...times, ended.startedAt].map((time) => Date.parse(time ?? ''));
    expect(all).toEqual(all.toSorted((a, b) => a - b));
  });

  it('An invocation that fails with a CancelledError becomes cancelled', async () => {
    await serve('invocations', () => Promise.reject(new ToolError('CancelledError', 'a cancel request')));
    const id = newInvocationId();
    await submitInvocation(queues, 'invocations', id, recordOf());
    expect((await until(id, 'cancelled', 'failed')).status).toBe('cancelled');
  });

  it('An invocation that is submitted repeatedly is enqueued once', async () => {
    const id = newInvocationId();
    let runs = 0;
    await serve('invocations', async () => {
      runs += 1;
      return succeed();
    });
    await Promise.all(Array.from({ length: 20 }, () => submitInvocation(queues, 'invocations', id, recordOf())));
    await until(id, 'succeeded');
    await submitInvocation(queues, 'invocations', id, recordOf());
    expect((await readInvocation(queues, 'default', id))!.status).toBe('succeeded');
    expect(runs).toBe(1);
  });
});

describe('The death of a process', () => {
  const DOOMED = `
    const { Worker } = require('bullmq');
    const connection = { url: process.argv[1], maxRetriesPerRequest: null };
    const options = { connection, prefix: '{errand}', lockDuration: 300, stalledInterval: 100 };
    new Worker('invocations', (job) => { console.log(job.id); return new Promise(() => {}); }, options);`;

  /** Starts a process that takes the job, then kills it while the job runs. */
  async function startAndDie(id: string): Promise<void> {
    const doomed = spawn(process.execPath, ['-e', DOOMED, redis.url], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [taken] = (await once(doomed.stdout, 'data')) as [Buffer];
    expect(taken.toString().trim()).toBe(id);
    doomed.kill('SIGKILL');
    await once(doomed, 'exit');
  }

  it('A job of a dead process goes to another process, which sees the crash', async () => {
    const id = newInvocationId();
    await submitInvocation(queues, 'invocations', id, recordOf());
    await startAndDie(id);
    const crashed: boolean[] = [];
    await serve('invocations', async (work) => {
      crashed.push(work.afterCrash);
      return succeed();
    });
    const ended = await until(id, 'succeeded', 'failed');
    expect(ended.steps[0]).toMatchObject({ status: 'succeeded', attempts: 2 });
    expect(ended.earlierAttempts).toHaveLength(1);
    expect(crashed).toEqual([true]);
  });

  it('A job whose process dies twice fails with a LostError', async () => {
    const id = newInvocationId();
    await submitInvocation(queues, 'invocations', id, recordOf());
    await startAndDie(id);
    await startAndDie(id);
    let runs = 0;
    await serve('invocations', async () => {
      runs += 1;
      return succeed();
    });
    expect((await until(id, 'failed', 'succeeded')).error!.type).toBe('LostError');
    expect(runs).toBe(0);
  });
});

describe('A superseded process', () => {
  it('A superseded process stores no end, even if no process holds the lock any more', async () => {
    let starts = 0;
    await serve('invocations', async ({ id }) => {
      starts += 1;
      if (starts > 1) return succeed();
      await queues.redis.del(`{errand}:invocations:${id}:lock`);
      throw new SupersededError(id);
    });
    const id = newInvocationId();
    await submitInvocation(queues, 'invocations', id, recordOf());
    expect((await until(id, 'succeeded', 'failed')).status).toBe('succeeded');
    expect(starts).toBe(2);
  });
});
