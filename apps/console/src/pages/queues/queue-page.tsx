import type { JobInHand, ShownQueue, TenantWork } from '@errand/contracts';
import { isNotFound } from '../../api/problems.js';
import { readQueue } from '../../api/queue-requests.js';
import { useLoaded } from '../../api/use-loaded.js';
import type { PageProps } from '../../lazy-page.js';
import { useAtMost } from '../../live/use-at-most.js';
import { useFeedItems } from '../../live/use-feed-items.js';
import { formatCount, formatDuration } from '../../parts/format.js';
import { JobLink } from '../../parts/job-link.js';
import { stateOfOne } from '../../parts/list-view.js';
import { InParts } from '../../parts/in-parts.js';
import { EmptyNotice, ErrorNotice, LoadingRows, PartialNotice } from '../../parts/notices.js';
import { Page } from '../../parts/page.js';
import { Time } from '../../parts/time.js';
import { HostileText } from '../../text/hostile-text.js';
import { markedString } from '../../text/mark-text.js';
import { NotFoundNotice } from '../../parts/not-found-notice.js';
import { PauseButton } from './pause-button.js';
import { QueueFigures, QueueMark, QueueTrouble } from './queue-figures.js';
import '../../parts/figures.css';
import './queues.css';

/** The jobs that start next are read again at most so often. */
const NEXT_MS = 5_000;
/** More of the jobs that start next are not shown. */
const MOST_NEXT = 50;

/** One queue: its numbers, the jobs that start next, and the tenants that share it. */
export default function QueuePage({ id: name }: PageProps) {
  const queue = useLoaded(`queue ${name}`, (signal) => readQueue(name, signal));
  const readNext = useAtMost(NEXT_MS, queue.reload);
  const change = (changed: ShownQueue) => {
    if (changed.name !== name) return;
    queue.replace((data) => ({ ...data, ...changed }));
    readNext();
  };
  useFeedItems('queue', change, queue.reload);
  const { data, error, isLoading, reload } = queue;
  return (
    <Page
      page="queue"
      title={markedString(name)}
      state={stateOfOne(queue)}
      subtitle={<a href="/console/queues">All queues</a>}
      actions={
        data && <PauseButton queue={data} onChange={(changed) => queue.replace(() => ({ ...data, ...changed }))} />
      }
    >
      {isNotFound(error) ? (
        <NotFoundNotice what={`There is no queue ${name}`} />
      ) : (
        error !== undefined && !isLoading && <ErrorNotice error={error} onRetry={reload} />
      )}
      {data === undefined && isLoading && <LoadingRows />}
      {data && <QueueDetails queue={data} />}
    </Page>
  );
}

function QueueDetails({ queue }: { queue: ShownQueue }) {
  return (
    <div class="stack">
      <article
        class="panel panel-body queue"
        data-testid="queue"
        data-name={queue.name}
        data-paused={queue.paused !== null}
      >
        <header class="queue-head">
          <h2 class="visually-hidden">Now</h2>
          <QueueMark queue={queue} />
        </header>
        <PartialNotice answer={queue} />
        <QueueTrouble queue={queue} />
        <QueueFigures queue={queue} />
      </article>
      <NextJobs jobs={queue.next ?? []} queue={queue} />
      <TenantTable tenants={queue.tenants} />
    </div>
  );
}

function NextJobs({ jobs, queue: { paused, consumers } }: { jobs: readonly JobInHand[]; queue: ShownQueue }) {
  return (
    <section data-testid="next-jobs">
      <h2 class="section-title">{paused ? 'Starts next, after the pause' : 'Starts next'}</h2>
      {jobs.length === 0 ? (
        <EmptyNotice title="Nothing waits">
          What is accepted {startOf(paused !== null, consumers)}. Look at <a href="/console/invocations">what ran</a>.
        </EmptyNotice>
      ) : (
        <div class="table-scroll" tabIndex={0} role="group" aria-label="Jobs that start next">
          <table class="queue-table">
            <thead>
              <tr>
                <th scope="col">Invocation</th>
                <th scope="col">Tool</th>
                <th scope="col">Accepted</th>
              </tr>
            </thead>
            <tbody>
              {jobs.slice(0, MOST_NEXT).map((job, index) => (
                <tr key={`${job.invocationId} ${job.step} ${index}`}>
                  <td>
                    <JobLink job={job} />
                  </td>
                  <td>
                    {job.toolId === null ? (
                      <span class="faint">several</span>
                    ) : (
                      <HostileText text={job.toolId} limit={120} />
                    )}
                  </td>
                  <td>
                    <Time at={job.since} withDistance />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

function startOf(isPaused: boolean, consumers: number): string {
  if (isPaused) return 'waits until the queue is resumed';
  return consumers === 0 ? 'waits until a process takes it' : 'starts as soon as a slot is free';
}

function TenantTable({ tenants }: { tenants: readonly TenantWork[] }) {
  if (tenants.length === 0) return null;
  return (
    <section>
      <h2 class="section-title">Tenants with work</h2>
      <InParts items={tenants} at="tenants" label="tenants">
        {(part) => (
          <div class="table-scroll" tabIndex={0} role="group" aria-label="Tenants with work">
            <table class="queue-table">
              <thead>
                <tr>
                  <th scope="col">Tenant</th>
                  <th scope="col" class="number">
                    Waiting
                  </th>
                  <th scope="col" class="number">
                    Running
                  </th>
                  <th scope="col" class="number">
                    Share of the starts
                  </th>
                  <th scope="col" class="number">
                    Oldest waits
                  </th>
                </tr>
              </thead>
              <tbody>
                {part.map(({ tenant, waiting, active, share, oldestMs }) => (
                  <tr key={tenant} data-tenant={tenant}>
                    <td>
                      <HostileText text={tenant} limit={80} />
                    </td>
                    <td class="number">{formatCount(waiting)}</td>
                    <td class="number">{formatCount(active)}</td>
                    <td class="number">{Math.round(share * 100)} %</td>
                    <td class="number">{oldestMs > 0 ? formatDuration(oldestMs) : '–'}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </InParts>
    </section>
  );
}
