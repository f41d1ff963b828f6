import { ToolError } from '@errand/contracts';

/** A signal that fires when the node's signal fires, or with a TimeoutError at the deadline. */
export function deadline(timeoutMs: number, signal: AbortSignal): AbortSignal {
  const late = new AbortController();
  const reason = new ToolError('TimeoutError', `there was no whole response within ${timeoutMs} ms`);
  // The timer does not keep an idle process alive. The node's own signal, which fires at its end, clears it.
  const timer = setTimeout(() => late.abort(reason), timeoutMs).unref();
  signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  return AbortSignal.any([signal, late.signal]);
}
