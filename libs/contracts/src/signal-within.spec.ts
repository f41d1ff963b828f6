import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { signalWithin } from './signal-within.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Resolves with the reason of a signal that nothing else refers to. */
const reasonOf = (signal: AbortSignal): Promise<unknown> =>
  new Promise((resolve) => {
    signal.addEventListener('abort', (event) => resolve((event.target as AbortSignal).reason), { once: true });
  });
const never = new AbortController().signal;

describe('A signal with a time limit', () => {
  it('It fires after its time, also if the garbage collector has run meanwhile', async () => {
    const reasons = Array.from({ length: 20 }, () => reasonOf(signalWithin(never, 50)));
    for (let n = 0; n < 5; n++) {
      await new Promise((resolve) => void setImmediate(resolve));
      collectGarbage();
    }
    for (const reason of await Promise.all(reasons)) expect(reason).toMatchObject({ name: 'TimeoutError' });
  });

  it('It fires with the other signal, and with its reason', async () => {
    const stop = new AbortController();
    const reason = reasonOf(signalWithin(stop.signal, 1_000_000));
    stop.abort('stopped');
    expect(await reason).toBe('stopped');
    expect(signalWithin(stop.signal, 1_000_000).aborted).toBe(true);
  });

  it('It fires after its time with the reason that it was given', async () => {
    expect(await reasonOf(signalWithin(never, 1, 'too late'))).toBe('too late');
  });
});
