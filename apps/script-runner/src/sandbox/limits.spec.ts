import { DEFAULT_LIMITS, resolveLimits } from './limits.js';

const MAXIMA = { timeoutMs: 600_000, memoryMb: 1024, cpus: 2, pids: 128, outputKb: 4096, tmpMb: 64, cpuMs: 600_000 };

describe('resolveLimits', () => {
  it('Every limit has a default below its maximum', () => {
    expect(resolveLimits({}, undefined, MAXIMA)).toEqual(DEFAULT_LIMITS);
    expect(resolveLimits({}, undefined, { ...MAXIMA, memoryMb: 64, timeoutMs: 1000 })).toMatchObject({
      memoryMb: 64,
      timeoutMs: 1000,
    });
  });

  it('A tool gets its requested limits between the minima of the sandbox and the maxima of the operator', () => {
    expect(resolveLimits({ memoryMb: 100, cpus: 0.5 }, undefined, MAXIMA)).toMatchObject({ memoryMb: 100, cpus: 0.5 });
    expect(resolveLimits({ memoryMb: 1e9, pids: 1e9, timeoutMs: Infinity }, undefined, MAXIMA)).toMatchObject({
      memoryMb: 1024,
      pids: 128,
      timeoutMs: 600_000,
    });
    expect(resolveLimits({ memoryMb: 1, pids: 1 }, undefined, MAXIMA)).toMatchObject({ memoryMb: 32, pids: 16 });
  });

  it.each([
    [undefined, 5000, 5000],
    [undefined, 120_000, 120_000],
    [undefined, 9_000_000, 600_000],
    [10_000, 5000, 5000],
    [10_000, 20_000, 10_000],
    [10_000, undefined, 10_000],
  ])('A tool with %s ms and a caller with %s ms get %s ms', (tool, wish, given) => {
    expect(resolveLimits(tool ? { timeoutMs: tool } : {}, wish, MAXIMA).timeoutMs).toBe(given);
  });

  it('A limit that is not a positive number is refused', () => {
    for (const memoryMb of [0, -1, NaN]) {
      expect(() => resolveLimits({ memoryMb }, undefined, MAXIMA)).toThrow(/memoryMb must be a positive number/);
    }
    expect(() => resolveLimits({}, -5, MAXIMA)).toThrow(/timeoutMs/);
  });
});
