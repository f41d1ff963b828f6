import { getEventListeners } from 'node:events';
import { ToolError } from '@errand/contracts';
import { runWithin } from './run-within.js';

const timers = () => process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
const forever = () => new Promise<never>(() => {});

describe('runWithin', () => {
  it('gives what the work gives, and leaves no listener and no timer', async () => {
    const { signal } = new AbortController();
    const before = timers();
    await expect(runWithin(async () => 1, { signal, timeoutMs: 60_000 })).resolves.toBe(1);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    expect(timers()).toBe(before);
  });

  it('tells the work when its time is over, and what the work leaves behind when it has ended', async () => {
    let late!: AbortSignal;
    await expect(runWithin((signal) => ((late = signal), forever()), { timeoutMs: 1 })).rejects.toMatchObject({
      type: 'TimeoutError',
      message: 'It did not end within 1 ms',
    });
    expect(late.aborted).toBe(true);
    await runWithin(async (signal) => (late = signal), {});
    expect(late.aborted).toBe(true);
  });

  it('does not begin what has been stopped before', async () => {
    let begun = false;
    const work = async () => (begun = true);
    await expect(runWithin(work, { signal: AbortSignal.abort() })).rejects.toMatchObject({ type: 'CancelledError' });
    expect(begun).toBe(false);
  });

  it('ends with the reason of who stopped it', async () => {
    const reason = new ToolError('LostError', 'gone');
    await expect(runWithin(forever, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    await expect(runWithin((_signal, stop) => (stop(reason), forever()), {})).rejects.toBe(reason);
  });
});
