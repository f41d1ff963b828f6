import { newInvocationId } from '@errand/contracts';
import { Redis } from 'ioredis';
import { recordOf, succeed, useQueues } from '../../test/use-queues.js';
import { readInvocation, submitInvocation } from '../index.js';
import { rulesArgs, USUAL_RULES } from '../fair/fair-rules.js';
import { END_CODE, finishAndTake, type Commit, type Ending } from './finish-and-take.js';
import type { TakenFields } from './taken-job.js';

const kit = useQueues({ each: true });
const { serve, submit, until } = kit;

let calls = 0;
/** A call of a consumer that has no process. */
function commit(over: Partial<Commit> = {}, lockMs = 60_000) {
  const given = {
    call: `c:${calls++}`,
    now: Date.now(),
    ends: [],
    wanted: 0,
    portion: 1,
    rules: rulesArgs(USUAL_RULES, 0),
    ...over,
  };
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
  tools: '',
  agent: '',
});

/** The number of the last change of an invocation of the tenant `default`. */
const changeOf = async (id = '') =>
  Number(await kit.queues.redis.zscore('{errand}:index:default:changed', id.slice('inv_'.length)));

/** Listens to notifications. The returned function resolves with the messages about these ids until now. */
async function notificationsOf(ids: readonly string[]): Promise<() => Promise<string[]>> {
  const channel = '{errand}:news';
  const listener = new Redis(kit.redis.url);
  const messages: string[] = [];
  let onLast = () => {};
  listener.on('message', (_channel, message) => (message === 'last' ? onLast() : messages.push(message)));
  await listener.subscribe(channel);
  return async () => {
    const last = new Promise<void>((resolve) => (onLast = resolve));
    await kit.queues.redis.publish(channel, 'last');
    await last;
    listener.disconnect();
    return messages.filter((message) => ids.some((id) => message.includes(id)));
  };
}

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
    expect([
      await kit.queues.byName.invocations.getActiveCount(),
      await kit.queues.byName.invocations.getWaitingCount(),
    ]).toEqual([3, 1]);
  });

  it('A call that takes jobs records their starts in the order of changes and notifies listeners by one message, also if it arrives twice', async () => {
    const { redis } = kit.queues;
    const ids = [await submit(), await submit({}, { tenant: 'acme' }), await submit()];
    await redis.del('{errand}:index:acme:changed');
    const notified = await notificationsOf(ids);
    const accepted = await changeOf(ids[2]);
    const taken = (await commit({ call: 'c:take', wanted: 3 })).taken.map(([, , , , , , , , , id]) => id);
    expect(taken).toEqual(ids);
    const recorded = await Promise.all([changeOf(ids[0]), changeOf(ids[2]), redis.get('{errand}:change-clock')]);
    expect(recorded.map(Number)).toEqual([recorded[0], recorded[0] + 2, recorded[0] + 2]);
    expect(recorded[0]).toBeGreaterThan(accepted);
    await commit({ call: 'c:take', wanted: 3 });
    expect(await Promise.all([changeOf(ids[0]), changeOf(ids[2])])).toEqual(recorded.slice(0, 2));
    // An invocation without an entry gets none.
    expect(await redis.exists('{errand}:index:acme:changed')).toBe(0);
    expect(await notified()).toEqual([ids.join('\n')]);
  });

  it('A call that ends jobs notifies listeners by one message', async () => {
    const ids = [await submit(), await submit()];
    const { taken } = await commit({ call: 'c:take', wanted: 2 });
    const notified = await notificationsOf(ids);
    await commit({ call: 'c:end', ends: taken.map((fields) => endOf(fields, 'c:take', 'done')) });
    expect(await notified()).toEqual([ids.map((id) => `ended ${id}`).join('\n')]);
  });

  it('A job that must fail without a run is taken, and its start is not recorded', async () => {
    const id = await submit();
    const [notified, accepted] = [await notificationsOf([id]), await changeOf(id)];
    await kit.queues.redis.hset(`{errand}:invocations:${id}`, 'defa', 'its processes died');
    expect((await commit({ wanted: 1 })).taken.map((fields) => fields[7])).toEqual(['its processes died']);
    expect([await changeOf(id), await notified()]).toEqual([accepted, []]);
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

  it('Jobs that a take leaves because of their size start next, in order', async () => {
    const ids = Array.from({ length: 5 }, () => newInvocationId());
    for (const [n, id] of ids.entries()) {
      const record = recordOf({}, { arguments: { text: 'x'.repeat(n === 1 || n === 2 ? 600_000 : 1) } });
      await submitInvocation(kit.queues, 'invocations', id, record);
    }
    const idsOf = async () => (await commit({ wanted: 5 })).taken.map((fields) => fields[9]);
    expect([await idsOf(), await idsOf()]).toEqual([ids.slice(0, 3), ids.slice(3)]);
  });

  it('A waiting job whose data was removed is passed over, and is not active', async () => {
    const [removed, kept] = [await submit(), await submit()];
    await kit.queues.redis.del(`{errand}:invocations:${removed}`);
    expect((await commit({ wanted: 2 })).taken.map((fields) => fields[9])).toEqual([kept]);
    expect(await kit.queues.redis.lrange('{errand}:invocations:active', 0, -1)).toEqual([kept]);
  });

  it('A consumer with a part of all slots takes that part of the waiting jobs, and wakes the others for the rest', async () => {
    for (let n = 0; n < 10; n++) await submit();
    const { redis } = kit.queues;
    await redis.del('{errand}:invocations:marker');
    const { taken, state } = await commit({ wanted: 50, portion: 0.4 });
    expect([taken.length, state]).toEqual([4, 'more']);
    expect(await redis.zrange('{errand}:invocations:marker', '0', '-1')).toEqual(['0']);
    const sizes = [];
    for (let n = 0; n < 5; n++) sizes.push((await commit({ wanted: 50, portion: 0.4 })).taken.length);
    expect(sizes).toEqual([3, 2, 1, 0, 0]);
    expect(await redis.zcard('{errand}:invocations:marker')).toBe(0);
  });

  it('Jobs of a tenant at its share of the slots stay in their lane until one of it ends', async () => {
    const rules = rulesArgs({ maxShare: 0.5, cost: 'time' }, 4);
    const ids = [];
    for (let n = 0; n < 6; n++) ids.push(await submit({}, { tenant: n === 5 ? 'other' : 'acme' }));
    const { taken, state } = await commit({ call: 'c:take', wanted: 4, rules });
    expect([taken.map(([, , , , , , , , , id]) => id), state]).toEqual([[ids[0], ids[5], ids[1]], 'paused']);
    expect((await commit({ wanted: 4, rules })).taken).toEqual([]);
    const ends = [{ ...endOf(taken[0], 'c:take', 'done'), tenant: 'acme' }];
    expect((await commit({ ends, wanted: 4, rules })).taken.map(([, , , , , , , , , id]) => id)).toEqual([ids[2]]);
  });

  it('Jobs that come one at a time keep to the share of their tenant, too', async () => {
    const rules = rulesArgs({ maxShare: 0.5, cost: 'time' }, 4);
    const takeOne = async (tenant: string) => {
      await submit({}, { tenant });
      return (await commit({ wanted: 4, rules })).taken.length;
    };
    expect(await takeOne('other')).toBe(1);
    const counts = [];
    for (let n = 0; n < 4; n++) counts.push(await takeOne('acme'));
    expect(counts).toEqual([1, 1, 0, 0]);
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
