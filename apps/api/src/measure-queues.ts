import { measureJobs, toolLabel, type Measure, type Metrics, type GaugeReader } from '@errand/platform';
import { readQueueDepths, type Queues } from '@errand/queue';

const ACCEPTED: Measure = {
  name: 'errand_invocations_accepted_total',
  help: 'Invocations that were accepted, by tool; one of several calls counts as the tool `several`',
  labels: ['tool'],
};
const JOBS: Measure = {
  name: 'errand_queue_jobs',
  help: 'Jobs of a queue by state: waiting, active, later (a retry, a time, an answer), owed (deliveries of what has not ended); the same from every API process',
  labels: ['queue', 'state'],
};
const OLDEST: Measure = {
  name: 'errand_queue_oldest_seconds',
  help: 'How long the job that is next in line has been there; the same from every API process',
  labels: ['queue'],
};
const CONSUMERS: Measure = {
  name: 'errand_queue_consumers',
  help: 'Processes that take jobs of a queue: `scripts.<label>` is that of script-runners which offer the label; the same from every API process',
  labels: ['queue'],
};
const REDIS_UP: Measure = { name: 'errand_redis_up', help: '1 where Redis answers this process, else 0', labels: [] };

/** Counts what this process accepts and ends by itself, and shows the depth of the queues at each scrape. */
export function measureQueues(metrics: Metrics, queues: Queues): void {
  const accepted = metrics.counter(ACCEPTED);
  queues.news.on('accepted', (tools) => accepted.inc({ tool: toolLabel(metrics, tools) }));
  // What waits and is cancelled ends here, and in no worker.
  queues.news.on('ended', measureJobs(metrics, 'invocations'));
  const read = onceAtATime(() => readQueueDepths(queues));
  const jobs: GaugeReader = async () =>
    (await read()).flatMap(({ queue, jobs: counts }) =>
      Object.entries(counts).map(([state, count]) => [{ queue, state }, count] as const),
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

/** Whoever asks while an answer is on its way gets that one: the gauges of a scrape are read from Redis together. */
function onceAtATime<T>(ask: () => Promise<T>): () => Promise<T> {
  let coming: Promise<T> | undefined;
  return () => (coming ??= ask().finally(() => (coming = undefined)));
}
