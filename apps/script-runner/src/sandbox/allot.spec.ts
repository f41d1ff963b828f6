import * as fc from 'fast-check';
import { allot } from './allot.js';

describe('The shares of a pool', () => {
  it('Everybody gets one place before anybody gets two', () => {
    expect(allot([8, 1, 0, 3], 5)).toEqual([2, 1, 0, 2]);
    expect(allot([1, 1, 1], 2)).toEqual([1, 1, 0]);
    expect(allot([1, 2], 8)).toEqual([1, 2]);
    expect(allot([], 3)).toEqual([]);
  });

  it('Nobody gets more places than requested, and no requested place stays free', () => {
    const wants = fc.array(fc.nat(20), { maxLength: 8 });
    fc.assert(
      fc.property(wants, fc.nat(40), (wanted, total) => {
        const given = allot(wanted, total);
        const sum = (numbers: number[]) => numbers.reduce((all, one) => all + one, 0);
        expect(given.every((count, index) => count <= wanted[index]!)).toBe(true);
        expect(sum(given)).toBe(Math.min(total, sum(wanted)));
      }),
    );
  });
});
