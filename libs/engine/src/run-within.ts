import { setMaxListeners } from 'node:events';
import { ToolError } from '@errand/contracts';

/** Why the signal fires at the end of work that ended by itself: one for all, for an error is dear to make. */
const ENDED = new ToolError('CancelledError', 'It has ended');

/**
 * Runs `work` until it ends, `outside` fires or the work calls `stop`, whichever comes first, and then rejects at once: what is
 * still at work is abandoned and what it gives is discarded. The signal that the work gets fires after its end, too, so that
 * nothing which it left behind goes on.
 * @throws the reason of `stop`, or the reason of `outside` (a plain abort is a CancelledError)
 */
export async function runWithin<T>(
  work: (signal: AbortSignal, stop: (reason: unknown) => void) => Promise<T>,
  outside?: AbortSignal,
): Promise<T> {
  const controller = new AbortController();
  // Every graph that runs within a workflow listens to it.
  setMaxListeners(0, controller.signal);
  const stop = (reason: unknown) => controller.abort(reason);
  const stopFromOutside = () => stop(reasonOf(outside!));
  const stopped = new Promise<never>((_resolve, reject) => {
    controller.signal.addEventListener('abort', () => reject(controller.signal.reason), { once: true });
  });
  outside?.addEventListener('abort', stopFromOutside, { once: true });
  if (outside?.aborted) stopFromOutside();
  try {
    const worked = controller.signal.aborted ? stopped : Promise.resolve().then(() => work(controller.signal, stop));
    return await Promise.race([worked, stopped]);
  } finally {
    outside?.removeEventListener('abort', stopFromOutside);
    stop(ENDED);
  }
}

/** Who aborts with an error of his own means that error; a bare `abort()` is a cancel. */
function reasonOf(signal: AbortSignal): unknown {
  const reason: unknown = signal.reason;
  return reason instanceof Error && reason.name !== 'AbortError'
    ? reason
    : new ToolError('CancelledError', 'It was cancelled');
}
