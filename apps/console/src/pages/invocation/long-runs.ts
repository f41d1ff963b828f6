import type { Invocation, NodeState } from '@errand/contracts';
import { isFinal } from '../../statuses.js';

/** A node that runs for so long, in ms, may hang. */
const LONG_MS = 30_000;

/** The nodes that have run for long, longest first. A node that waits does not run, and a script without a runner has its own reason. */
export function longRuns({ status, steps, queue }: Invocation, at: number): (NodeState & { step: number })[] {
  if (isFinal(status) || queue) return [];
  const isLong = ({ status: own, waiting, startedAt }: NodeState) =>
    own === 'running' && waiting === undefined && startedAt !== null && at - Date.parse(startedAt) >= LONG_MS;
  return steps
    .flatMap(({ index, nodes = [] }) => nodes.filter(isLong).map((node) => ({ ...node, step: index })))
    .toSorted((a, b) => (a.startedAt ?? '').localeCompare(b.startedAt ?? ''));
}
