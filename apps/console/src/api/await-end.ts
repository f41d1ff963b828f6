import type { Invocation } from '@errand/contracts';
import { backoffMs } from '../live/backoff.js';
import { isNotFound } from './problems.js';

/** An answer can come before the end and before the time of the wait, for example of an API that is about to stop. */
const PAUSE_MS = 250;

/**
 * Waits for the end of an invocation, and gives each answer to `onAnswer`. After a failed wait it asks again, later each time. It ends with
 * the invocation, when the invocation is not stored any more, or when `signal` aborts.
 *
 * @param ask reads the invocation when it has ended, or after some seconds
 */
export async function awaitEnd<T extends Pick<Invocation, 'finishedAt'>>(
  ask: (signal: AbortSignal) => Promise<T>,
  onAnswer: (invocation: T) => void,
  signal: AbortSignal,
): Promise<void> {
  let failures = 0;
  while (!signal.aborted) {
    try {
      const invocation = await ask(signal);
      if (signal.aborted) return;
      failures = 0;
      onAnswer(invocation);
      if (invocation.finishedAt !== null) return;
    } catch (error) {
      if (isNotFound(error)) return;
      failures += 1;
    }
    await pause(failures === 0 ? PAUSE_MS : backoffMs(failures - 1), signal);
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });
}
