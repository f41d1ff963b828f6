import { ToolError } from '@errand/contracts';
import { succeed, suspendOnce, useQueues } from '../../test/use-queues.js';
import { cancelInvocation, extendRetention, JournalWriter, SuspendJob, type Queues } from '../index.js';
import { openLife } from '../state/open-life.js';

const YEAR_MS = 365 * 86_400_000;

const kit = useQueues();
const { serve, submit, until } = kit;
let queues: Queues;
beforeAll(() => {
  ({ queues } = kit);
});

const cancel = (id: string) => cancelInvocation(queues, 'default', id);

describe('Suspended invocations', () => {
  it('An invocation suspended for a time stays running and continues when the time is over', async () => {
    const at = Date.now() + 300;
    await serve('invocations', suspendOnce(at, 'time'));
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

  it('A cancel request ends a suspended invocation at once, and also one that is just being suspended', async () => {
    await serve('invocations', suspendOnce(undefined, 'answer'));
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

  it('An invocation that is cancelled while its handler suspends it starts once more, so that the handler can end what runs elsewhere', async () => {
    const starts: boolean[] = [];
    await serve('invocations', async ({ id, signal }) => {
      starts.push(signal.aborted);
      if (signal.aborted) throw signal.reason as Error;
      const cancelled = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      await cancel(id);
      await cancelled;
      throw new SuspendJob(undefined, 'answer');
    });
    await until(await submit(), 'cancelled');
    expect(starts).toEqual([false, true]);
  });

  it('A suspended invocation keeps its data for as long as its wait may last', async () => {
    const id = await submit();
    await queues.redis.hset(`{errand}:invocations:${id}`, 'ats', '1');
    await new JournalWriter(queues, 'invocations', id, 1).write([['0/a', {}]]);
    await extendRetention(queues, id, ['d'], Date.now() + YEAR_MS);
    expect(await queues.redis.ttl(`{errand}:journal:${id}`)).toBeGreaterThan(360 * 86_400);
    await cancel(id);
    expect(await queues.redis.ttl(`{errand}:journal:${id}`)).toBeLessThanOrEqual(openLife(queues.retention));
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
