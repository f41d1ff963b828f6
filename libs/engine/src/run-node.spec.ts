import { pauseAfter } from './run-node.js';

describe('the pause before a retry', () => {
  it.each([
    ['fixed', [100, 100, 100]],
    ['exponential', [100, 200, 400]],
  ] as const)('is %s: %j', (type, pauses) => {
    const retry = { attempts: 4, backoff: { type, delayMs: 100 } };
    expect([1, 2, 3].map((attempt) => pauseAfter(attempt, retry))).toEqual(pauses);
  });

  it('is none without a backoff', () => {
    expect(pauseAfter(1, { attempts: 2 })).toBe(0);
  });
});
