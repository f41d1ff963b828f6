import { newInvocationId, ToolError } from '@errand/contracts';
import { recordOf, useQueues } from '../../test/use-queues.js';
import {
  cancelInvocation,
  childId,
  countRunners,
  endChildren,
  forgetFailedChildren,
  Forgetter,
  ParkJob,
  readQueueDepths,
  runChild,
  RunnerAwaited,
  scriptQueue,
  Seats,
  submitInvocation,
  Wakeups,
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
let wakeups: Wakeups;
beforeEach(() => {
  ({ queues, wakeups } = kit);
});

const RECORD = recordOf({}, { kind: 'script' });
const childOf = (invocationId: string, step = 0) => ({ ...RECORD, parent: { invocationId, step } });

const outcome = (result: string): Outcome => ({ steps: [{ status: 'succeeded', result }] });

/** What a worker does with invocations of one labelled call: waits for its script, and parks while nobody takes it. */
const serveInvocations = (label = 'gpu') =>
  serve('invocations', async ({ id, record, signal }) => {
    try {
      signal.throwIfAborted();
      return {
        steps: [
          await runChild(queues, wakeups, { ...record, parent: { invocationId: id, step: 0 } }, signal, { label }),
        ],
      };
    } catch (error) {
      if (error instanceof RunnerAwaited) throw new ParkJob(undefined, 'time');
      if (signal.aborted) await endChildren(queues, wakeups, id);
      throw error;
    }
  });

async function submit(): Promise<string> {
  const id = newInvocationId();
  await submitInvocation(queues, 'invocations', id, RECORD);
  return id;
}

const isParked = async (id: string) => (await queues.byName.invocations.getJob(id))!.isDelayed();

/** Resolves when the invocation has left its worker: BullMQ tells that, like every change of a job. */
async function untilParked(id: string): Promise<void> {
  const parked = await wakeups.until(id, AbortSignal.timeout(PATIENCE_MS), async () =>
    (await isParked(id)) ? true : undefined,
  );
  if (!parked) throw new Error(`${id} was not parked`);
}

async function untilWaiting(queue: WorkQueue, count: number): Promise<void> {
  await eventually(async () => (await queues.of(queue).getWaitingCount()) >= count);
}

describe('a script of a label', () => {
  it('runs where that is offered, and nowhere else', async () => {
    await serve('scripts', async () => outcome('plain'));
    await serve(GPU, async () => outcome('gpu'));
    const id = newInvocationId();
    const run = (step: number, label?: string) =>
      runChild(queues, wakeups, childOf(id, step), FOREVER, label === undefined ? {} : { label });
    const ended = await Promise.all([run(0), run(1, 'gpu'), run(2, 'default')]);
    expect(ended.map(({ result }) => result)).toEqual(['plain', 'gpu', 'plain']);
  });

  it('fails as it failed, and is run anew once that is forgotten', async () => {
    let runs = 0;
    await serve(GPU, async () => {
      runs += 1;
      if (runs === 1) throw new ToolError('ScriptError', 'no');
      return outcome('better');
    });
    const id = newInvocationId();
    const run = () => runChild(queues, wakeups, childOf(id), FOREVER, { label: 'gpu' });
    await expect(run()).rejects.toMatchObject({ type: 'ScriptError', message: 'no' });
    await expect(run()).rejects.toMatchObject({ type: 'ScriptError' });
    await forgetFailedChildren(queues, id);
    expect(await run()).toMatchObject({ result: 'better' });
    expect(runs).toBe(2);
  });

  it('is the same job when it is asked for again, though its tool asks for another label by then', async () => {
    const id = newInvocationId();
    await expect(runChild(queues, wakeups, childOf(id), FOREVER, { label: 'gpu' })).rejects.toThrow(RunnerAwaited);
    await serve('scripts', async () => outcome('a second run'));
    await serve(GPU, async () => outcome('gpu'));
    expect(await runChild(queues, wakeups, childOf(id), FOREVER)).toMatchObject({ result: 'gpu' });
  });

  it('that nobody takes lets its invocation go, and calls it back when somebody does', async () => {
    await serveInvocations();
    const id = await submit();
    await untilParked(id);
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
    // Its worker has it in hand again while the script runs.
    await wakeups.until(id, AbortSignal.timeout(PATIENCE_MS), async () => (!(await isParked(id)) ? true : undefined));
    letGo();
    expect(await until(id, ({ status }) => status === 'succeeded')).toMatchObject({ result: 'late' });
    expect(begun.map((work) => work.attempt)).toEqual([1]);
    expect(await countRunners(queues)).toEqual({ default: 0, gpu: 1 });
  });

  it('does not start when its parked invocation is cancelled, however often at once', async () => {
    await serveInvocations();
    const ids = await Promise.all(Array.from({ length: 20 }, submit));
    await Promise.all(ids.map(untilParked));
    const cancel = (id: string) => cancelInvocation(queues, 'default', id);
    // Their scripts are taken out of their queue, which calls the invocations back; a worker may end them before they are taken, too.
    const told = await Promise.all(ids.flatMap((id) => [cancel(id), cancel(id)]));
    expect(told.filter((done) => done !== 'cancelled' && done !== 'cancelling')).toEqual([]);
    for (const id of ids) {
      await until(id, ({ status }) => status === 'cancelled');
      expect((await queues.of(GPU).getJob(childId(id, 0)))!.finishedOn).toBeDefined();
    }
    let starts = 0;
    await serve(GPU, async () => outcome(String((starts += 1))));
    const next = newInvocationId();
    await runChild(queues, wakeups, childOf(next), FOREVER, { label: 'gpu' });
    expect(starts).toBe(1);
  });

  it('is gone before the state of its parked invocation says that it was cancelled', async () => {
    const worker = await serveInvocations();
    const id = await submit();
    await untilParked(id);
    // Called back, the invocation finds nobody: it stays aside while its script runs.
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

  it('is forgotten with its invocation, and without one by its age', async () => {
    await serveInvocations();
    await serve(GPU, async () => outcome('x'));
    const id = await submit();
    await until(id, ({ status }) => status === 'succeeded');
    const orphan = newInvocationId();
    await runChild(queues, wakeups, childOf(orphan), FOREVER, { label: 'gpu' });
    const forgetter = new Forgetter(queues, (error) => {
      throw error;
    });
    expect(await forgetter.sweep()).toBe(0);
    await forgetter.sweep(Date.now() + 3_700_000);
    const left = await queues.redis.keys('*');
    expect(left.filter((key) => key.includes(`:${GPU}:inv_`) || key.includes(id))).toEqual([]);
    expect(await queues.redis.zcard(`{errand}:${GPU}:completed`)).toBe(0);
  });
});

describe('consumers that share seats', () => {
  /** Notes who runs, and how many at a time; the first wait for one another until all seats are taken. */
  function watch(seats: number) {
    const seen = { now: 0, most: 0, names: [] as string[] };
    let fill = () => {};
    const full = new Promise<void>((resolve) => (fill = resolve));
    const handle = (name: string) => async () => {
      seen.now += 1;
      seen.most = Math.max(seen.most, seen.now);
      seen.names.push(name);
      if (seen.now === seats) fill();
      await full;
      await new Promise((resolve) => setImmediate(resolve));
      seen.now -= 1;
      return outcome(name);
    };
    return { seen, handle };
  }

  it.each([1, 2, 3])('have no more in hand than there are (%i), and none is served before the rest', async (seats) => {
    const each = 12;
    const ids = Array.from({ length: each }, () => newInvocationId());
    const queued = ids.flatMap((id) => [childOf(id, 0), childOf(id, 1)]);
    const running = Promise.all(
      queued.map(async (child) => {
        const label = child.parent.step === 0 ? 'default' : 'gpu';
        for (;;) {
          try {
            return await runChild(queues, wakeups, child, new AbortController().signal, { label });
          } catch (error) {
            if (!(error instanceof RunnerAwaited)) throw error;
            await error.taken(new AbortController().signal);
          }
        }
      }),
    );
    await Promise.all([untilWaiting('scripts', each), untilWaiting(GPU, each)]);
    const { seen, handle } = watch(seats);
    const shared = { seats: new Seats(seats), concurrency: seats };
    await Promise.all([serve('scripts', handle('plain'), shared), serve(GPU, handle('gpu'), shared)]);
    const ended = await running;
    expect(ended).toHaveLength(2 * each);
    expect(seen.most).toBe(seats);
    // Neither waits until the other has nothing left.
    expect(new Set(seen.names.slice(0, each))).toEqual(new Set(['plain', 'gpu']));
  });

  it('leave to others what they were told of and have no seat for', async () => {
    let letGo = () => {};
    const held = new Promise<void>((resolve) => (letGo = resolve));
    const shared = { seats: new Seats(1), concurrency: 1 };
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
    const long = runChild(queues, wakeups, childOf(id, 0), FOREVER, { label: 'gpu' });
    await begun;
    await serve('scripts', async () => outcome('the idle one'));
    expect(await runChild(queues, wakeups, childOf(id, 1), FOREVER)).toMatchObject({ result: 'the idle one' });
    letGo();
    expect(await long).toMatchObject({ result: 'gpu' });
  });

  it('take nothing new once they are told to end, and finish what they have', async () => {
    let letGo = () => {};
    const held = new Promise<void>((resolve) => (letGo = resolve));
    let begin = () => {};
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const shared = { seats: new Seats(1), concurrency: 1 };
    const hold = async () => {
      begin();
      await held;
      return outcome('held');
    };
    await Promise.all([serve('scripts', hold, shared), serve(GPU, hold, shared)]);
    const id = newInvocationId();
    const first = runChild(queues, wakeups, childOf(id, 0), FOREVER);
    await begun;
    const leave = new AbortController();
    const second = runChild(queues, wakeups, childOf(id, 1), leave.signal).catch((error: Error) => error.name);
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
