import { backoffMs } from './backoff.js';

describe('The wait before the next try', () => {
  it('The wait doubles from 0.25 s to 8 s, and a random part shortens it by a half at most', () => {
    expect([0, 1, 2, 3, 4, 5, 6, 1_000].map((failures) => backoffMs(failures, 0))).toEqual([
      250, 500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000,
    ]);
    expect([0, 1, 5].map((failures) => backoffMs(failures, 1))).toEqual([250, 250, 4_000]);
  });
});
