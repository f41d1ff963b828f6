import { newInvocationId } from '@errand/contracts';
import { recordOf, succeed, useQueues } from '../../test/use-queues.js';
import {
  cancelInvocation,
  readInvocation,
  RetentionCleaner,
  runChild,
  submitInvocation,
  type NotificationHub,
  type Queues,
} from '../index.js';
import { childId } from '../redis/job-ids.js';
import { keys } from '../redis/names.js';

const RETENTION = { ageSeconds: 3_600, count: 2 };
const FOREVER = new AbortController().signal;

const kit = useQueues({ retention: RETENTION, each: true });
const { serve, until } = kit;
let queues: Queues;
let notifications: NotificationHub;
beforeEach(() => {
  ({ queues, notifications } = kit);
});

/** A sweep of a process that has not swept before. */
async function sweep(now?: number): Promise<number> {
  const cleaner = new RetentionCleaner(queues, (error) => {
    throw error;
  });
  return cleaner.sweep(now);
}

/** The number of times that Redis has executed a command while `work` ran, and the result of `work`. */
async function countCalls<T>(command: string, work: () => Promise<T>): Promise<[result: T, calls: number]> {
  await queues.redis.config('RESETSTAT');
  const result = await work();
  const stats = await queues.redis.info('commandstats');
  return [result, Number(new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(stats)?.[1] ?? 0)];
}

describe('Ended jobs that must stay', () => {
  it('The ended script of an open invocation stays, so that it runs once, and is removed with the invocation', async () => {
    let runs = 0;
    await serve('scripts', async () => {
      runs += 1;
      return succeed();
    });
    const id = await kit.submit({ delayMs: 60_000 });
    const child = { ...recordOf(), parent: { invocationId: id, step: 0 } };
    await runChild(queues, notifications, child, FOREVER);
    const others = Array.from({ length: RETENTION.count + 1 }, () => newInvocationId());
    for (const other of others) {
      await submitInvocation(queues, 'scripts', other, recordOf());
      await until(other, 'succeeded');
    }
    runs = 0;
    await sweep();
    await sweep(Date.now() + 3_700_000);
    for (const other of others) expect(await readInvocation(queues, 'default', other)).toBeUndefined();
    await runChild(queues, notifications, child, FOREVER);
    expect(runs).toBe(0);
    await cancelInvocation(queues, 'default', id);
    expect(await sweep(Date.now() + 3_700_000)).toBe(2);
    expect(await queues.redis.keys(`*${id}*`)).toEqual([]);
  });

  it('Sweeps of several processes pass over thousands of them in parts, and come back to the first ones', async () => {
    const id = await kit.submit({ delayMs: 60_000 });
    const write = queues.redis.pipeline();
    const end = (job: string, at: number) =>
      write
        .hset(keys.job('scripts', job), 'timestamp', at, 'finishedOn', at)
        .zadd(keys.ended('scripts', 'completed'), at, job);
    for (let step = 1; step <= 2_500; step++) end(childId(id, step), step);
    end(newInvocationId(), 2_501);
    await write.exec();
    for (const removed of [0, 0, 1]) {
      const [found, looks] = await countCalls('hmget', () => sweep());
      expect(found).toBe(removed);
      expect(looks).toBeLessThan(2_500);
    }
    await cancelInvocation(queues, 'default', id);
    expect(await sweep()).toBe(2_500);
    expect(await queues.redis.keys('*:sweep:places')).toEqual([]);
  });
});
