import { Demand } from './demand.js';

describe('The peak demand', () => {
  it('The peak demand is the highest number of simultaneous requests', () => {
    const demand = new Demand();
    expect(demand.peak(0)).toBe(0);
    for (const at of [0, 100, 1_999, 10_000, 20_000]) demand.note(at);
    expect(demand.peak(20_000)).toBe(3);
  });

  it('The peak demand ignores a burst after five minutes', () => {
    const demand = new Demand();
    for (const at of [0, 1, 2, 200_000]) demand.note(at);
    expect(demand.peak(299_999)).toBe(3);
    expect(demand.peak(300_000)).toBe(1);
    expect(demand.peak(500_000)).toBe(0);
  });
});
