import { PeakDemand, shareFairly } from './warm-pool.js';
import * as fc from 'fast-check';

describe('The peak demand', () => {
  it('The peak demand is the highest number of simultaneous requests', () => {
    const demand = new PeakDemand();
    expect(demand.peak(0)).toBe(0);
    for (const at of [0, 100, 1_999, 10_000, 20_000]) demand.record(at);
    expect(demand.peak(20_000)).toBe(3);
  });

  it('The peak demand ignores a burst after five minutes', () => {
    const demand = new PeakDemand();
    for (const at of [0, 1, 2, 200_000]) demand.record(at);
    expect(demand.peak(299_999)).toBe(3);
    expect(demand.peak(300_000)).toBe(1);
    expect(demand.peak(500_000)).toBe(0);
  });
});

describe('The shares of a pool', () => {
  it('Each environment gets one container before any gets two', () => {
    expect(shareFairly([8, 1, 0, 3], 5)).toEqual([2, 1, 0, 2]);
    expect(shareFairly([1, 1, 1], 2)).toEqual([1, 1, 0]);
    expect(shareFairly([1, 2], 8)).toEqual([1, 2]);
    expect(shareFairly([], 3)).toEqual([]);
  });

  it('No environment gets more containers than requested, and no requested share stays free', () => {
    const wants = fc.array(fc.nat(20), { maxLength: 8 });
    fc.assert(
      fc.property(wants, fc.nat(40), (wanted, total) => {
        const given = shareFairly(wanted, total);
        const sum = (numbers: number[]) => numbers.reduce((all, one) => all + one, 0);
        expect(given.every((count, index) => count <= wanted[index]!)).toBe(true);
        expect(sum(given)).toBe(Math.min(total, sum(wanted)));
      }),
    );
  });
});
