import { getEventListeners } from 'node:events';
import { ToolError } from '@errand/contracts';
import { runWithin } from './run-workflow.js';

const forever = () => new Promise<never>(() => {});

describe('runWithin', () => {
  it('runWithin returns the result of the work and leaves no listener', async () => {
    const { signal } = new AbortController();
    await expect(runWithin(async () => 1, signal)).resolves.toBe(1);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('The signal of the work aborts when the work has ended', async () => {
    const late = await runWithin(async (signal) => signal);
    expect(late.aborted).toBe(true);
  });

  it('runWithin does not begin work whose signal is already aborted', async () => {
    let begun = false;
    const work = async () => (begun = true);
    await expect(runWithin(work, AbortSignal.abort())).rejects.toMatchObject({ type: 'CancelledError' });
    expect(begun).toBe(false);
  });

  it('runWithin rejects with the reason of the abort', async () => {
    const reason = new ToolError('LostError', 'gone');
    await expect(runWithin(forever, AbortSignal.abort(reason))).rejects.toBe(reason);
    await expect(runWithin((_signal, stop) => (stop(reason), forever()))).rejects.toBe(reason);
  });
});
