import { isMultipleOf } from './decimal-multiple.js';

test.each<[value: number, divisor: number]>([
  [0.07, 0.01],
  [0.29, 0.01],
  [4.35, 0.01],
  [19.99, 0.01],
  [-19.99, 0.01],
  [0.3, 0.1],
  [1e-7, 1e-7],
  [3e-7, 1e-7],
  [1.1, 0.1],
  [0, 0.01],
  [-0, 7],
  [1e308, 5e-324],
  [1e308, 0.01],
  [1e308, 1e-308],
  [Number.MIN_VALUE, 5e-324],
  [1.5e300, 5e299],
  [9007199254740992, 2],
  [9007199254740994, 2],
  [1e21, 1e20],
  [1e16, 3.2],
  [100, 0.5],
  [12, 3],
  [-12, 3],
])('The number %d is a multiple of %d', (value, divisor) => {
  expect(isMultipleOf(value, divisor)).toBe(true);
});

test.each<[value: number, divisor: number]>([
  [0.075, 0.01],
  [0.30000000000000004, 0.1],
  [19.999, 0.01],
  [1e-8, 1e-7],
  [5e-324, 1e308],
  [5e-324, 0.01],
  [1e308, 3],
  [1e308, 7e-300],
  [9007199254740992, 3],
  [1e21, 7e20],
  [1, 0.3],
  [7, 5],
  [-7, 5],
  [0.5, 1],
  [Infinity, 1],
  [-Infinity, 0.01],
  [NaN, 1],
])('The number %d is not a multiple of %d', (value, divisor) => {
  expect(isMultipleOf(value, divisor)).toBe(false);
});

test('Every number of cents is a multiple of 0.01, and every number with half a cent is not', () => {
  const amounts = Array.from({ length: 40_001 }, (_, index) => {
    const cents = index - 20_000;
    const [whole, rest] = [Math.floor(Math.abs(cents) / 100), Math.abs(cents) % 100];
    return `${cents < 0 ? '-' : ''}${whole}.${String(rest).padStart(2, '0')}`;
  });
  expect(amounts.filter((amount) => !isMultipleOf(Number(amount), 0.01))).toEqual([]);
  expect(amounts.filter((amount) => isMultipleOf(Number(`${amount}5`), 0.01))).toEqual([]);
});

test('Random decimals are multiples exactly if their scaled integers are multiples', () => {
  let seed = 7;
  const random = (max: number) => (seed = (seed * 48_271) % 2_147_483_647) % max;
  const cases = Array.from({ length: 5_000 }, () => [random(100_000), 1 + random(500), random(6)] as const);
  const wrong = cases.filter(
    ([value, unit, places]) =>
      isMultipleOf(Number(`${value}e-${places}`), Number(`${unit}e-${places}`)) !== (value % unit === 0),
  );
  expect(wrong).toEqual([]);
});
