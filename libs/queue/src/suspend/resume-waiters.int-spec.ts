import { newInvocationId } from '@errand/contracts';
import { eventually } from '../../../../test/support/eventually.js';
import { recordOf, succeed, useQueues } from '../../test/use-queues.js';
import { cancelInvocation, cancelWaiting, submitInvocations, WaiterSweep, type Queues } from '../index.js';
import { FIELD } from '../redis/job-fields.js';
import { keys } from '../redis/names.js';
import { addWaiter, resumeLeftWaiters, resumeWaiters } from './waiters.js';

const TENANTS = ['default', 'acme'];
/** The most that one run of a script wakes. */
const AT_ONCE = 500;
const MANY = 1_200;
const TURN = '{errand}:waiters-turn';

const kit = useQueues({ each: true });
let queues: Queues;
beforeEach(() => {
  ({ queues } = kit);
});

/** Enqueues invocations and lets them wait for another one, as a worker does that suspends them. */
async function waitFor(target: string, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newInvocationId());
  const options = { delayMs: 3_600_000 };
  const submissions = ids.map((id, n) => ({
    queue: 'invocations' as const,
    id,
    record: recordOf({ tenant: TENANTS[n % TENANTS.length]! }),
    options,
  }));
  await submitInvocations(queues, submissions);
  const write = queues.redis.pipeline();
  for (const id of ids) write.hset(keys.job('invocations', id), FIELD.suspended, 'time');
  await write.sadd(keys.waiters(target), ...ids).exec();
  return ids;
}

/** How many of these invocations have been woken. */
async function countWoken(ids: readonly string[]): Promise<number> {
  const states = await Promise.all(ids.map((id) => queues.redis.hget(keys.job('invocations', id), FIELD.suspended)));
  return states.filter((state) => state === 'woken').length;
}

/** The keys of waiters, without that of the turn, which expires. */
async function keysOfWaiters(): Promise<string[]> {
  return (await queues.redis.keys('*:waiters*')).filter((key) => key !== TURN);
}

/** Wakes a part of what is left, as soon as the turn of the part before it is over. */
async function wakePart(): Promise<boolean> {
  await queues.redis.del(TURN);
  return resumeLeftWaiters(queues);
}

describe('Many invocations that wait for the same one', () => {
  it.each([
    ['a cancel', (id: string) => cancelInvocation(queues, 'default', id)],
    ['a cancel of a group', (id: string) => cancelWaiting(queues, 'default', [id], '')],
    ['the start of a script', (id: string) => resumeWaiters(queues, id)],
  ])('%s wakes 500 of them at once, and sweeps wake the others', async (_, wake) => {
    const target = await kit.submit({ delayMs: 3_600_000 });
    const ids = await waitFor(target, MANY);
    await wake(target);
    expect(await countWoken(ids)).toBe(AT_ONCE);
    expect(await wakePart()).toBe(true);
    expect(await countWoken(ids)).toBe(2 * AT_ONCE);
    // Another process has the turn.
    await queues.redis.set(TURN, 1);
    expect(await resumeLeftWaiters(queues)).toBe(false);
    expect(await countWoken(ids)).toBe(2 * AT_ONCE);
    expect(await wakePart()).toBe(false);
    expect(await countWoken(ids)).toBe(MANY);
    expect(await keysOfWaiters()).toEqual([]);
  });

  it('An end that a worker stores loses none of them, also if the process that sweeps starts later', async () => {
    const target = await kit.submit();
    await waitFor(target, MANY);
    await kit.serve('invocations', succeed, { concurrency: 100 });
    const countEnded = () => queues.byName.invocations.getCompletedCount();
    await eventually(async () => (await countEnded()) === 1 + AT_ONCE, '500 waiters have run');
    const sweep = new WaiterSweep(queues, kit.notifications, (error) => {
      throw error;
    });
    await eventually(async () => (await countEnded()) === 1 + MANY, 'all waiters have run');
    await sweep.close();
    expect(await keysOfWaiters()).toEqual([]);
  });

  it('Ends of several invocations in one step wake 500 together, and a large rest does not hold up a small one', async () => {
    const targets = [await kit.submit({ delayMs: 3_600_000 }), await kit.submit({ delayMs: 3_600_000 })] as const;
    const ids = [await waitFor(targets[0], 2_000), await waitFor(targets[1], 3)];
    await cancelWaiting(queues, 'default', [...targets], '');
    expect(await Promise.all(ids.map(countWoken))).toEqual([AT_ONCE, 0]);
    while ((await countWoken(ids[1]!)) === 0) await wakePart();
    expect(await countWoken(ids[0]!)).toBeLessThan(2_000);
  });

  it('A waiter that registers again while others are left is not woken for the earlier wait', async () => {
    const target = await kit.submit({ delayMs: 3_600_000 });
    const ids = await waitFor(target, AT_ONCE + 1);
    await resumeWaiters(queues, target);
    const again = await kit.submit({ delayMs: 3_600_000 });
    await addWaiter(queues, target, again);
    expect(await wakePart()).toBe(false);
    expect(await countWoken(ids)).toBe(ids.length);
    expect(await queues.redis.smembers(keys.waiters(target))).toEqual([again]);
  });

  it('Each tenant has its woken invocations at the end of its order of changes', async () => {
    const target = await kit.submit({ delayMs: 3_600_000 });
    const ids = await waitFor(target, 4);
    const others = await waitFor('inv_another', 4);
    const changesOf = (tenant: string) => queues.redis.zrange(keys.index(tenant, 'changed'), '-2', '-1');
    const membersOf = (some: string[], of: number) =>
      some.filter((__, n) => n % TENANTS.length === of).map((id) => id.slice('inv_'.length));
    expect((await changesOf('acme')).toSorted()).toEqual(membersOf(others, 1).toSorted());
    await resumeWaiters(queues, target);
    expect((await changesOf('default')).toSorted()).toEqual(membersOf(ids, 0).toSorted());
    expect((await changesOf('acme')).toSorted()).toEqual(membersOf(ids, 1).toSorted());
  });
});
