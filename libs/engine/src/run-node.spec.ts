import { pauseAfter } from './run-node.js';

describe('the pause before a retry', () => {
  it.each([
    ['fixed', [100, 100, 100]],
    ['exponential', [100, 200, 400]],
  ] as const)('is %s: %j', (type, pauses) => {
    const retry = { attempts: 4, backoff: { type, delayMs: 100 } };
    expect([1, 2, 3].map((attempt) => pauseAfter(attempt, retry))).toEqual(pauses);
  });

  it('does not grow beyond an hour', () => {
    expect(pauseAfter(60, { attempts: 99, backoff: { type: 'exponential', delayMs: 1_000 } })).toBe(3_600_000);
  });

  it('is none without a backoff', () => {
    expect(pauseAfter(1, { attempts: 2 })).toBe(0);
  });
});
