import { newInvocationId, Semaphore, ToolError } from '@errand/contracts';
import { recordOf, useQueues } from '../../test/use-queues.js';
import {
  cancelInvocation,
  childId,
  countRunners,
  endChildren,
  removeFailedChildren,
  RetentionCleaner,
  SuspendJob,
  readQueueDepths,
  runChild,
  RunnerAwaited,
  scriptQueue,
  submitInvocation,
  NotificationHub,
  type Outcome,
  type Queues,
  type Work,
  type WorkQueue,
} from '../index.js';
import { eventually, PATIENCE_MS } from '../../../../test/support/eventually.js';

const FOREVER = new AbortController().signal;
const GPU = scriptQueue('gpu');

const kit = useQueues({ each: true });
const { serve, until } = kit;
let queues: Queues;
let notifications: NotificationHub;
beforeEach(() => {
  ({ queues, notifications } = kit);
});

const RECORD = recordOf({}, { kind: 'script' });
const childOf = (invocationId: string, step = 0) => ({ ...RECORD, parent: { invocationId, step } });

const outcome = (result: string): Outcome => ({ steps: [{ status: 'succeeded', result }] });

/**
 * A worker for invocations with one labelled call. It waits for the script and suspends the job while no runner takes
 * the script.
 */
const serveInvocations = (label = 'gpu') =>
  serve('invocations', async ({ id, record, signal }) => {
    try {
      signal.throwIfAborted();
      return {
        steps: [
          await runChild(queues, notifications, { ...record, parent: { invocationId: id, step: 0 } }, signal, {
            label,
          }),
        ],
      };
    } catch (error) {
      if (error instanceof RunnerAwaited) throw new SuspendJob(undefined, 'time');
      if (signal.aborted) await endChildren(queues, notifications, id);
      throw error;
    }
  });

async function submit(): Promise<string> {
  const id = newInvocationId();
  await submitInvocation(queues, 'invocations', id, RECORD);
  return id;
}

const isSuspended = async (id: string) => (await queues.byName.invocations.getJob(id))!.isDelayed();

/** Resolves when the job of the invocation is delayed. BullMQ publishes this change like every other. */
async function untilSuspended(id: string): Promise<void> {
  const suspended = await notifications.until(id, AbortSignal.timeout(PATIENCE_MS), async () =>
    (await isSuspended(id)) ? true : undefined,
  );
  if (!suspended) throw new Error(`${id} was not suspended`);
}

async function untilWaiting(queue: WorkQueue, count: number): Promise<void> {
  await eventually(async () => (await queues.of(queue).getWaitingCount()) >= count);
}

describe('A script with a runner label', () => {
  it('A script with a label runs only on a runner that offers the label', async () => {
    await serve('scripts', async () => outcome('plain'));
    await serve(GPU, async () => outcome('gpu'));
    const id = newInvocationId();
    const run = (step: number, label?: string) =>
      runChild(queues, notifications, childOf(id, step), FOREVER, label === undefined ? {} : { label });
    const ended = await Promise.all([run(0), run(1, 'gpu'), run(2, 'default')]);
    expect(ended.map(({ result }) => result)).toEqual(['plain', 'gpu', 'plain']);
  });

  it('A failed labelled script fails the same way again and runs anew only after its failure is removed', async () => {
    let runs = 0;
    await serve(GPU, async () => {
      runs += 1;
      if (runs === 1) throw new ToolError('ScriptError', 'no');
      return outcome('better');
    });
    const id = newInvocationId();
    const run = () => runChild(queues, notifications, childOf(id), FOREVER, { label: 'gpu' });
    await expect(run()).rejects.toMatchObject({ type: 'ScriptError', message: 'no' });
    await expect(run()).rejects.toMatchObject({ type: 'ScriptError' });
    await removeFailedChildren(queues, id);
    expect(await run()).toMatchObject({ result: 'better' });
    expect(runs).toBe(2);
  });

  it('A script keeps its first label when it is requested again after its tool changed the label', async () => {
    const id = newInvocationId();
    await expect(runChild(queues, notifications, childOf(id), FOREVER, { label: 'gpu' })).rejects.toThrow(
      RunnerAwaited,
    );
    await serve('scripts', async () => outcome('a second run'));
    await serve(GPU, async () => outcome('gpu'));
    expect(await runChild(queues, notifications, childOf(id), FOREVER)).toMatchObject({ result: 'gpu' });
  });

  it('A script that no runner takes suspends its invocation, and a runner that takes the script resumes it', async () => {
    await serveInvocations();
    const id = await submit();
    await untilSuspended(id);
    expect(await countRunners(queues)).toEqual({ default: 0, gpu: 0 });
    expect(await readQueueDepths(queues)).toContainEqual(
      expect.objectContaining({ queue: GPU, consumers: 0, jobs: expect.objectContaining({ waiting: 1 }) }),
    );
    const begun: Work[] = [];
    let letGo = () => {};
    const held = new Promise<void>((resolve) => (letGo = resolve));
    await serve(GPU, async (work) => {
      begun.push(work);
      await held;
      return outcome('late');
    });
    // The worker runs the invocation again while the script runs.
    await notifications.until(id, AbortSignal.timeout(PATIENCE_MS), async () =>
      !(await isSuspended(id)) ? true : undefined,
    );
    letGo();
    expect(await until(id, ({ status }) => status === 'succeeded')).toMatchObject({ result: 'late' });
    expect(begun.map((work) => work.attempt)).toEqual([1]);
    expect(await countRunners(queues)).toEqual({ default: 0, gpu: 1 });
  });

  it('A labelled script does not start after its suspended invocation is cancelled, even by concurrent cancel requests', async () => {
    await serveInvocations();
    const ids = await Promise.all(Array.from({ length: 20 }, submit));
    await Promise.all(ids.map(untilSuspended));
    const cancel = (id: string) => cancelInvocation(queues, 'default', id);
    // Removing the scripts from their queue resumes the invocations. A worker may also end a script before it is
    // removed.
    const results = await Promise.all(ids.flatMap((id) => [cancel(id), cancel(id)]));
    expect(results.filter((done) => done !== 'cancelled' && done !== 'cancelling')).toEqual([]);
    for (const id of ids) {
      await until(id, ({ status }) => status === 'cancelled');
      expect((await queues.of(GPU).getJob(childId(id, 0)))!.finishedOn).toBeDefined();
    }
    let starts = 0;
    await serve(GPU, async () => outcome(String((starts += 1))));
    const next = newInvocationId();
    await runChild(queues, notifications, childOf(next), FOREVER, { label: 'gpu' });
    expect(starts).toBe(1);
  });

  it('A labelled script has stopped before its suspended invocation becomes cancelled', async () => {
    const worker = await serveInvocations();
    const id = await submit();
    await untilSuspended(id);
    // The resumed invocation finds no worker, so it waits while its script runs.
    await worker.close();
    let stopped = false;
    let begin = () => {};
    const begun = new Promise<void>((resolve) => (begin = resolve));
    await serve(GPU, async ({ signal }) => {
      begin();
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      stopped = true;
      throw signal.reason;
    });
    await begun;
    expect(await cancelInvocation(queues, 'default', id)).toBe('cancelling');
    await serveInvocations();
    await until(id, ({ status }) => status === 'cancelled');
    expect(stopped).toBe(true);
  });

  it('A labelled script is removed with its invocation, or by its age if it has no invocation', async () => {
    await serveInvocations();
    await serve(GPU, async () => outcome('x'));
    const id = await submit();
    await until(id, ({ status }) => status === 'succeeded');
    const orphan = newInvocationId();
    await runChild(queues, notifications, childOf(orphan), FOREVER, { label: 'gpu' });
    const cleaner = new RetentionCleaner(queues, (error) => {
      throw error;
    });
    expect(await cleaner.sweep()).toBe(0);
    await cleaner.sweep(Date.now() + 3_700_000);
    const left = await queues.redis.keys('*');
    expect(left.filter((key) => key.includes(`:${GPU}:inv_`) || key.includes(id))).toEqual([]);
    expect(await queues.redis.zcard(`{errand}:${GPU}:completed`)).toBe(0);
  });
});

describe('Consumers with shared slots', () => {
  /** Records the running jobs and their highest number. The first jobs wait until all slots are taken. */
  function watch(slots: number) {
    const seen = { now: 0, most: 0, names: [] as string[] };
    let fill = () => {};
    const full = new Promise<void>((resolve) => (fill = resolve));
    const handle = (name: string) => async () => {
      seen.now += 1;
      seen.most = Math.max(seen.most, seen.now);
      seen.names.push(name);
      if (seen.now === slots) fill();
      await full;
      await new Promise((resolve) => setImmediate(resolve));
      seen.now -= 1;
      return outcome(name);
    };
    return { seen, handle };
  }

  it.each([1, 2, 3])('Consumers with %i shared slots serve both queues within that limit', async (slots) => {
    const each = 12;
    const ids = Array.from({ length: each }, () => newInvocationId());
    const queued = ids.flatMap((id) => [childOf(id, 0), childOf(id, 1)]);
    const running = Promise.all(
      queued.map(async (child) => {
        const label = child.parent.step === 0 ? 'default' : 'gpu';
        for (;;) {
          try {
            return await runChild(queues, notifications, child, new AbortController().signal, { label });
          } catch (error) {
            if (!(error instanceof RunnerAwaited)) throw error;
            await error.taken(new AbortController().signal);
          }
        }
      }),
    );
    await Promise.all([untilWaiting('scripts', each), untilWaiting(GPU, each)]);
    const { seen, handle } = watch(slots);
    const shared = { slots: new Semaphore(slots), concurrency: slots };
    await Promise.all([serve('scripts', handle('plain'), shared), serve(GPU, handle('gpu'), shared)]);
    const ended = await running;
    expect(ended).toHaveLength(2 * each);
    expect(seen.most).toBe(slots);
    // Neither queue waits until the other one is empty.
    expect(new Set(seen.names.slice(0, each))).toEqual(new Set(['plain', 'gpu']));
  });

  it('A consumer without a free slot leaves the job to an idle consumer', async () => {
    let letGo = () => {};
    const held = new Promise<void>((resolve) => (letGo = resolve));
    const shared = { slots: new Semaphore(1), concurrency: 1 };
    let begin = () => {};
    const begun = new Promise<void>((resolve) => (begin = resolve));
    await serve('scripts', async () => outcome('the busy one'), shared);
    await serve(
      GPU,
      async () => {
        begin();
        await held;
        return outcome('gpu');
      },
      shared,
    );
    const id = newInvocationId();
    const long = runChild(queues, notifications, childOf(id, 0), FOREVER, { label: 'gpu' });
    await begun;
    await serve('scripts', async () => outcome('the idle one'));
    expect(await runChild(queues, notifications, childOf(id, 1), FOREVER)).toMatchObject({ result: 'the idle one' });
    letGo();
    expect(await long).toMatchObject({ result: 'gpu' });
  });

  it('Consumers that close finish their running jobs and take no new ones', async () => {
    let letGo = () => {};
    const held = new Promise<void>((resolve) => (letGo = resolve));
    let begin = () => {};
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const shared = { slots: new Semaphore(1), concurrency: 1 };
    const hold = async () => {
      begin();
      await held;
      return outcome('held');
    };
    await Promise.all([serve('scripts', hold, shared), serve(GPU, hold, shared)]);
    const id = newInvocationId();
    const first = runChild(queues, notifications, childOf(id, 0), FOREVER);
    await begun;
    const leave = new AbortController();
    const second = runChild(queues, notifications, childOf(id, 1), leave.signal).catch((error: Error) => error.name);
    await untilWaiting('scripts', 1);
    const closing = kit.endConsumers();
    letGo();
    await closing;
    expect(await first).toMatchObject({ result: 'held' });
    expect(await queues.of('scripts').getWaitingCount()).toBe(1);
    leave.abort();
    await second;
  });
});
