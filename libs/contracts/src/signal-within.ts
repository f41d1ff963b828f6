/**
 * A signal that fires with `signal`, or with `reason` after `ms`. The timer is not cleared earlier, so use it for short times. It keeps no process
 * alive.
 *
 * In Node.js 20, `AbortSignal.any` does not keep a signal of `AbortSignal.timeout` alive: once the garbage collector has removed it, it never
 * fires. The timer here keeps its controller.
 */
export function signalWithin(
  signal: AbortSignal,
  ms: number,
  reason: unknown = new DOMException(`The time limit of ${ms} ms is over`, 'TimeoutError'),
): AbortSignal {
  const late = new AbortController();
  setTimeout(() => late.abort(reason), ms).unref();
  return AbortSignal.any([signal, late.signal]);
}
