import { isHeavy, MOST_BYTES, MOST_ENDS, nextBatch } from './batch-ends.js';

const ends = (...lengths: number[]) => lengths.map((length) => ({ ending: { value: 'x'.repeat(length) } }));

describe('The batches of ended jobs', () => {
  it('A batch has at most fifty ends, in order, and leaves the others', () => {
    const pending = Array.from({ length: 120 }, (_, n) => ({ ending: { value: String(n) } }));
    const sizes = [nextBatch(pending), nextBatch(pending), nextBatch(pending), nextBatch(pending)];
    expect(sizes.map(({ length }) => length)).toEqual([MOST_ENDS, MOST_ENDS, 20, 0]);
    expect(sizes.flat().map(({ ending }) => Number(ending.value))).toEqual(Array.from({ length: 120 }, (_, n) => n));
  });

  it('A batch stays below its number of bytes', () => {
    const pending = ends(400_000, 400_000, 400_000);
    expect([nextBatch(pending).length, nextBatch(pending).length]).toEqual([2, 1]);
  });

  it('An end that is heavier than a whole batch has a batch of its own', () => {
    const pending = ends(2 * MOST_BYTES, 1);
    expect([nextBatch(pending).length, nextBatch(pending).length]).toEqual([1, 1]);
  });

  it('An end is heavy from a quarter of a batch', () => {
    expect(ends(MOST_BYTES / 4, MOST_BYTES / 4 + 1).map(isHeavy)).toEqual([false, true]);
  });
});
