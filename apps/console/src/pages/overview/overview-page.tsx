import type { ProcessList, ShownQueue } from '@errand/contracts';
import { read } from '../../api/call-api.js';
import { shownTenant } from '../../api/session.js';
import { useLoaded } from '../../api/use-loaded.js';
import { usePolling } from '../../api/use-polling.js';
import { useUrlQuery } from '../../api/use-url-query.js';
import { StatsChart, type ChartRange } from '../../charts/stats-chart.js';
import type { ChartLine } from '../../charts/chart-data.js';
import { formatCount } from '../../parts/format.js';
import { EmptyNotice } from '../../parts/notices.js';
import { ListView, stateOfList, type ListPage } from '../../parts/list-view.js';
import { Page } from '../../parts/page.js';
import { HealthPanel } from './health-panel.js';
import { LookAt } from './look-at.js';
import { NeedsYou } from './needs-you.js';
import { QueueCard } from './queue-card.js';
import { readHealth } from './read-health.js';
import './overview.css';

const REFRESH_MS = 5_000;
const MOST_CARDS = 48;
const HOUR_MS = 3_600_000;

const FIRST_RANGE: ChartRange = { name: '1h', title: '1 hour', ms: HOUR_MS };
const RANGES: readonly ChartRange[] = [
  FIRST_RANGE,
  { name: '1d', title: '1 day', ms: 24 * HOUR_MS },
  { name: '7d', title: '7 days', ms: 168 * HOUR_MS },
  { name: '30d', title: '30 days', ms: 720 * HOUR_MS },
];

const THROUGHPUT: readonly ChartLine[] = [
  { metric: 'accepted', name: 'Accepted', tone: 'running' },
  { metric: 'ended', name: 'Ended', tone: 'good' },
];
const WAIT: readonly ChartLine[] = [
  { metric: 'waitP50Ms', name: 'Median', tone: 'running' },
  { metric: 'waitP95Ms', name: '95 %', tone: 'waiting' },
];
const FAILURES: readonly ChartLine[] = [
  { metric: 'failed', name: 'Failed', tone: 'bad' },
  { metric: 'refused', name: 'Refused', tone: 'waiting' },
];

/** How the server does: the first page. */
export default function OverviewPage() {
  const health = useLoaded('health', readHealth);
  const queues = useLoaded('queues', (signal) => read<ListPage<ShownQueue>>('/v1/queues', {}, signal));
  const processes = useLoaded('processes', (signal) =>
    // The signs beside it are those of one tenant.
    read<ProcessList>('/v1/processes', { tenant: shownTenant() }, signal),
  );
  const query = useUrlQuery();
  const range = RANGES.find(({ name }) => name === query.get('range')) ?? FIRST_RANGE;
  const reload = () => {
    health.reload();
    queues.reload();
    processes.reload();
  };
  usePolling(true, reload, REFRESH_MS);
  return (
    <Page page="overview" title="Overview" state={stateOfList(queues)} actions={<RangeChoice chosen={range} />}>
      <div class="stack">
        <HealthPanel health={health} processes={processes} />
        <div class="attention">
          <NeedsYou queues={queues.data?.items} />
          <LookAt processes={processes.data?.items} />
        </div>
        <div class="charts">
          <StatsChart
            title="Throughput"
            testId="chart-throughput"
            lines={THROUGHPUT}
            range={range}
            empty="Nothing was accepted or has ended."
          />
          <StatsChart
            title="Wait for the first start"
            testId="chart-wait"
            lines={WAIT}
            range={range}
            empty="Nothing has waited."
          />
          <StatsChart
            title="Failures"
            testId="chart-failures"
            lines={FAILURES}
            range={range}
            empty="Nothing has failed, and nothing was refused."
          />
        </div>
        <h2>Queues</h2>
        <ListView list={queues} empty={<EmptyNotice title="No queue has had work yet" />}>
          {(items) => (
            <>
              <ul class="cards">
                {busiest(items).map((queue) => (
                  <QueueCard key={queue.name} queue={queue} />
                ))}
              </ul>
              {items.length > MOST_CARDS && (
                <p>
                  <a href="/console/queues">All {formatCount(items.length)} queues</a>
                </p>
              )}
            </>
          )}
        </ListView>
      </div>
    </Page>
  );
}

/** The queues that have a card: all, or those where most happens. */
function busiest(queues: readonly ShownQueue[]): readonly ShownQueue[] {
  if (queues.length <= MOST_CARDS) return queues;
  const weightOf = ({ paused, waiting, active }: ShownQueue) => (paused === null ? 0 : 1) + waiting + active;
  return queues.toSorted((a, b) => weightOf(b) - weightOf(a)).slice(0, MOST_CARDS);
}

/** The range of the charts. It is in the URL. */
function RangeChoice({ chosen }: { chosen: ChartRange }) {
  const { set } = useUrlQuery();
  return (
    <div class="segments" role="group" aria-label="Range of the charts">
      {RANGES.map(({ name, title }) => (
        <button
          key={name}
          type="button"
          class="button button-small"
          aria-pressed={name === chosen.name}
          onClick={() => set({ range: name === FIRST_RANGE.name ? undefined : name })}
        >
          {title}
        </button>
      ))}
    </div>
  );
}
