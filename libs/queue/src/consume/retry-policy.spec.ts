import { ToolError, type ErrorType } from '@errand/contracts';
import { decideRetry, pauseAfter } from './retry-policy.js';

const away = new ToolError('ServiceError', 'away');

describe('The pause before a retry', () => {
  it('A fixed pause is the same after each attempt', () => {
    expect([1, 2, 9].map((n) => pauseAfter(n, { type: 'fixed', delayMs: 70 }, 0.3))).toEqual([70, 70, 70]);
  });

  it('An exponential pause doubles up to its limit, and half of it is random', () => {
    const backoff = { type: 'exponential', delayMs: 100, maxDelayMs: 350 } as const;
    expect([1, 2, 3, 4, 60].map((n) => pauseAfter(n, backoff, 1))).toEqual([100, 200, 350, 350, 350]);
    expect([1, 2, 3].map((n) => pauseAfter(n, backoff, 0))).toEqual([50, 100, 175]);
    expect(pauseAfter(1_000, { type: 'exponential', delayMs: 1_000 }, 1)).toBe(600_000);
  });
});

describe('The retry decision', () => {
  const pauses = (policy: Parameters<typeof decideRetry>[1]) => decideRetry(away, policy).pauseMs !== undefined;

  it("A failure gets the caller's number of attempts, else the tool's number, else three", () => {
    expect([1, 2, 3].map((attempts) => pauses({ attempts }))).toEqual([true, true, false]);
    const own = { attempts: 5 };
    expect([4, 5].map((attempts) => pauses({ attempts, own }))).toEqual([true, false]);
    expect([1, 2].map((attempts) => pauses({ attempts, own, asked: { attempts: 2 } }))).toEqual([true, false]);
    expect(pauses({ attempts: 1, own: { attempts: 1 } })).toBe(false);
  });

  it("The caller's backoff takes precedence over the tool's backoff", () => {
    const own = { backoff: { type: 'fixed', delayMs: 7 } } as const;
    expect(decideRetry(away, { attempts: 1, own }).pauseMs).toBe(7);
    const asked = { backoff: { type: 'fixed', delayMs: 9 } } as const;
    expect(decideRetry(away, { attempts: 1, own, asked }).pauseMs).toBe(9);
  });

  it.each<ErrorType>(['ScriptError', 'TimeoutError', 'NodeError'])(
    'A %s is retried only if the tool allows it',
    (type) => {
      const failure = new ToolError(type, 'no');
      expect(decideRetry(failure, { attempts: 1 }).pauseMs).toBeUndefined();
      expect(decideRetry(failure, { attempts: 1, asked: { attempts: 9 } }).pauseMs).toBeUndefined();
      expect(decideRetry(failure, { attempts: 1, own: { on: [type] } }).pauseMs).toEqual(expect.any(Number));
    },
  );
});
