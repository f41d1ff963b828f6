import { GatherTurn } from './gather-turn.js';

const turns = (most = 10) => {
  const asked: (readonly number[])[] = [];
  const gather = new GatherTurn(async (items: readonly number[]) => {
    asked.push(items);
    if (items.includes(13)) throw new Error('refused');
    return items.map((item) => item * 2);
  }, most);
  return { asked, gather };
};

it('does together what is asked for in one turn, and gives each its own result', async () => {
  const { asked, gather } = turns();
  expect(await Promise.all([gather.do(1), Promise.resolve(2).then((item) => gather.do(item)), gather.do(3)])).toEqual([
    2, 4, 6,
  ]);
  expect(await gather.do(4)).toBe(8);
  expect(asked).toEqual([[1, 3, 2], [4]]);
});

it('does no more than so many at a time, and a failure is that of those alone', async () => {
  const { asked, gather } = turns(2);
  const settled = await Promise.allSettled([1, 2, 13, 3, 4].map((item) => gather.do(item)));
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'rejected', 'fulfilled']);
  expect(asked).toEqual([[1, 2], [13, 3], [4]]);
});
