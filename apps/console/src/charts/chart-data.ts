import type { Stats, StatsMetric } from '@errand/contracts';

/** A line of a chart. */
export interface ChartLine {
  metric: StatsMetric;
  name: string;
  /** A custom property of tokens.css without `--tone-`. */
  tone: string;
}

/** The values of all lines at the same times. A line has null where it has no value. */
export interface ChartData {
  /** In ms since 1970. */
  times: readonly number[];
  values: readonly (readonly (number | null)[])[];
}

/** A row of the table beside a chart: several steps as one. */
export interface ChartRow {
  from: number;
  values: readonly (number | null)[];
}

const MOST_ROWS = 12;

/** The steps from `from` to `to` (ms), and the first series of each answer at these times. All answers have the same steps. */
export function alignSeries(answers: readonly Stats[], from: number, to: number): ChartData {
  const stepMs = answers[0]?.stepMs ?? 0;
  if (stepMs === 0) return { times: [], values: answers.map(() => []) };
  const first = Math.floor(from / stepMs) * stepMs;
  const times = Array.from({ length: Math.ceil((to - first) / stepMs) }, (_, n) => first + n * stepMs);
  const points = answers.map(({ series }) => new Map(series[0]?.points ?? []));
  return { times, values: points.map((each) => times.map((at) => each.get(at) ?? null)) };
}

/** The data without the counts of the last step, which is not over yet: a line would fall at its end. */
export function withoutLastStep({ times, values }: ChartData, lines: readonly ChartLine[]): ChartData {
  const hasMore = values.some((line) => line.slice(0, -1).some((value) => value !== null && value > 0));
  if (!hasMore) return { times, values };
  return {
    times,
    values: values.map((line, n) => (isHighest(lines[n]?.metric ?? 'depth') ? line : [...line.slice(0, -1), null])),
  };
}

/** Whether a metric is a duration or a depth, of which the highest value counts. The others are counts, which add up. */
export function isHighest(metric: StatsMetric): boolean {
  return !['accepted', 'ended', 'failed', 'refused'].includes(metric);
}

/** All values of a line as one: the sum of counts, or the highest value. Null without any. */
export function totalOf(metric: StatsMetric, values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return null;
  if (isHighest(metric)) return known.reduce((most, value) => Math.max(most, value), 0);
  return known.reduce((sum, value) => sum + value, 0);
}

/** The data in at most 12 rows, for a table. */
export function toRows({ times, values }: ChartData, lines: readonly ChartLine[]): ChartRow[] {
  const size = Math.max(1, Math.ceil(times.length / MOST_ROWS));
  return Array.from({ length: Math.ceil(times.length / size) }, (_, n) => ({
    from: times[n * size] ?? 0,
    values: lines.map(({ metric }, line) => totalOf(metric, values[line]?.slice(n * size, (n + 1) * size) ?? [])),
  }));
}
