import { finishAndTake } from '../bullmq/finish-and-take.js';
import { RunningJobs } from '../consume/running-jobs.js';
import { rulesArgs, USUAL_RULES } from '../fair/fair-rules.js';
import { eventually } from '../../../../test/support/eventually.js';
import { recordOf, useQueues } from '../../test/use-queues.js';
import { giveAnswer, readAnswers, readEvents, SupersededError, SuspendJob, type Outcome, type Work } from '../index.js';

const kit = useQueues();
const { serve, submit, until } = kit;

const answer = async (id: string): Promise<void> => {
  const wait = { reach: 'default', id, field: '0' };
  expect(await giveAnswer(kit.queues, wait, { answer: { result: id } })).toBe('taken');
};

let calls = 0;
/** Starts the next job in a process that has died at once: nobody renews the lock of the job. */
async function startAndDie(id: string): Promise<void> {
  const call = `dead:${calls++}`;
  const given = { call, now: Date.now(), ends: [], wanted: 1, portion: 1, rules: rulesArgs(USUAL_RULES, 0) };
  const consumer = { queue: 'invocations', consumer: call, lockMs: 100 } as const;
  const { taken } = await finishAndTake(kit.queues.redis, consumer, given);
  expect(taken[0]?.[9]).toBe(id);
}

/** What happens in the attempts of an invocation. */
interface Moments {
  /** At the start, before the answers are read. */
  begun?: (work: Work) => Promise<void>;
  /** After the answers were read. */
  read?: (work: Work) => Promise<void>;
}

/** Suspends each job until it has an answer, which is its result. */
const ask =
  (moments: ReadonlyMap<string, Moments> = new Map()) =>
  async (work: Work): Promise<Outcome> => {
    await moments.get(work.id)?.begun?.(work);
    const given = (await readAnswers(kit.queues, work.id)).get('0')?.answer;
    await moments.get(work.id)?.read?.(work);
    if (!given) throw new SuspendJob(undefined, 'answer');
    return { steps: [{ status: 'succeeded', result: 'result' in given ? given.result : null }] };
  };

/** Runs the action once. */
function once(act: (id: string) => Promise<void>): (work: Work) => Promise<void> {
  let isDone = false;
  return async ({ id }) => {
    if (isDone) return;
    isDone = true;
    await act(id);
  };
}

/** The answer resumes the job, and its process dies before it reads the answer. */
function dieOnceResumed(): (work: Work) => Promise<void> {
  const die = once(async (id) => {
    await kit.queues.redis.del(`{errand}:invocations:${id}:lock`);
    throw new SupersededError(id);
  });
  return async (work) => (work.suspensions > 0 ? die(work) : undefined);
}

const untilAnswered = async (id: string) => expect((await until(id, 'succeeded', 'failed')).result).toBe(id);

describe('An answer around the death of a process', () => {
  it('An answer is used, whether it comes before the death, after it, or at any point of the next attempt', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) {
      ids.push(await submit());
      await startAndDie(ids[n] ?? '');
    }
    const [before = '', ...later] = ids;
    const [begun = '', read = '', suspended = '', again = ''] = later;
    await answer(before);
    const moments = new Map<string, Moments>([
      [begun, { begun: once(answer) }],
      [read, { read: once(answer) }],
      [again, { begun: dieOnceResumed() }],
    ]);
    await serve('invocations', ask(moments));
    for (const id of [suspended, again]) {
      await until(id, 'waiting_external');
      await answer(id);
    }
    for (const id of ids) await untilAnswered(id);
  });

  it('An answer is used if it comes between the return of the job to its queue and the next attempt', async () => {
    const id = await submit();
    await startAndDie(id);
    let goOn: () => void = () => {};
    const held = new Promise<void>((resolve) => (goOn = resolve));
    const blocker = await submit();
    const moments = new Map<string, Moments>([[blocker, { begun: () => held, read: once(answer) }]]);
    await serve('invocations', ask(moments), { concurrency: 1 });
    await until(blocker, 'running');
    const { invocations } = kit.queues.byName;
    await eventually(async () => (await invocations.getActiveCount()) === 1);
    await answer(id);
    goOn();
    await untilAnswered(blocker);
    await untilAnswered(id);
  });
});

describe('A process that was paused at the start of an attempt', () => {
  it('Its late record of the start changes nothing, so that an answer still resumes the job', async () => {
    const id = await submit();
    await startAndDie(id);
    const paused = new RunningJobs(kit.redis.url, 'invocations', () => {});
    const wake = () => paused.recordRestart(id, 1, recordOf());
    try {
      const refused: unknown[] = [];
      const read = once(async () => {
        await answer(id);
        refused.push(await wake().catch((error: unknown) => error));
      });
      await serve('invocations', ask(new Map([[id, { read }]])));
      await untilAnswered(id);
      expect(refused).toEqual([expect.any(SupersededError)]);
    } finally {
      paused.close();
    }
  });

  it('Its late record leaves a suspended job suspended', async () => {
    const id = await submit();
    await startAndDie(id);
    const paused = new RunningJobs(kit.redis.url, 'invocations', () => {});
    try {
      await serve('invocations', ask());
      await until(id, 'waiting_external');
      await expect(paused.recordRestart(id, 1, recordOf())).rejects.toThrow(SupersededError);
      expect((await until(id, 'waiting_external', 'queued')).status).toBe('waiting_external');
      await answer(id);
      await untilAnswered(id);
    } finally {
      paused.close();
    }
  });

  it('A record that is sent twice counts once, and an answer in between resumes the job', async () => {
    const id = await submit();
    await startAndDie(id);
    const running = new RunningJobs(kit.redis.url, 'invocations', () => {});
    const statuses = async () => {
      const events = await readEvents(kit.queues, id);
      return events.flatMap(({ event }) => (event.event === 'status' ? event.status : []));
    };
    let seen: unknown[] = [];
    try {
      const read = once(async () => {
        const before = await statuses();
        await answer(id);
        const history = await running.recordRestart(id, 2, recordOf());
        seen = [before, await statuses(), history.suspensions];
      });
      await serve('invocations', ask(new Map([[id, { read }]])));
      await untilAnswered(id);
      expect(seen).toEqual([['queued', 'running'], ['queued', 'running'], 0]);
    } finally {
      running.close();
    }
  });
});
