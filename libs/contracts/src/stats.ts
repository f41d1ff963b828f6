import type { PartialAnswer } from './partial.js';

/** What `GET /v1/stats` measures. The last six have a value only where there are data. */
export const STATS_METRICS = [
  'accepted',
  'ended',
  'failed',
  'refused',
  'waitP50Ms',
  'waitP95Ms',
  'runP50Ms',
  'runP95Ms',
  'depth',
  'oldestMs',
] as const;
export type StatsMetric = (typeof STATS_METRICS)[number];

/** By what `GET /v1/stats` divides a metric. */
export const STATS_DIMENSIONS = ['queue', 'tool', 'outcome', 'errorType', 'agent'] as const;
export type StatsDimension = (typeof STATS_DIMENSIONS)[number];

/** `GET /v1/stats`: at most 20 series, and one for all others. */
export interface Stats extends PartialAnswer {
  metric: StatsMetric;
  stepMs: number;
  series: StatsSeries[];
}

export interface StatsSeries {
  /** The value of the dimension: null for what has none, such as a success without an error type; `other` for all that have no series. Empty without a dimension. */
  labels: Partial<Record<StatsDimension, string | null>>;
  /** The begin of each step in ms since 1970, and its value. */
  points: [ms: number, value: number][];
}

/** `GET /v1/tools/:id/stats`: the calls of a tool in the last 30 days. */
export interface ToolStats extends PartialAnswer {
  /** The accepted invocations that call it. */
  calls: number;
  failed: number;
  /** Durations of the invocations within 10 %; null without any. */
  p50Ms: number | null;
  p95Ms: number | null;
  /** By error type, the most frequent first. */
  errors: { type: string; count: number }[];
  /** Calls that were refused, by parameter (JSON Pointer) and kind of error, the most frequent first. */
  refusals: { parameter: string; kind: string; count: number }[];
  lastUsedAt: string | null;
}
