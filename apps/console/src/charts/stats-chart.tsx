import type { Stats } from '@errand/contracts';
import { useMemo, useState } from 'preact/hooks';
import { read } from '../api/call-api.js';
import { useLoaded, type Loaded } from '../api/use-loaded.js';
import { usePolling } from '../api/use-polling.js';
import { formatCount, formatDuration } from '../parts/format.js';
import { ErrorNotice, LoadingRows, PartialNotice } from '../parts/notices.js';
import { Time } from '../parts/time.js';
import {
  alignSeries,
  isHighest,
  toRows,
  totalOf,
  withoutLastStep,
  type ChartData,
  type ChartLine,
} from './chart-data.js';
import { LineChart } from './line-chart.js';
import './charts.css';

/** A range of time that ends now. */
export interface ChartRange {
  name: string;
  title: string;
  ms: number;
}

const POINTS = 180;
const REFRESH_MS = 10_000;
const DAY_MS = 86_400_000;
/** What the number beside a line of durations means. */
const PEAK = 'The highest value of a short interval in this range, not the value of the whole range';

interface Props {
  title: string;
  testId: string;
  lines: readonly ChartLine[];
  range: ChartRange;
  /** Says what it means that there are no data. */
  empty: string;
}

/** A chart of metrics of the tenant, with its totals and a table of its values. */
export function StatsChart({ title, testId, lines, range, empty }: Props) {
  const stats = useStats(lines, range);
  const [isTable, setTable] = useState(false);
  const [point, setPoint] = useState<number | null>(null);
  const data = useMemo(
    () => alignSeries(stats.data?.answers ?? [], stats.data?.from ?? 0, stats.data?.to ?? 0),
    [stats.data],
  );
  const drawn = useMemo(() => withoutLastStep(data, lines), [data]);
  const hasValues = data.values.some((line) => line.some((value) => value !== null && value > 0));
  return (
    <figure class="panel chart" data-testid={testId}>
      <figcaption class="chart-head">
        <h2>{title}</h2>
        <button type="button" class="button button-small" aria-pressed={isTable} onClick={() => setTable(!isTable)}>
          Table
        </button>
      </figcaption>
      <Totals data={data} lines={lines} point={point} />
      {stats.error !== undefined && <ErrorNotice error={stats.error} onRetry={stats.reload} />}
      {stats.data === undefined && stats.isLoading && <LoadingRows count={3} />}
      <PartialNotice answer={stats.data?.answers.find(({ partial }) => partial)} />
      {stats.data !== undefined && !hasValues && <p class="chart-empty faint">{empty}</p>}
      {hasValues && !isTable && (
        <LineChart
          key={range.name}
          data={drawn}
          lines={lines}
          formatTime={formatAxisOf(range)}
          formatValue={isHighest(lines[0]?.metric ?? 'accepted') ? formatDuration : formatShort}
          onPoint={setPoint}
        />
      )}
      <ChartTable title={title} data={data} lines={lines} isHidden={!isTable} />
    </figure>
  );
}

interface Measured {
  answers: readonly Stats[];
  /** In ms since 1970. */
  from: number;
  to: number;
}

function useStats(lines: readonly ChartLine[], range: ChartRange): Loaded<Measured> {
  const key = `${range.name} ${lines.map(({ metric }) => metric).join()}`;
  const stats = useLoaded<Measured>(key, async (signal) => {
    const to = Date.now();
    const from = to - range.ms;
    const query = { from, to, stepMs: Math.round(range.ms / POINTS) };
    const answers = await Promise.all(
      lines.map(({ metric }) => read<Stats>('/v1/stats', { ...query, metric }, signal)),
    );
    return { answers, from, to };
  });
  usePolling(true, stats.reload, Math.max(REFRESH_MS, range.ms / POINTS / 2));
  return stats;
}

/** Whether a value stands for the whole range and is the highest one of its intervals. */
function isPeak({ metric }: ChartLine, value: number | null, point: number | null): boolean {
  return point === null && value !== null && isHighest(metric);
}

/** The names of the lines, with their totals, or with their values under the pointer. */
function Totals({ data, lines, point }: { data: ChartData; lines: readonly ChartLine[]; point: number | null }) {
  const at = point === null ? undefined : data.times[point];
  return (
    <ul class="chart-totals">
      {lines.map((line, n) => {
        const values = data.values[n] ?? [];
        const value = point === null ? totalOf(line.metric, values) : (values[point] ?? null);
        return (
          <li key={line.metric} title={isPeak(line, value, point) ? PEAK : undefined}>
            <span class={`chart-swatch swatch-${line.tone}`} aria-hidden="true" />
            <span class="chart-name">{line.name}</span>
            <span class="chart-value">
              {isPeak(line, value, point) && <span class="chart-peak">up to </span>}
              {showValue(line, value)}
            </span>
          </li>
        );
      })}
      {at !== undefined && (
        <li class="faint">
          <Time at={new Date(at).toISOString()} />
        </li>
      )}
    </ul>
  );
}

function ChartTable({
  title,
  data,
  lines,
  isHidden,
}: {
  title: string;
  data: ChartData;
  lines: readonly ChartLine[];
  isHidden: boolean;
}) {
  const rows = toRows(data, lines);
  return (
    <div
      class={isHidden ? 'visually-hidden' : 'chart-table'}
      {...(!isHidden && { tabIndex: 0, role: 'group', 'aria-label': `Table of ${title}` })}
    >
      <table data-testid="chart-table">
        <caption class="visually-hidden">{title}</caption>
        <thead>
          <tr>
            <th scope="col">From</th>
            {lines.map(({ metric, name }) => (
              <th key={metric} scope="col" class="number">
                {isHighest(metric) ? `${name}, up to` : name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ from, values }) => (
            <tr key={from}>
              <th scope="row">
                <Time at={new Date(from).toISOString()} />
              </th>
              {lines.map((line, n) => (
                <td key={line.metric} class="number">
                  {showValue(line, values[n] ?? null)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function showValue({ metric }: ChartLine, value: number | null): string {
  if (value === null) return '–';
  return isHighest(metric) ? formatDuration(value) : formatCount(value);
}

function formatShort(value: number): string {
  return new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 }).format(value);
}

function formatAxisOf(range: ChartRange): (ms: number) => string {
  const format =
    range.ms <= DAY_MS
      ? new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' })
      : new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' });
  return (ms) => format.format(ms);
}
