import { findEqualItems } from './equal-items.js';

const free = { take: () => undefined };

test.each<[list: unknown[], pair: [number, number] | undefined]>([
  [[], undefined],
  [
    [1, 2, 1],
    [0, 2],
  ],
  [[1, '1', true, null, [], {}, [1], ['1'], { a: 1 }], undefined],
  [
    [0, -0],
    [0, 1],
  ],
  [
    [1, 1.0],
    [0, 1],
  ],
  [
    [0.1, 0.2, 0.1],
    [0, 2],
  ],
  [
    [
      { a: 1, b: [2] },
      { b: [2], a: 1 },
    ],
    [0, 1],
  ],
  [
    [
      { a: 1, b: 2 },
      { a: 2, b: 1 },
    ],
    undefined,
  ],
  [
    [
      [1, 2],
      [2, 1],
    ],
    undefined,
  ],
  [
    ['ab', 'ba', 'ab'],
    [0, 2],
  ],
  [
    [Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
    [0, 1],
  ],
  [
    [1e300, 1e301, 1e300],
    [0, 2],
  ],
  [
    [JSON.parse('{"__proto__":1}'), {}, JSON.parse('{"__proto__":1}')],
    [0, 2],
  ],
])('The first equal items of %j are %j', (list, pair) => {
  expect(findEqualItems(list, free)).toEqual(pair);
});

/** Texts of two-letter pairs with equal hashes: 31 * 'A' + 'a' is 31 * 'B' + 'B'. */
const colliding = (length: number): string[] =>
  length === 0 ? [''] : colliding(length - 1).flatMap((rest) => [`Aa${rest}`, `BB${rest}`]);

test('Items with equal hashes are compared by content in linear time', () => {
  const list = colliding(12);
  let steps = 0;
  const counter = { take: (count: number) => void (steps += count) };
  expect(findEqualItems(list, counter)).toBeUndefined();
  expect(findEqualItems([...list, list[7]], free)).toEqual([7, list.length]);
  const ofHalf = { steps: 0 };
  findEqualItems(list.slice(0, list.length / 2), { take: (count: number) => void (ofHalf.steps += count) });
  expect(steps / ofHalf.steps).toBeLessThan(2.5);
});
