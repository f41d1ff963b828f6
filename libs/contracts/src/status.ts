export const STATUSES = ['queued', 'running', 'waiting_external', 'succeeded', 'failed', 'cancelled'] as const;

/**
 * The status of an invocation or of one of its steps. These transitions happen:
 *
 *   queued ─► running ─► succeeded | failed | cancelled        (final: never changes)
 *     │          │ ▲
 *     │          ▼ │
 *     │    waiting_external      suspended; an answer resumes it, and its deadline fails it
 *     │
 *     └─► cancelled | failed     before its first start
 *
 * `running ─► queued` is a retry, after a retryable failure or after the death of the process. A resumed job is `queued` until a worker takes it.
 */
export type Status = (typeof STATUSES)[number];

const FINAL: ReadonlySet<Status> = new Set(['succeeded', 'failed', 'cancelled']);

/** Whether the status can never change. */
export function isFinal(status: Status): boolean {
  return FINAL.has(status);
}
