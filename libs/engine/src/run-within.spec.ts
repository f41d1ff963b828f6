import { getEventListeners } from 'node:events';
import { ToolError } from '@errand/contracts';
import { runWithin } from './run-within.js';

const forever = () => new Promise<never>(() => {});

describe('runWithin', () => {
  it('gives what the work gives, and leaves no listener', async () => {
    const { signal } = new AbortController();
    await expect(runWithin(async () => 1, signal)).resolves.toBe(1);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('tells what the work leaves behind when it has ended', async () => {
    const late = await runWithin(async (signal) => signal);
    expect(late.aborted).toBe(true);
  });

  it('does not begin what has been stopped before', async () => {
    let begun = false;
    const work = async () => (begun = true);
    await expect(runWithin(work, AbortSignal.abort())).rejects.toMatchObject({ type: 'CancelledError' });
    expect(begun).toBe(false);
  });

  it('ends with the reason of who stopped it', async () => {
    const reason = new ToolError('LostError', 'gone');
    await expect(runWithin(forever, AbortSignal.abort(reason))).rejects.toBe(reason);
    await expect(runWithin((_signal, stop) => (stop(reason), forever()))).rejects.toBe(reason);
  });
});
