import { toResult } from './outcome.js';
import { DEFAULT_LIMITS } from './limits.js';
import type { RunReport } from './protocol/response.js';

function judged(report: Partial<RunReport>, stdout = '{}', { logTail = ['one', 'two'], hasNetwork = true } = {}) {
  const ended: RunReport = {
    exitCode: 0,
    signal: null,
    timedOut: false,
    cpuExceeded: false,
    forksExceeded: false,
    overflow: false,
    oomKills: 0,
    refusedForks: 0,
    peakMemoryKb: 1,
    exception: null,
  };
  const response = { report: { ...ended, ...report }, stdout: Buffer.from(stdout) };
  return toResult(response, DEFAULT_LIMITS, logTail, { hasNetwork });
}

function errorOf(report: Partial<RunReport>): unknown {
  try {
    return judged(report);
  } catch (error) {
    return error;
  }
}

describe('The outcome of a script', () => {
  it('A script that succeeded returns its result, even if its child processes failed', () => {
    expect(judged({}, ' {"a": 1}\n')).toEqual({ a: 1 });
    expect(judged({ oomKills: 1, refusedForks: 3 }, 'null')).toBeNull();
  });

  it.each<[string, Partial<RunReport>, object]>([
    ['memory', { signal: 'SIGKILL', exitCode: null, oomKills: 1 }, { limit: 'memoryMb', memoryMb: 256 }],
    [
      'memory, requested at once',
      { exitCode: 1, exception: { type: 'MemoryError', message: '' } },
      { limit: 'memoryMb' },
    ],
    ['processes', { exitCode: 1, refusedForks: 1 }, { limit: 'pids', pids: 64 }],
    ['processes, when a fork bomb also used up the memory', { forksExceeded: true, oomKills: 2 }, { limit: 'pids' }],
    [
      'processes, without a counter',
      { exitCode: 1, refusedForks: null, exception: { type: 'BlockingIOError', message: '', code: 'EAGAIN' } },
      { limit: 'pids' },
    ],
    [
      'threads, without a counter',
      { exitCode: 1, refusedForks: null, exception: { type: 'RuntimeError', message: "can't start new thread" } },
      { limit: 'pids' },
    ],
    ['a signal for file size', { exitCode: null, signal: 'SIGXFSZ' }, { limit: 'fileMb', fileMb: 32 }],
    [
      'an error for file size',
      { exitCode: 1, exception: { type: 'OSError', message: '', code: 'EFBIG' } },
      { limit: 'fileMb' },
    ],
    [
      'disk space',
      { exitCode: 1, exception: { type: 'OSError', message: '', code: 'ENOSPC' } },
      { limit: 'tmpMb', tmpMb: 32 },
    ],
    [
      'open files',
      { exitCode: 1, exception: { type: 'OSError', message: '', code: 'EMFILE' } },
      { limit: 'openFiles' },
    ],
    ['CPU time', { cpuExceeded: true, signal: 'SIGKILL' }, { limit: 'cpuMs', cpuMs: 600_000 }],
    ['output', { overflow: true }, { limit: 'outputKb', outputKb: 1024 }],
  ])('The error names the limit: %s', (_, report, details) => {
    expect(errorOf(report)).toMatchObject({ type: 'ResourceLimitError', details });
  });

  it('The message says that a script was killed only if the kernel killed it', () => {
    const killed = errorOf({ exitCode: null, signal: 'SIGKILL', oomKills: 1 });
    expect(killed).toMatchObject({ message: expect.stringMatching(/256 MB .*killed/) });
    const refused = errorOf({ exitCode: 1, exception: { type: 'RangeError', message: 'Out of memory' } });
    expect(refused).toMatchObject({ message: expect.stringMatching(/^(?!.*killed).*256 MB/) });
  });

  it('The error says how a script failed, with the end of its log', () => {
    const exception = { type: 'ZeroDivisionError', message: 'division by zero' };
    expect(errorOf({ exitCode: 1, exception })).toMatchObject({
      type: 'ScriptError',
      message: 'division by zero',
      details: { exitCode: 1, exceptionType: 'ZeroDivisionError', log: 'one\ntwo' },
    });
    expect(errorOf({ exitCode: 3 })).toMatchObject({
      message: 'The script ended with exit code 3',
      details: { exitCode: 3 },
    });
    expect(errorOf({ exitCode: null, signal: 'SIGSEGV' })).toMatchObject({
      message: 'The script was killed by SIGSEGV',
      details: { signal: 'SIGSEGV' },
    });
    expect(errorOf({ exitCode: 1, exception: { type: 'Odd', message: '' } })).toMatchObject({ message: 'Odd' });
  });

  it('An exceeded time limit is reported before other limits', () => {
    expect(errorOf({ timedOut: true, signal: 'SIGKILL', oomKills: 1 })).toMatchObject({
      type: 'TimeoutError',
      details: { timeoutMs: 60_000 },
    });
  });
});
