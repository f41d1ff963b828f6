import { measureJobs, toolLabel, type Measure, type Metrics, type GaugeReader } from '@errand/platform';
import { readQueueDepths, type Queues } from '@errand/queue';

const ACCEPTED: Measure = {
  name: 'errand_invocations_accepted_total',
  help: 'Accepted invocations by tool. An invocation with several calls has the tool `several`',
  labels: ['tool'],
};
const JOBS: Measure = {
  name: 'errand_queue_jobs',
  help: 'Jobs of a queue by state: `waiting`, `active`, `delayed` (wait for a retry, a time or an answer), `waiting-children` (deliveries of invocations that have not ended). `later` and `owed` are older names of the last two. Every API process reports the same values',
  labels: ['queue', 'state'],
};
/** BullMQ's names of the states whose older names are still reported. */
const BULLMQ_STATES: Readonly<Record<string, string>> = { later: 'delayed', owed: 'waiting-children' };
const OLDEST: Measure = {
  name: 'errand_queue_oldest_seconds',
  help: 'Age of the next job of a queue. Every API process reports the same values',
  labels: ['queue'],
};
const CONSUMERS: Measure = {
  name: 'errand_queue_consumers',
  help: 'Processes that take jobs of a queue. Script-runners that offer a label take `scripts.<label>`. Every API process reports the same values',
  labels: ['queue'],
};
const REDIS_UP: Measure = { name: 'errand_redis_up', help: '1 if Redis answers this process, else 0', labels: [] };

/** Counts the invocations that this process accepts or ends, and reports the depth of the queues at each scrape. */
export function measureQueues(metrics: Metrics, queues: Queues): void {
  const accepted = metrics.counter(ACCEPTED);
  queues.events.on('accepted', (tools) => accepted.inc({ tool: toolLabel(metrics, tools) }));
  // A waiting invocation that is cancelled ends here, without a worker.
  queues.events.on('ended', measureJobs(metrics, 'invocations'));
  const read = onceAtATime(() => readQueueDepths(queues));
  const jobs: GaugeReader = async () =>
    (await read()).flatMap(({ queue, jobs: counts }) =>
      Object.entries(counts).flatMap(([name, count]) =>
        [name, BULLMQ_STATES[name] ?? []].flat().map((state) => [{ queue, state }, count] as const),
      ),
    );
  metrics.gauge(JOBS, jobs);
  metrics.gauge(OLDEST, async () => (await read()).map(({ queue, oldestMs }) => [{ queue }, oldestMs / 1_000]));
  metrics.gauge(CONSUMERS, async () =>
    (await read()).flatMap(({ queue, consumers }) =>
      consumers === undefined ? [] : [[{ queue }, consumers] as const],
    ),
  );
  metrics.gauge(REDIS_UP, async () => [
    [
      {},
      await read().then(
        () => 1,
        () => 0,
      ),
    ],
  ]);
}

/** Shares a pending read: all metrics of one scrape come from one read of Redis. */
function onceAtATime<T>(read: () => Promise<T>): () => Promise<T> {
  let pending: Promise<T> | undefined;
  return () => (pending ??= read().finally(() => (pending = undefined)));
}
