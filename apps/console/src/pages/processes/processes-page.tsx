import type { ProcessState, ShownProcess, ShownQueue } from '@errand/contracts';
import { readProcesses, readQueues } from '../../api/queue-requests.js';
import { useLoaded } from '../../api/use-loaded.js';
import { useUrlQuery } from '../../api/use-url-query.js';
import { useFeedItems, withItem } from '../../live/use-feed-items.js';
import { formatCount } from '../../parts/format.js';
import { ListView, stateOfList } from '../../parts/list-view.js';
import { InParts, PART } from '../../parts/in-parts.js';
import { EmptyNotice } from '../../parts/notices.js';
import { Page } from '../../parts/page.js';
import { PROCESS_LOOKS } from '../../statuses.js';
import { addressOfProcess, AT_ONCE } from './process-address.js';
import { ProcessPanel } from './process-panel.js';
import { takeOverText } from './take-over.js';
import '../../parts/figures.css';
import './processes.css';

const STATES: readonly ProcessState[] = ['ready', 'draining', 'lost'];
/** What needs attention comes first. */
const RANK = { lost: 0, draining: 1, ready: 2 };

/** The processes of Errand and the jobs that they run. */
export default function ProcessesPage() {
  const processes = useLoaded('processes', readProcesses);
  const queues = useLoaded('queues', readQueues);
  const changeQueue = (changed: ShownQueue) =>
    queues.replace((data) => ({ ...data, items: withItem(data.items, changed, ({ name }) => name) }));
  useFeedItems('queue', changeQueue, queues.reload);
  const { get } = useUrlQuery();
  const wanted = STATES.find((state) => state === get('state'));
  const change = (changed: ShownProcess) =>
    processes.replace((data) => {
      const items = withItem(data.items, changed, ({ id }) => id);
      return { ...data, items: items.filter(({ ended }) => !ended) };
    });
  useFeedItems('process', change, processes.reload);
  return (
    <Page
      page="processes"
      title="Processes"
      state={stateOfList(processes)}
      subtitle="Every process sends a heartbeat each second. Lost ones stay in the list for an hour."
    >
      <ListView list={processes} empty={<EmptyNotice title="No process has sent a heartbeat yet" />}>
        {(items) => (
          <>
            <StateFilter items={items} wanted={wanted} />
            <Panels
              items={sorted(items, wanted)}
              all={sorted(items, undefined)}
              queues={queues.data?.items ?? []}
              onChange={change}
            />
          </>
        )}
      </ListView>
    </Page>
  );
}

function sorted(items: readonly ShownProcess[], wanted: ProcessState | undefined): ShownProcess[] {
  return items
    .filter(({ state }) => wanted === undefined || state === wanted)
    .toSorted((a, b) => RANK[a.state] - RANK[b.state]);
}

function StateFilter({ items, wanted }: { items: readonly ShownProcess[]; wanted: ProcessState | undefined }) {
  const choice = (state: ProcessState | undefined) => {
    const count = items.filter((item) => state === undefined || item.state === state).length;
    return (
      <a
        key={state ?? 'all'}
        class="button button-small"
        href={state === undefined ? '/console/processes' : `/console/processes?state=${state}`}
        aria-current={state === wanted ? 'true' : undefined}
      >
        {state === undefined ? 'All' : PROCESS_LOOKS[state].word} <span class="faint">{formatCount(count)}</span>
      </a>
    );
  };
  return (
    <nav class="state-filter" aria-label="Processes by state">
      {[undefined, ...STATES].map(choice)}
    </nav>
  );
}

interface PanelsProps {
  items: readonly ShownProcess[];
  /** Also those that the filter hides. */
  all: readonly ShownProcess[];
  queues: readonly ShownQueue[];
  onChange: (changed: ShownProcess) => void;
}

function Panels({ items, all, queues, onChange }: PanelsProps) {
  if (items.length === 0)
    return (
      <EmptyNotice title="No process is in this state">
        <a href="/console/processes">Show all processes</a>
      </EmptyNotice>
    );
  return (
    <InParts items={items} at={PART} size={AT_ONCE} label="processes">
      {(part) => {
        const ids = { shown: part.map(({ id }) => id), all: all.map(({ id }) => id) };
        return (
          <div class="stack">
            {part.map((process) => (
              <ProcessPanel
                key={process.id}
                process={process}
                addressOf={(id) => addressOfProcess(id, ids)}
                takeOver={takeOverText(process, all, queues)}
                onChange={onChange}
              />
            ))}
          </div>
        );
      }}
    </InParts>
  );
}
