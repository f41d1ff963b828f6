import { RESOLUTIONS } from './fold-bounds.js';

/** Buckets are kept a little longer, so that a range of exactly an hour has them all. */
const SPARE_SECONDS = 60;
const MOST_POINTS = 1_000;

/** A range of time in ms. */
interface TimeRange {
  from: number;
  to: number;
  /** The wanted step. */
  stepMs?: number | undefined;
}

/** Steps of equal length, and the buckets that they consist of. */
export interface PlannedSteps {
  stepMs: number;
  /** The begin of each step in ms. */
  starts: number[];
  /** The length of the buckets in seconds, and their begins in seconds. */
  seconds: number;
  begins: number[];
}

/**
 * Divides a range into at most 1,000 steps. A step is a multiple of the finest buckets that reach back to the begin of the range, so it may
 * be longer than the wanted one. What is older than 30 days or after `now` is left out.
 */
export function planSteps({ from, to, stepMs: wanted = 0 }: TimeRange, now: number): PlannedSteps {
  const oldest = now - (RESOLUTIONS[2].keptSeconds + SPARE_SECONDS) * 1_000;
  const [begin, end] = [Math.max(from, oldest), Math.min(to, now + 1)];
  const age = (now - begin) / 1_000;
  const resolution = RESOLUTIONS.find(({ keptSeconds }) => age <= keptSeconds + SPARE_SECONDS) ?? RESOLUTIONS[2];
  const unit = resolution.seconds * 1_000;
  // One step more than the range has can be needed, because steps begin at round times.
  const least = Math.max(wanted, (end - begin) / (MOST_POINTS - 1), 1);
  const stepMs = Math.ceil(least / unit) * unit;
  const first = Math.floor(begin / stepMs) * stepMs;
  return {
    stepMs,
    starts: timesFrom(first, end, stepMs),
    seconds: resolution.seconds,
    begins: timesFrom(Math.max(first, Math.floor(begin / unit) * unit), end, unit).map((ms) => ms / 1_000),
  };
}

function timesFrom(first: number, end: number, step: number): number[] {
  return Array.from({ length: Math.max(0, Math.ceil((end - first) / step)) }, (_, n) => first + n * step);
}
