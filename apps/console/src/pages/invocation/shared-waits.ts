/** A part of the time of a step or node: it waited, or an attempt ran. Times in ms. */
export interface Segment {
  kind: 'wait' | 'run';
  from: number;
  /** Undefined while it goes on. */
  to: number | undefined;
  /** Of a run: its number, from 1. */
  attempt?: number;
  /** An attempt that failed or lost its process. */
  hasFailed?: boolean;
  /** Of a wait: for what. */
  waiting?: string;
}

/** A time in which at least one node waits and none runs. Times in ms. */
interface SharedWait {
  from: number;
  /** Undefined while it goes on. */
  to: number | undefined;
  /** For what the node waits that began to wait first. */
  waiting: string;
}

interface Edge {
  at: number;
  kind: Segment['kind'];
  change: 1 | -1;
  waiting: string;
}

/** The times in which all open nodes of a step wait, so that the step is suspended. Sorts the segments once. */
export function sharedWaits(segments: readonly Segment[]): SharedWait[] {
  const edges = segments.flatMap(({ kind, from, to, waiting = '' }): Edge[] => [
    { at: from, kind, change: 1, waiting },
    ...(to === undefined ? [] : [{ at: to, kind, change: -1 as const, waiting }]),
  ]);
  const open = { wait: 0, run: 0 };
  const reasons: string[] = [];
  const waits: SharedWait[] = [];
  const sorted = edges.toSorted((a, b) => a.at - b.at);
  for (const [n, { at, kind, change, waiting }] of sorted.entries()) {
    open[kind] += change;
    if (kind === 'wait' && change === 1) reasons.push(waiting);
    if (kind === 'wait' && change === -1) reasons.splice(reasons.indexOf(waiting), 1);
    // All changes of one time are counted before the next decision.
    if (sorted[n + 1]?.at === at) continue;
    const last = waits.at(-1);
    const isOpen = last !== undefined && last.to === undefined;
    const isWait = open.wait > 0 && open.run === 0;
    if (isWait && !isOpen) waits.push({ from: at, to: undefined, waiting: reasons[0] ?? '' });
    if (!isWait && isOpen) last.to = at;
  }
  return waits;
}
