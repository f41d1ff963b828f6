import { digestOf, newInvocationId, ToolError } from '@errand/contracts';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { TestRedis } from '../../../../test/support/start-redis.js';
import { recordOf, succeed, useQueues } from '../../test/use-queues.js';
import {
  cancelInvocation,
  claimKeys,
  Definitions,
  EventWriter,
  removeFailedChildren,
  JournalWriter,
  readEvents,
  readInvocation,
  readJournal,
  requireRedis,
  runChild,
  submitInvocation,
  submitInvocations,
  SupersededError,
  NotificationHub,
  type KeyClaim,
  type Queues,
} from '../index.js';
import { PATIENCE_MS } from '../../../../test/support/eventually.js';

const FOREVER = new AbortController().signal;

const kit = useQueues();
const { serve, until } = kit;
let redis: TestRedis;
let queues: Queues;
let notifications: NotificationHub;
beforeAll(() => {
  ({ redis, queues, notifications } = kit);
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
    expect(await until(id, 'succeeded', 'failed')).toMatchObject({
      status: 'succeeded',
      result: 42,
      error: null,
      steps: [{ status: 'succeeded', attempts: 3 }],
    });
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
    expect((await until(id, 'succeeded', 'failed')).steps[0]).toMatchObject({ status: 'succeeded', attempts: 2 });
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

describe('The journal', () => {
  it('The journal accepts writes of the current attempt and rejects those of a superseded one', async () => {
    const id = newInvocationId();
    await submitInvocation(queues, 'invocations', id, recordOf());
    const seen: unknown[] = [];
    await serve('invocations', async (work) => {
      const writer = new JournalWriter(queues, 'invocations', id, work.attempt);
      await writer.write([['0/a', { nodeId: 'a' }]]);
      const late = new JournalWriter(queues, 'invocations', id, work.attempt - 1);
      seen.push(await late.write([['0/a', 'overwritten']]).catch((error: unknown) => error));
      return succeed();
    });
    await until(id, 'succeeded');
    expect(seen[0]).toBeInstanceOf(SupersededError);
    expect(JSON.parse((await readJournal(queues, id)).get('0/a')!)).toEqual({ nodeId: 'a' });
  });

  it('The journal resets the count of deaths on progress, but not when a step only begins', async () => {
    const id = newInvocationId();
    const deaths = () => queues.redis.hget(`{errand}:invocations:${id}`, 'stc');
    await queues.redis.hset(`{errand}:invocations:${id}`, 'ats', '1', 'stc', '1');
    const writer = new JournalWriter(queues, 'invocations', id, 1);
    await writer.writeState('0', { status: 'running' });
    await writer.beginOnce('0');
    expect(await deaths()).toBe('1');
    await writer.write([['0/a', { nodeId: 'a' }]]);
    expect(await deaths()).toBe('0');
    await queues.redis.hset(`{errand}:invocations:${id}`, 'stc', '1');
    await writer.writeState('0', { status: 'succeeded' }, { ended: true });
    expect(await deaths()).toBe('0');
  });

  it('The journal accepts 10,000 fields in one write', async () => {
    const id = newInvocationId();
    await queues.redis.hset(`{errand}:invocations:${id}`, 'ats', '1');
    const fields = Array.from({ length: 10_000 }, (_, n) => [`0/${n}`, n] as const);
    await new JournalWriter(queues, 'invocations', id, 1).write(fields);
    expect((await readJournal(queues, id)).size).toBe(10_000);
  });
});

describe('The events of an invocation', () => {
  it('Events keep their order and can be read from any position', async () => {
    const id = newInvocationId();
    const writer = new EventWriter(queues, id, (error) => {
      throw error;
    });
    for (let n = 0; n < 50; n++) writer.emit({ event: 'log', line: `line ${n}`, stream: 'stderr', step: 0 });
    await writer.flush();
    const all = await readEvents(queues, id);
    expect(all.map(({ event }) => event.event === 'log' && event.line)).toEqual(
      Array.from({ length: 50 }, (_, n) => `line ${n}`),
    );
    expect(all.map(({ number }) => number)).toEqual(Array.from({ length: 50 }, (_, n) => n + 1));
    expect(await readEvents(queues, id, all[29]!.number)).toEqual(all.slice(30));
  });

  it('An event notifies only the subscribers of its invocation', async () => {
    const id = newInvocationId();
    const subscription = notifications.listen(id);
    const other = notifications.listen(newInvocationId());
    const writer = new EventWriter(queues, id, () => {});
    writer.emit({ event: 'progress', value: 0.5 });
    expect(await subscription.next(AbortSignal.timeout(PATIENCE_MS))).toBe(true);
    const hush = new AbortController();
    hush.abort();
    expect(await other.next(hush.signal)).toBe(false);
    subscription.close();
    other.close();
  });
});

describe('The stored definitions', () => {
  const definition = { tool: { toolId: 'test:tool', version: '1.0.0' } as never };

  it('Another process can read a definition by its digest', async () => {
    const digest = digestOf(definition);
    await new Definitions(queues).put([{ digest, definition }]);
    expect(await new Definitions(queues).get(digest)).toEqual(definition);
  });

  it('A definition that does not match its digest is refused', async () => {
    await new Definitions(queues).put([{ digest: 'f'.repeat(64), definition }]);
    await expect(new Definitions(queues).get('f'.repeat(64))).rejects.toMatchObject({ type: 'SecurityError' });
  });

  it('Reading an unknown definition fails with a LostError', async () => {
    await expect(new Definitions(queues).get('0'.repeat(64))).rejects.toMatchObject({ type: 'LostError' });
  });
});

describe('Idempotency keys', () => {
  const claim = async (over: Partial<KeyClaim> = {}) =>
    (
      await claimKeys(queues, [{ tenant: 'default', key: 'k', body: { a: 1, b: 2 }, id: newInvocationId(), ...over }])
    )[0]!;
  const keyOf = async () => (await queues.redis.keys('{errand}:idempotency:default:*'))[0]!;
  afterEach(async () => {
    await queues.redis.del(await queues.redis.keys('{errand}:idempotency:*'));
  });

  it('A key gives one id to concurrent requests with the same body and rejects another body', async () => {
    const claims = await Promise.all(Array.from({ length: 50 }, () => claim()));
    const ids = new Set(claims.map((claimed) => claimed !== 'other body' && claimed.id));
    expect(ids.size).toBe(1);
    expect(claims.filter((claimed) => claimed !== 'other body' && claimed.isNew)).toHaveLength(1);
    expect(await claim({ body: { b: 2, a: 1 }, id: 'x' })).toMatchObject({ id: [...ids][0], wasEnqueued: false });
    expect(await claim({ body: { a: 2 } })).toBe('other body');
    expect(await claim({ body: { a: 2 }, tenant: 'other', id: 'x' })).toMatchObject({ id: 'x', isNew: true });
  });

  it('A key expires within one hour if nothing is enqueued, else one day after its invocation ends', async () => {
    const first = await claim();
    if (first === 'other body') throw new Error('the key was free');
    expect(await queues.redis.ttl(await keyOf())).toBeLessThanOrEqual(3_600);
    const { id } = first;
    await submitInvocations(queues, [{ queue: 'invocations', id, record: recordOf(), claim: first.claim }]);
    expect(await queues.redis.ttl(await keyOf())).toBeGreaterThan(365 * 86_400);
    expect(await claim()).toMatchObject({ id, isNew: false, wasEnqueued: true });
    await serve('invocations', async () => ({ steps: [{ status: 'succeeded', result: 1 }] }));
    await until(id, 'succeeded');
    expect(await queues.redis.ttl(await keyOf())).toBeGreaterThan(86_300);
    expect(await queues.redis.ttl(await keyOf())).toBeLessThanOrEqual(86_400);
  });

  it('A key also expires one day after its invocation is cancelled', async () => {
    const first = await claim();
    if (first === 'other body') throw new Error('the key was free');
    await submitInvocations(queues, [{ queue: 'invocations', id: first.id, record: recordOf(), claim: first.claim }]);
    await cancelInvocation(queues, 'default', first.id);
    expect(await queues.redis.ttl(await keyOf())).toBeLessThanOrEqual(86_400);
  });
});

describe('A script as a step', () => {
  const child = (invocationId: string) => ({
    ...recordOf({}, { toolId: 'test:script' }),
    parent: { invocationId, step: 1 },
  });

  it('A script step that succeeds after a retry has succeeded', async () => {
    let runs = 0;
    await serve('scripts', async () => {
      runs += 1;
      if (runs === 1) throw new ToolError('ServiceError', 'away');
      return succeed();
    });
    const outcome = await runChild(queues, notifications, child(newInvocationId()), FOREVER);
    expect(outcome).toMatchObject({ status: 'succeeded', result: 42 });
  });

  it('A script step that is requested repeatedly runs once, and each request gets its outcome', async () => {
    const invocationId = newInvocationId();
    let runs = 0;
    await serve('scripts', async () => {
      runs += 1;
      return succeed();
    });
    const outcomes = await Promise.all(
      [1, 2, 3].map(() => runChild(queues, notifications, child(invocationId), FOREVER)),
    );
    for (const outcome of outcomes) expect(outcome).toEqual({ status: 'succeeded', result: 42 });
    expect(await runChild(queues, notifications, child(invocationId), FOREVER)).toEqual(outcomes[0]);
    expect(runs).toBe(1);
  });

  it('A script step reports each progress once to its caller and leaves no progress data behind', async () => {
    const invocationId = newInvocationId();
    await serve('scripts', async ({ id }) => {
      const events = new EventWriter(queues, id, () => {});
      events.emit({ event: 'progress', value: 0.25 });
      await events.flush();
      events.emit({ event: 'progress', value: 0.5, message: 'half' });
      await events.flush();
      return succeed();
    });
    const reported: [number, string?][] = [];
    const onProgress = (...progress: [number, string?]) => void reported.push(progress);
    await runChild(queues, notifications, child(invocationId), FOREVER, { onProgress });
    expect(reported.at(-1)).toEqual([0.5, 'half']);
    expect(reported.filter(([value]) => value === 0.5)).toHaveLength(1);
    const kept = await queues.redis.keys(`*${invocationId}.*`);
    expect(kept.filter((key) => key.includes(':events:') || key.includes(':state:'))).toEqual([]);
    expect(await readEvents(queues, invocationId)).toEqual([]);
  });

  it('A failed script step runs anew only after its failure is removed', async () => {
    const invocationId = newInvocationId();
    let runs = 0;
    await serve('scripts', async () => {
      runs += 1;
      if (runs === 1) throw new ToolError('ScriptError', 'no');
      return succeed();
    });
    const run = () => runChild(queues, notifications, child(invocationId), FOREVER);
    await expect(run()).rejects.toMatchObject({ type: 'ScriptError' });
    await expect(run()).rejects.toMatchObject({ type: 'ScriptError' });
    await removeFailedChildren(queues, invocationId);
    expect(await run()).toMatchObject({ status: 'succeeded' });
    expect(runs).toBe(2);
  });

  it('A script step fails with the error of its script', async () => {
    await serve('scripts', () => Promise.reject(new ToolError('TimeoutError', 'too slow')));
    await expect(runChild(queues, notifications, child(newInvocationId()), FOREVER)).rejects.toMatchObject({
      type: 'TimeoutError',
    });
  });
});
