import { newInvocationId, type Json } from '@errand/contracts';
import { recordOf, useQueues } from '../../test/use-queues.js';
import {
  RetentionCleaner,
  JournalWriter,
  listInvocations,
  openResult,
  readInvocation,
  readSteps,
  readWholeInvocation,
  submitInvocation,
  type Queues,
} from '../index.js';

const kit = useQueues();
let queues: Queues;
beforeAll(() => {
  ({ queues } = kit);
});

/** Runs an invocation that ends with these results, one per step. */
async function run(...results: Json[]): Promise<string> {
  const id = newInvocationId();
  await kit.serve('invocations', async () => ({
    steps: results.map((result) => ({ status: 'succeeded' as const, result })),
  }));
  const calls = results.map(() => recordOf().calls[0]!);
  await submitInvocation(queues, 'invocations', id, recordOf({ calls }));
  await kit.until(id, 'succeeded');
  await kit.endConsumers();
  return id;
}

/** The bytes that Redis has sent since the last call. */
async function bytesSent(): Promise<number> {
  const stats = await queues.redis.info('stats');
  await queues.redis.config('RESETSTAT');
  return Number(/total_net_output_bytes:(\d+)/.exec(stats)![1]);
}

/** A surrogate pair crosses the border of every piece. */
const LONG = `x${'😀'.repeat(150_000)}`;
const LIST = Array.from({ length: 30_000 }, (_, n) => ({ n, name: `item ${n}` }));

describe('A large result', () => {
  it('A large result is stored beside its job, and the job shows its beginning', async () => {
    const id = await run(LONG);
    const shown = (await readInvocation(queues, 'default', id))!;
    expect(shown.result).toBe(LONG.slice(0, 7_999));
    expect(shown).toMatchObject({ resultTruncated: true, steps: [{ resultTruncated: { total: LONG.length } }] });
    expect((await queues.redis.hget(`{errand}:invocations:${id}`, 'returnvalue'))!.length).toBeLessThan(20_000);
    expect((await readWholeInvocation(queues, 'default', id))!.result).toBe(LONG);
  });

  it('A part of a large result is exact to the character and needs only its own pieces', async () => {
    const id = await run(LONG, LIST, 'short');
    const [long, list, short] = (await openResult(queues, 'default', id))!.steps;
    for (const [from, to] of [
      [0, 10],
      [65_530, 65_540],
      [131_071, 131_073],
      [299_995, 400_000],
      [400_000, 400_001],
    ] as const)
      expect(await long!.part(from, to)).toBe(LONG.slice(from, to));
    expect(await list!.part(100_000, 100_050)).toBe(JSON.stringify(LIST).slice(100_000, 100_050));
    expect(await list!.whole()).toEqual(LIST);
    expect([short!.total, await short!.whole()]).toEqual([5, 'short']);
    expect(await openResult(queues, 'stranger', id)).toBeUndefined();
    await bytesSent();
    await list!.part(200_000, 200_100);
    expect(await bytesSent()).toBeLessThan(110_000);
  });

  it('Reading or listing invocations does not transfer their large results', async () => {
    const ids = [await run(LIST), await run(LIST)];
    await bytesSent();
    await readInvocation(queues, 'default', ids[0]!);
    await listInvocations(queues, 'default', {}, { limit: 2 });
    expect(await bytesSent()).toBeLessThan(60_000);
  });

  it('The next attempt can read the large result of a finished step', async () => {
    const id = newInvocationId();
    await queues.redis.hset(`{errand}:invocations:${id}`, 'ats', 1);
    const journal = new JournalWriter(queues, 'invocations', id, 1);
    await journal.writeStep(0, { status: 'succeeded', result: LIST });
    await journal.writeStep(1, { status: 'succeeded', result: 1 });
    expect((await queues.redis.hget(`{errand}:state:${id}`, '0'))!.length).toBeLessThan(20_000);
    expect([...(await readSteps(queues, id)).values()].map(({ result }) => result)).toEqual([LIST, 1]);
  });

  it('A large result is removed with its invocation', async () => {
    const key = `{errand}:results:${await run(LIST)}`;
    expect(await queues.redis.exists(key)).toBe(1);
    await new RetentionCleaner(queues, () => {}).sweep(Date.now() + 4_000_000);
    expect(await queues.redis.exists(key)).toBe(0);
  });
});
