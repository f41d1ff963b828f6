import { digestOf, newInvocationId, ToolError } from '@errand/contracts';
import { recordOf, succeed, useQueues } from '../../test/use-queues.js';
import {
  cancelInvocation,
  Definitions,
  endChildren,
  EventWriter,
  giveAnswer,
  JournalWriter,
  extendRetention,
  SuspendJob,
  readAnswers,
  readInvocation,
  runChild,
  submitInvocation,
  NotificationHub,
  type InvocationRecord,
  type Outcome,
  type Queues,
  type SubmitOptions,
  type Work,
} from '../index.js';
import { PATIENCE_MS } from '../../../../test/support/eventually.js';

const YEAR_MS = 365 * 86_400_000;

const kit = useQueues();
const { serve, until } = kit;
let queues: Queues;
let notifications: NotificationHub;
beforeAll(() => {
  ({ queues, notifications } = kit);
});

async function submit(options: SubmitOptions = {}, over: Partial<InvocationRecord> = {}): Promise<string> {
  const id = newInvocationId();
  await submitInvocation(queues, 'invocations', id, recordOf(over), options);
  return id;
}

/** Works until its signal aborts. */
const obey = ({ signal }: Work): Promise<Outcome> =>
  new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason as Error);
    signal.addEventListener('abort', () => reject(signal.reason as Error));
  });

const cancel = (id: string) => cancelInvocation(queues, 'default', id);
const isFailedForBullMq = async (id: string) => (await queues.byName.invocations.getJob(id))!.isFailed();

describe('Cancel requests', () => {
  it.each<[string, SubmitOptions]>([
    ['waits', {}],
    ['waits by priority', { priority: 5 }],
    ['is delayed', { delayMs: 60_000 }],
  ])('A cancel request ends an invocation that %s at once, and the invocation never starts', async (_how, options) => {
    const id = await submit(options);
    expect(await cancel(id)).toBe('cancelled');
    const ended = (await readInvocation(queues, 'default', id))!;
    expect(ended).toMatchObject({
      status: 'cancelled',
      startedAt: null,
      finishedAt: expect.any(String),
      error: { type: 'CancelledError' },
      steps: [{ status: 'cancelled', startedAt: null }],
    });
    expect(await isFailedForBullMq(id)).toBe(true);
    let starts = 0;
    await serve('invocations', async () => {
      starts += 1;
      return succeed();
    });
    await until(await submit(), 'succeeded');
    expect(starts).toBe(1);
  });

  it('A cancel request stops a running invocation, and repeated requests get the same response', async () => {
    await serve('invocations', obey);
    const id = await submit();
    await until(id, 'running');
    expect(await Promise.all([cancel(id), cancel(id), cancel(id)])).toEqual(Array(3).fill('cancelling'));
    expect((await until(id, 'cancelled')).error!.type).toBe('CancelledError');
    expect(await cancel(id)).toBe('ended');
  });

  it('A cancel request ends an invocation that waits for a retry, whose steps meanwhile show the last error', async () => {
    await serve('invocations', () => Promise.reject(new ToolError('ServiceError', 'away')));
    const id = await submit({ attempts: 5, backoff: { type: 'fixed', delayMs: 600_000 } });
    await notifications.until(id, AbortSignal.timeout(PATIENCE_MS), async () =>
      (await (await queues.byName.invocations.getJob(id))!.isDelayed()) ? true : undefined,
    );
    const error = { type: 'ServiceError', message: 'away' };
    expect(await until(id, 'queued')).toMatchObject({ error: null, steps: [{ status: 'queued', error }] });
    expect(await cancel(id)).toBe('cancelled');
    expect(await until(id, 'cancelled')).toMatchObject({ steps: [{ attempts: 1 }] });
  });

  it('A cancel request that arrives while a job fails ends the job without waiting for its retry', async () => {
    await serve('invocations', async ({ id }) => {
      // Simulates a cancel request whose notification has not reached this process yet.
      await queues.redis.hset(`{errand}:invocations:${id}`, 'errand:cancel', Date.now());
      throw new ToolError('ServiceError', 'away');
    });
    const id = await submit({ attempts: 5, backoff: { type: 'fixed', delayMs: 600_000 } });
    await until(id, 'cancelled');
  });

  it('A cancel request decides the status even if the work succeeds at the same moment', async () => {
    let finish: (outcome: Outcome) => void = () => {};
    await serve('invocations', () => new Promise((resolve) => (finish = resolve)));
    const id = await submit();
    await until(id, 'running');
    await queues.redis.hset(`{errand}:invocations:${id}`, 'errand:cancel', Date.now());
    finish(await succeed());
    expect(await until(id, 'cancelled', 'succeeded')).toMatchObject({
      status: 'cancelled',
      result: null,
      steps: [{ status: 'cancelled' }],
    });
  });

  it('The response to a cancel request always matches the final status of the invocation', async () => {
    await serve('invocations', async () => {
      await new Promise((resolve) => setImmediate(resolve));
      return succeed();
    });
    const ids = await Promise.all(Array.from({ length: 100 }, () => submit()));
    const answers = await Promise.all(ids.map((id) => cancel(id)));
    const ends = await Promise.all(ids.map((id) => until(id, 'cancelled', 'succeeded')));
    expect(ends.map(({ status }) => status)).toEqual(
      answers.map((answer) => (answer === 'ended' ? 'succeeded' : 'cancelled')),
    );
  });

  it('A cancel request cannot reach an invocation of another tenant', async () => {
    const id = await submit();
    expect(await cancelInvocation(queues, 'stranger', id)).toBeUndefined();
    expect((await readInvocation(queues, 'default', id))!.status).toBe('queued');
    expect(await cancel(newInvocationId())).toBeUndefined();
    await cancel(id);
  });

  it('A process that takes over from a dead process sees the cancel request first', async () => {
    // Simulates a dead process that still holds the job until its lock expires.
    const id = await submit();
    const taken = await queues.redis.lmove('{errand}:invocations:wait', '{errand}:invocations:active', 'RIGHT', 'LEFT');
    expect(taken).toBe(id);
    await queues.redis.hset(`{errand}:invocations:${id}`, 'ats', 1, 'processedOn', Date.now());
    expect(await cancel(id)).toBe('cancelling');
    const aborted: boolean[] = [];
    await serve('invocations', async (work) => {
      aborted.push(work.signal.aborted);
      return obey(work);
    });
    await until(id, 'cancelled');
    expect(aborted).toEqual([true]);
  });

  it('A cancel request ends the scripts of an invocation before it ends the invocation', async () => {
    const order: string[] = [];
    await serve('scripts', async (work) => {
      try {
        return await obey(work);
      } finally {
        order.push('script');
      }
    });
    await serve('invocations', async (work) => {
      const child = { ...work.record, parent: { invocationId: work.id, step: 0 } };
      try {
        return { steps: [await runChild(queues, notifications, child, work.signal)] };
      } finally {
        await endChildren(queues, notifications, work.id);
        order.push('invocation');
      }
    });
    const id = await submit();
    await notifications.until(`${id}.0`, AbortSignal.timeout(PATIENCE_MS), async () =>
      (await queues.redis.exists(`{errand}:scripts:${id}.0:lock`)) ? true : undefined,
    );
    await cancel(id);
    await until(id, 'cancelled');
    expect(order).toEqual(['script', 'invocation']);
  });
});

describe('Suspended invocations', () => {
  const suspend =
    (due: number | undefined, waitsFor: 'time' | 'answer', seen: Work[] = []) =>
    async (work: Work) => {
      seen.push(work);
      if (work.suspensions === 0) throw new SuspendJob(due, waitsFor);
      return succeed();
    };

  it('An invocation suspended for an answer holds no slot and continues with the answer', async () => {
    const seen: Work[] = [];
    await serve('invocations', suspend(undefined, 'answer', seen), { concurrency: 1 });
    const id = await submit();
    expect(await until(id, 'waiting_external')).toMatchObject({ finishedAt: null, steps: [{ attempts: 1 }] });
    await until(await submit(), 'waiting_external');
    expect(await giveAnswer(queues, { tenant: 'default', id, field: '0' }, { answer: { result: 7 } })).toBe('taken');
    const ended = await until(id, 'succeeded');
    expect(ended.steps[0]!.attempts).toBe(1);
    expect(seen.at(-1)).toMatchObject({ attempt: 2, suspensions: 1, begunAt: seen[0]!.begunAt, afterCrash: false });
    expect(Date.parse(ended.startedAt!)).toBe(seen[0]!.begunAt);
    expect((await readAnswers(queues, id)).get('0')).toEqual({ answer: { result: 7 } });
  });

  it('An invocation suspended for a time stays running and continues when the time is over', async () => {
    const at = Date.now() + 300;
    await serve('invocations', suspend(at, 'time'));
    const id = await submit();
    const ended = await until(id, 'succeeded', 'waiting_external');
    expect(ended.status).toBe('succeeded');
    expect(Date.parse(ended.finishedAt!)).toBeGreaterThanOrEqual(at);
  });

  it('Suspending an invocation uses no attempt and keeps its start time', async () => {
    const attempts: number[] = [];
    await serve('invocations', async (work) => {
      attempts.push(work.attempt - work.suspensions);
      if (work.attempt <= 4) throw new SuspendJob(Date.now(), 'time');
      throw new ToolError('ServiceError', 'away');
    });
    const id = await submit({ attempts: 2, backoff: { type: 'fixed', delayMs: 1 } });
    expect((await until(id, 'failed')).steps[0]!.attempts).toBe(2);
    expect(attempts).toEqual([1, 1, 1, 1, 1, 2]);
  });

  it('An answer that arrives while the invocation is being suspended is not lost', async () => {
    let runs = 0;
    await serve('invocations', async (work) => {
      runs += 1;
      const answered = (await readAnswers(queues, work.id)).has('0');
      if (answered) return succeed();
      // The answer arrives after the read and before the job is suspended.
      await giveAnswer(queues, { tenant: 'default', id: work.id, field: '0' }, { answer: { result: 1 } });
      throw new SuspendJob(undefined, 'answer');
    });
    const id = await submit();
    await until(id, 'succeeded');
    expect(runs).toBe(2);
  });

  it('A cancel request ends a suspended invocation at once, and also one that is just being suspended', async () => {
    await serve('invocations', suspend(undefined, 'answer'));
    const suspended = await submit();
    await until(suspended, 'waiting_external');
    expect(await cancel(suspended)).toBe('cancelled');
    expect((await until(suspended, 'cancelled')).finishedAt).not.toBeNull();
    await kit.endConsumers();
    await serve('invocations', async ({ id, signal }) => {
      if (signal.aborted) throw signal.reason as Error;
      await queues.redis.hset(`{errand}:invocations:${id}`, 'errand:cancel', Date.now());
      throw new SuspendJob(undefined, 'answer');
    });
    await until(await submit(), 'cancelled');
  });

  it('A wait accepts one answer, repeats of the same answer, and no new answer after the end', async () => {
    await serve('invocations', suspend(undefined, 'answer'));
    const id = await submit();
    await until(id, 'waiting_external');
    const give = (result: number) =>
      giveAnswer(queues, { tenant: 'default', id, field: '0' }, { answer: { result }, nodeId: 'a' });
    const given = await Promise.all([give(1), give(1), give(1)]);
    expect(given).toEqual(['taken', 'taken', 'taken']);
    expect(await give(2)).toBe('other');
    await until(id, 'succeeded');
    expect(await give(1)).toBe('taken');
    const late = { tenant: 'default', id, field: '0/other' };
    expect(await giveAnswer(queues, late, { answer: { result: 1 } })).toBe('ended');
    expect(await giveAnswer(queues, { ...late, tenant: 'stranger' }, { answer: { result: 1 } })).toBe('ended');
  });

  it('A suspended invocation keeps its data for as long as its wait may last', async () => {
    const id = await submit();
    await queues.redis.hset(`{errand}:invocations:${id}`, 'ats', '1');
    await new JournalWriter(queues, 'invocations', id, 1).write([['0/a', {}]]);
    await extendRetention(queues, id, ['d'], Date.now() + YEAR_MS);
    expect(await queues.redis.ttl(`{errand}:journal:${id}`)).toBeGreaterThan(360 * 86_400);
    await cancel(id);
    expect(await queues.redis.ttl(`{errand}:journal:${id}`)).toBeLessThanOrEqual(queues.retention.ageSeconds);
  });

  it('A process that lost its job to another process cannot suspend it', async () => {
    let starts = 0;
    await serve('invocations', async ({ id }) => {
      starts += 1;
      if (starts > 1) return succeed();
      // The lock expires unnoticed, and a second process takes the job.
      await queues.redis.set(`{errand}:invocations:${id}:lock`, "another's", 'PX', 200);
      throw new SuspendJob(undefined, 'answer');
    });
    const id = await submit();
    expect(await until(id, 'succeeded')).toMatchObject({ steps: [{ attempts: 2 }] });
  });
});

describe('The stored definitions', () => {
  it('A definition is kept while a delayed invocation needs it, even if it is stored again', async () => {
    const definition = { tool: { toolId: 'test:late' } } as never;
    const digest = digestOf(definition);
    const call = { ...recordOf().calls[0]!, digest };
    await new Definitions(queues).put([{ digest, definition }]);
    const id = await submit({ delayMs: YEAR_MS }, { calls: [call] });
    await new Definitions(queues).put([{ digest, definition }]);
    expect(await queues.redis.ttl(`{errand}:definition:${digest}`)).toBeGreaterThan(360 * 86_400);
    await cancel(id);
  });
});

describe('Steps with effects that may happen only once', () => {
  it('A step with `effects: "once"` begins once, unless its earlier outcome is known', async () => {
    const id = await submit();
    await queues.redis.hset(`{errand}:invocations:${id}`, 'ats', '1');
    const journal = new JournalWriter(queues, 'invocations', id, 1);
    expect([await journal.beginOnce('0'), await journal.beginOnce('0'), await journal.beginOnce('1')]).toEqual([
      true,
      false,
      true,
    ]);
    await journal.clearOnce('0');
    expect(await journal.beginOnce('0')).toBe(true);
    await cancel(id);
  });
});

describe('The state of a running invocation', () => {
  const node = (status: string, startedAt: string) => ({ nodeId: status, type: 't', status, startedAt });

  it('A running invocation shows its nodes in order of their start, and none of them stays running after the end', async () => {
    let end: () => void = () => {};
    await serve('invocations', async (work) => {
      const events = new EventWriter(queues, work.id, () => {}, { queue: 'invocations', attempt: work.attempt });
      const told = { event: 'step', index: 0, status: 'running', nodeId: 'b' } as const;
      events.emit(told, ['0/b', node('running', '2026-01-01T00:00:02.000Z')]);
      events.emit(told, ['0/a', node('succeeded', '2026-01-01T00:00:01.000Z')]);
      events.emit({ event: 'progress', value: 0.5 });
      await events.flush();
      await new Promise<void>((resolve) => (end = resolve));
      throw new ToolError('NodeError', 'no');
    });
    const id = await submit();
    const seen = await notifications.until(id, AbortSignal.timeout(PATIENCE_MS), async () => {
      const now = await readInvocation(queues, 'default', id);
      return now?.steps[0]!.nodes ? now : undefined;
    });
    expect(seen).toMatchObject({ progress: 0.5, steps: [{ nodes: [{ status: 'succeeded' }, { status: 'running' }] }] });
    end();
    expect((await until(id, 'failed')).steps[0]!.nodes!.map(({ status }) => status)).toEqual([
      'succeeded',
      'cancelled',
    ]);
  });

  it('A superseded process cannot change the progress of an invocation', async () => {
    const id = await submit();
    await queues.redis.hset(`{errand}:invocations:${id}`, 'ats', '2');
    const late = new EventWriter(queues, id, () => {}, { queue: 'invocations', attempt: 1 });
    late.emit({ event: 'progress', value: 0.9 });
    await late.flush();
    expect((await readInvocation(queues, 'default', id))!.progress).toBeNull();
    await cancel(id);
  });
});
