import { RecentStarts } from './recent-starts.js';

const SLOTS = 4;

/** The last starts of a consumer of four slots: eight are counted. The tenants are single letters. */
function startsOf(tenants: string) {
  const starts = new RecentStarts(SLOTS);
  for (const tenant of tenants) starts.note(tenant);
  return starts;
}

describe('The last starts of a consumer', () => {
  it('A tenant is light up to its part of an equal share', () => {
    expect(startsOf('aaabaaab').isLight('b', 1 / 2)).toBe(true);
    expect(startsOf('aaabaaab').isLight('b', 1 / 4)).toBe(false);
    expect(startsOf('aabbaabb').isLight('b', 1 / 2)).toBe(false);
    expect(startsOf('aaaaaaab').isLight('b', 1 / 4)).toBe(true);
  });

  it('A tenant that is alone, or has as many as each of many others, is not light', () => {
    expect(startsOf('aaaa').isLight('a', 1 / 2)).toBe(false);
    expect(startsOf('abcdefgg').isLight('a', 1 / 2)).toBe(false);
  });

  it('Only the last two starts for each slot count', () => {
    const starts = startsOf('bbbbbbbb');
    for (let n = 0; n < 7; n++) starts.note('a');
    expect(starts.isLight('b', 1 / 2)).toBe(true);
    expect(starts.isLight('a', 1 / 2)).toBe(false);
    starts.note('a');
    expect(starts.isLight('a', 1 / 2)).toBe(false);
  });

  it('Jobs without a tenant count together', () => {
    const starts = startsOf('aaaaaaa');
    starts.note(undefined);
    expect(starts.isLight(undefined, 1 / 4)).toBe(true);
  });
});
