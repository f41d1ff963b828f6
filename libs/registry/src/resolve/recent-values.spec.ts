import { RecentValues } from './recent-values.js';

const counting = () => {
  let made = 0;
  return { make: async () => ++made, count: () => made };
};

it('A value is made once, also for concurrent requests, and again when the state changes', async () => {
  const { make } = counting();
  const remembered = new RecentValues<number>(2);
  expect(await Promise.all([remembered.get('a', '1', make), remembered.get('a', '1', make)])).toEqual([1, 1]);
  expect(await remembered.get('a', '2', make)).toBe(2);
  expect(await remembered.get('a', '1', make)).toBe(3);
});

it('The least recently used value and failed values are not kept', async () => {
  const { make, count } = counting();
  const remembered = new RecentValues<number>(2);
  for (const key of ['a', 'b', 'a', 'c', 'a']) await remembered.get(key, '', make);
  expect(count()).toBe(3);
  await remembered.get('b', '', make);
  expect(count()).toBe(4);
  const fails = () => Promise.reject(new Error('no'));
  await expect(remembered.get('x', '', fails)).rejects.toThrow('no');
  await expect(remembered.get('x', '', make)).resolves.toBe(5);
});
