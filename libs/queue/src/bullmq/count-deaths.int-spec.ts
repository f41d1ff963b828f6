import { Semaphore } from '@errand/contracts';
import { eventually } from '../../../../test/support/eventually.js';
import { succeed, useQueues } from '../../test/use-queues.js';
import { rulesArgs, USUAL_RULES } from '../fair/fair-rules.js';
import { finishAndTake } from './finish-and-take.js';

const kit = useQueues({ each: true });
const { serve, submit, until } = kit;

let calls = 0;
/** Starts all waiting jobs in a process that dies at once. Resolves when they were put back. */
async function startAndDie(...ids: string[]): Promise<void> {
  const call = `dead:${calls++}`;
  const given = { call, now: Date.now(), ends: [], wanted: 10, portion: 1, rules: rulesArgs(USUAL_RULES, 0) };
  const consumer = { queue: 'invocations', consumer: call, lockMs: 50 } as const;
  const { taken } = await finishAndTake(kit.queues.redis, consumer, given);
  expect(taken.map((fields) => fields[9]).toSorted()).toEqual(ids.toSorted());
  await eventually(async () => (await kit.queues.byName.invocations.getActiveCount()) === 0);
}

/** A consumer that puts jobs back, but has no slot for them. Returns a function that gives it one. */
async function serveWithoutSlot(): Promise<() => void> {
  const slots = new Semaphore(0);
  await serve('invocations', succeed, { slots, concurrency: 1, lockMs: 1_000, stalledMs: 100 });
  return () => slots.release();
}

const endOf = async (id: string): Promise<string> => {
  const { status, error } = await until(id, 'succeeded', 'failed');
  return error?.type ?? status;
};

describe('The deaths of the processes of a job', () => {
  it('Jobs that die together survive five deaths without progress, and fail after the sixth', async () => {
    const free = await serveWithoutSlot();
    const pair = [await submit(), await submit()];
    for (let n = 0; n < 5; n++) await startAndDie(...pair);
    const [first = '', other = ''] = pair;
    const { redis } = kit.queues;
    const isMarked = async (id: string) => (await redis.hexists(`{errand}:invocations:${id}`, 'defa')) === 1;
    expect([await isMarked(first), await isMarked(other)]).toEqual([false, false]);
    // Progress of one of them: its deaths do not count any more.
    await redis.hset(`{errand}:invocations:${other}`, 'stc', '0');
    await startAndDie(...pair);
    free();
    expect([await endOf(first), await endOf(other)]).toEqual(['LostError', 'succeeded']);
  });

  it('A death alone counts three deaths among others', async () => {
    const free = await serveWithoutSlot();
    const deadly = await submit();
    await startAndDie(deadly);
    const innocent = await submit();
    for (let n = 0; n < 3; n++) await startAndDie(deadly, innocent);
    free();
    expect([await endOf(deadly), await endOf(innocent)]).toEqual(['LostError', 'succeeded']);
  });
});
