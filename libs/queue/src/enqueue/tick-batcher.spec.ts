import { TickBatcher } from './tick-batcher.js';

/** Doubles numbers. The weight of a number is the number itself. */
const turns = ({ items = 10, weight = 1_000 } = {}) => {
  const asked: (readonly number[])[] = [];
  const double = async (numbers: readonly number[]) => {
    asked.push(numbers);
    if (numbers.includes(13)) throw new Error('refused');
    return numbers.map((number) => number * 2);
  };
  return { asked, gather: new TickBatcher(double, { items, weight, weigh: (number) => number }) };
};

it('A batcher runs all items of one turn in one call and returns its own result to each item', async () => {
  const { asked, gather } = turns();
  const later = Promise.resolve(2).then((item) => gather.do(item));
  expect(await Promise.all([gather.do(1), later, gather.do(3)])).toEqual([2, 4, 6]);
  expect(await gather.do(4)).toBe(8);
  expect(asked).toEqual([[1, 3, 2], [4]]);
});

it('Several items have one promise for all their results, also if they are divided, and the first error fails it', async () => {
  const { asked, gather } = turns({ items: 2 });
  expect(await Promise.all([gather.doAll([1, 2, 3]), gather.do(4), gather.doAll([])])).toEqual([[2, 4, 6], 8, []]);
  expect(asked).toEqual([
    [1, 2],
    [3, 4],
  ]);
  await expect(gather.doAll([1, 2, 13, 3])).rejects.toThrow('refused');
});

it('A batcher limits the items of one call, and a failed call fails only its own items', async () => {
  const { asked, gather } = turns({ items: 2 });
  const settled = await Promise.allSettled([1, 2, 13, 3, 4].map((item) => gather.do(item)));
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'rejected', 'fulfilled']);
  expect(asked).toEqual([[1, 2], [13, 3], [4]]);
});

it('A batcher limits the weight of one call and runs a heavier item alone', async () => {
  const { asked, gather } = turns({ weight: 10 });
  const items = [4, 6, 1, 20, 9, 2];
  expect(await Promise.all(items.map((item) => gather.do(item)))).toEqual(items.map((item) => item * 2));
  expect(asked).toEqual([[4, 6], [1], [20], [9], [2]]);
});

/** Batches that run until the test ends them. */
const heldTurns = (holdMs: number, enough?: number) => {
  const asked: (readonly number[])[] = [];
  const ends: (() => void)[] = [];
  const run = async (numbers: readonly number[]) => {
    asked.push(numbers);
    await new Promise<void>((resolve) => ends.push(resolve));
    return numbers;
  };
  const limit = { items: 10, weight: 1_000, weigh: () => 1, holdMs, ...(enough !== undefined && { enough }) };
  return { asked, ends, gather: new TickBatcher(run, limit) };
};
const tick = () => new Promise((resolve) => void setImmediate(resolve));

it('The items of several ticks share the next batch while a batch runs', async () => {
  const { asked, ends, gather } = heldTurns(1_000_000_000);
  const results = [gather.do(1)];
  for (const item of [2, 3, 4]) {
    await tick();
    results.push(gather.do(item));
  }
  await tick();
  expect(asked).toEqual([[1]]);
  ends[0]?.();
  await results[0];
  while (asked.length < 2) await tick();
  ends[1]?.();
  expect(await Promise.all(results)).toEqual([1, 2, 3, 4]);
  expect(asked).toEqual([[1], [2, 3, 4]]);
});

it('A batch that does not end holds later items for a bounded time only', async () => {
  const { asked, ends, gather } = heldTurns(1);
  void gather.do(1);
  await tick();
  const later = gather.do(2);
  while (asked.length < 2) await tick();
  ends[1]?.();
  expect(await later).toBe(2);
});

it('Enough items wait neither for the end of the tick nor for the batch that runs', async () => {
  const { asked, ends, gather } = heldTurns(1_000_000_000, 3);
  const results = [gather.do(1)];
  await tick();
  for (const item of [2, 3]) results.push(gather.do(item));
  await tick();
  expect(asked).toEqual([[1]]);
  results.push(gather.do(4));
  await new Promise<void>((resolve) => process.nextTick(resolve));
  expect(asked).toEqual([[1], [2, 3, 4]]);
  for (const end of ends) end();
  expect(await Promise.all(results)).toEqual([1, 2, 3, 4]);
});

it('The items of one request share a call, although they are more than enough', async () => {
  const { asked, ends, gather } = heldTurns(1_000_000_000, 3);
  const results = Promise.all([1, 2, 3, 4, 5].map((item) => Promise.resolve().then(() => gather.do(item))));
  await tick();
  expect(asked).toEqual([[1, 2, 3, 4, 5]]);
  ends[0]?.();
  expect(await results).toEqual([1, 2, 3, 4, 5]);
});
