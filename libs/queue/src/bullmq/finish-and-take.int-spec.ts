import { newInvocationId } from '@errand/contracts';
import { recordOf, succeed, useQueues } from '../../test/use-queues.js';
import { readInvocation, submitInvocation } from '../index.js';
import { END_CODE, finishAndTake, type Commit, type Ending } from './finish-and-take.js';
import type { TakenFields } from './taken-job.js';

const kit = useQueues({ each: true });
const { serve, submit, until } = kit;

let calls = 0;
/** A call of a consumer that has no process. */
function commit(over: Partial<Commit> = {}, lockMs = 60_000) {
  const given = { call: `c:${calls++}`, now: Date.now(), ends: [], wanted: 0, ...over };
  return finishAndTake(kit.queues.redis, { queue: 'invocations', consumer: 'c', lockMs }, given);
}

const endOf = (fields: TakenFields | undefined, token: string, result: string): Ending => ({
  id: fields?.[9] ?? '',
  token,
  attempt: Number(fields?.[5]),
  isSuccess: true,
  value: JSON.stringify({ steps: [{ status: 'succeeded', result }] }),
  name: 'test:tool',
  tenant: 'default',
  idempotency: undefined,
});

const lengthOf = (list: string) => kit.queues.redis.llen(`{errand}:invocations:${list}`);

describe('The script that ends jobs and takes others', () => {
  it('A call that arrives twice returns the same jobs and starts each once', async () => {
    for (let n = 0; n < 4; n++) await submit();
    const first = await commit({ call: 'c:take', wanted: 3 });
    const again = await commit({ call: 'c:take', wanted: 3 });
    expect(first.taken).toHaveLength(3);
    const startsOf = (taken: TakenFields[]) =>
      Object.fromEntries(taken.map((fields) => [fields[9], Number(fields[5])]));
    expect(startsOf(again.taken)).toEqual(startsOf(first.taken));
    expect(Object.values(startsOf(first.taken))).toEqual([1, 1, 1]);
    expect([await lengthOf('active'), await lengthOf('wait')]).toEqual([3, 1]);
  });

  it('A call that arrives twice ends its jobs once, and later results do not replace the first', async () => {
    const id = await submit();
    const { taken } = await commit({ call: 'c:take', wanted: 1 });
    const ends = [endOf(taken[0], 'c:take', 'first')];
    expect((await commit({ call: 'c:end', ends })).codes).toEqual([END_CODE.ended]);
    expect((await commit({ call: 'c:end', ends })).codes).toEqual([END_CODE.ended]);
    expect((await commit({ ends: [endOf(taken[0], 'c:take', 'second')] })).codes).toEqual([END_CODE.ended]);
    expect(await readInvocation(kit.queues, 'default', id)).toMatchObject({ status: 'succeeded', result: 'first' });
    expect(await kit.queues.redis.llen('{errand}:runs:invocations')).toBe(1);
  });

  it('A job of a process that dies after the take runs in another process, which sees the crash', async () => {
    const id = await submit();
    await commit({ wanted: 1 }, 100);
    const crashed: boolean[] = [];
    await serve('invocations', async ({ afterCrash }) => {
      crashed.push(afterCrash);
      return succeed();
    });
    await until(id, 'succeeded');
    expect(crashed).toEqual([true]);
  });

  it('The end of a process that was paused until another one took its job is refused', async () => {
    const id = await submit();
    const { taken } = await commit({ call: 'c:paused', wanted: 1 }, 100);
    await serve('invocations', async () => ({ steps: [{ status: 'succeeded', result: 'of the other' }] }));
    await until(id, 'succeeded');
    const { codes } = await commit({ ends: [endOf(taken[0], 'c:paused', 'too late')] });
    expect(codes).toEqual([END_CODE.lost]);
    expect(await readInvocation(kit.queues, 'default', id)).toMatchObject({ result: 'of the other' });
  });

  it('An end is stored after its lock has lapsed if no process has taken the job since', async () => {
    const id = await submit();
    const { taken } = await commit({ call: 'c:take', wanted: 1 });
    await kit.queues.redis.del(`{errand}:invocations:${id}:lock`);
    expect((await commit({ ends: [endOf(taken[0], 'c:take', 'kept')] })).codes).toEqual([END_CODE.ended]);
    expect(await readInvocation(kit.queues, 'default', id)).toMatchObject({ result: 'kept' });
  });

  it('The take stops after a megabyte of data', async () => {
    const big = recordOf({}, { arguments: { text: 'x'.repeat(400_000) } });
    for (let n = 0; n < 5; n++) await submitInvocation(kit.queues, 'invocations', newInvocationId(), big);
    const { taken, state } = await commit({ wanted: 50 });
    expect([taken.length, state]).toEqual([3, 'more']);
  });

  it('A paused queue gives no job, and a queue at its concurrency gives as many as it may run', async () => {
    for (let n = 0; n < 5; n++) await submit();
    const queue = kit.queues.byName.invocations;
    await queue.pause();
    expect(await commit({ wanted: 5 })).toMatchObject({ taken: [], state: 'paused' });
    await queue.resume();
    await queue.setGlobalConcurrency(2);
    expect((await commit({ wanted: 5 })).taken).toHaveLength(2);
    expect(await commit({ wanted: 5 })).toMatchObject({ taken: [], state: 'paused' });
  });

  it('A job with children that have not ended is left to the script of BullMQ', async () => {
    const id = await submit();
    const { taken } = await commit({ call: 'c:take', wanted: 1 });
    await kit.queues.redis.sadd(`{errand}:invocations:${id}:dependencies`, 'a child');
    expect((await commit({ ends: [endOf(taken[0], 'c:take', 'early')] })).codes).toEqual([END_CODE.other]);
    expect((await readInvocation(kit.queues, 'default', id))?.status).toBe('running');
  });
});
