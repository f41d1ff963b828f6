import { read } from '../../api/call-api.js';
import { useLoaded } from '../../api/use-loaded.js';
import { formatCount } from '../../parts/format.js';
import { EmptyNotice } from '../../parts/notices.js';
import { ListView, stateOfList, type ListPage } from '../../parts/list-view.js';
import { Page } from '../../parts/page.js';
import { HostileText } from '../../text/hostile-text.js';

interface QueueSummary {
  name: string;
  waiting: number;
  active: number;
}

/** How the server does: the first page. */
export default function OverviewPage() {
  const queues = useLoaded('queues', (signal) => read<ListPage<QueueSummary>>('/v1/queues', {}, signal));
  return (
    <Page page="overview" title="Overview" state={stateOfList(queues)}>
      <ListView list={queues} empty={<EmptyNotice title="No queue has had work yet" />}>
        {(items) => (
          <ul class="cards">
            {items.map(({ name, waiting, active }) => (
              <li key={name} class="panel panel-body" data-testid="queue-card">
                <h2>
                  <HostileText text={name} />
                </h2>
                {formatCount(waiting)} waiting, {formatCount(active)} running
              </li>
            ))}
          </ul>
        )}
      </ListView>
    </Page>
  );
}
