import type { InvocationCounts } from '@errand/contracts';

/** The number of invocations of all statuses. */
export function sumOfCounts({ counts }: InvocationCounts): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** The counts with so many queued invocations more. */
export function withMoreQueued(counts: InvocationCounts | undefined, added: number): InvocationCounts | undefined {
  return counts && { ...counts, counts: { ...counts.counts, queued: counts.counts.queued + added } };
}
