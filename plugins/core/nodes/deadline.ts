import { ToolError } from '@errand/contracts';

/** A signal that fires when the node is told to end, or with a TimeoutError when the time is over. */
export function deadline(timeoutMs: number, signal: AbortSignal): AbortSignal {
  const late = new AbortController();
  const reason = new ToolError('TimeoutError', `there was no whole response within ${timeoutMs} ms`);
  // It does not keep a process alive that has nothing else to do; the node's own signal, which fires at its end, clears it.
  const timer = setTimeout(() => late.abort(reason), timeoutMs).unref();
  signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  return AbortSignal.any([signal, late.signal]);
}
