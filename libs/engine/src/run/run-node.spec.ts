import { pauseAfter } from './run-node.js';

describe('The pause before a retry of a node', () => {
  it.each([
    ['fixed', [100, 100, 100]],
    ['exponential', [100, 200, 400]],
  ] as const)('The pauses with %s backoff are %j ms', (type, pauses) => {
    const retry = { attempts: 4, backoff: { type, delayMs: 100 } };
    expect([1, 2, 3].map((attempt) => pauseAfter(attempt, retry))).toEqual(pauses);
  });

  it('The pause is at most one hour', () => {
    expect(pauseAfter(60, { attempts: 99, backoff: { type: 'exponential', delayMs: 1_000 } })).toBe(3_600_000);
  });

  it('The pause without a backoff is 0 ms', () => {
    expect(pauseAfter(1, { attempts: 2 })).toBe(0);
  });
});
