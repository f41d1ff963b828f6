import type { ShownQueue } from '@errand/contracts';
import { readQueues } from '../../api/queue-requests.js';
import { useLoaded } from '../../api/use-loaded.js';
import { useFeedItems, withItem } from '../../live/use-feed-items.js';
import { ListView, stateOfList } from '../../parts/list-view.js';
import { InParts, PART } from '../../parts/in-parts.js';
import { EmptyNotice } from '../../parts/notices.js';
import { Page } from '../../parts/page.js';
import { HostileText } from '../../text/hostile-text.js';
import { PauseButton } from './pause-button.js';
import { QueueFigures, QueueMark, QueueTrouble } from './queue-figures.js';
import '../../parts/figures.css';
import './queues.css';

/** How many queues are shown together: one has about 50 elements. */
const AT_ONCE = 30;

/** All queues: what waits and runs, who takes it, and the pauses. */
export default function QueuesPage() {
  const queues = useLoaded('queues', readQueues);
  const change = (changed: ShownQueue) =>
    queues.replace((data) => ({ ...data, items: withItem(data.items, changed, ({ name }) => name) }));
  useFeedItems('queue', change, queues.reload);
  return (
    <Page
      page="queues"
      title="Queues"
      state={stateOfList(queues)}
      subtitle="Workers take invocations and deliver callbacks; script-runners take scripts, each label from a queue of its own."
    >
      <ListView list={queues} empty={<EmptyNotice title="There is no queue" />}>
        {(all) => (
          <InParts items={all} at={PART} size={AT_ONCE} label="queues">
            {(items) => (
              <div class="stack">
                {items.map((queue) => (
                  <QueuePanel key={queue.name} queue={queue} onChange={change} />
                ))}
              </div>
            )}
          </InParts>
        )}
      </ListView>
    </Page>
  );
}

function QueuePanel({ queue, onChange }: { queue: ShownQueue; onChange: (queue: ShownQueue) => void }) {
  return (
    <article
      class="panel panel-body queue"
      data-testid="queue"
      data-name={queue.name}
      data-paused={queue.paused !== null}
    >
      <header class="queue-head">
        <h2>
          <a href={`/console/queues/${encodeURIComponent(queue.name)}`}>
            <HostileText text={queue.name} limit={120} isFixed />
          </a>
        </h2>
        <QueueMark queue={queue} />
        <span class="queue-action">
          <PauseButton queue={queue} onChange={onChange} />
        </span>
      </header>
      <QueueTrouble queue={queue} />
      <QueueFigures queue={queue} />
    </article>
  );
}
