import { SECONDS, type Measure, type Metrics } from './metrics.js';

/** The end of a job. Times are in ms. */
export interface JobEnd {
  tools: readonly string[];
  /** Whether the job ran for a step of another job, and is not an invocation. */
  isStep: boolean;
  outcome: 'succeeded' | 'failed' | 'cancelled';
  /** The type of its error, if it failed. */
  error?: string;
  /** The time from its acceptance to its first start; undefined if it never started. */
  waitedMs?: number;
  /** The time from its last start to its end. */
  ranMs?: number;
}

const ENDED: Measure = {
  name: 'errand_invocations_ended_total',
  help: 'Ended invocations, by tool and outcome; an invocation with several calls counts as the tool `several`',
  labels: ['tool', 'outcome'],
};
const FAILURES: Measure = {
  name: 'errand_failures_total',
  help: 'Failed jobs, by queue and type of error, including steps that run as their own jobs',
  labels: ['queue', 'error'],
};
const RAN: Measure = {
  name: 'errand_run_duration_seconds',
  help: 'Time from the last start of a job to its end, by queue and tool',
  labels: ['queue', 'tool'],
};
const WAITED: Measure = {
  name: 'errand_queue_wait_seconds',
  help: 'Time from acceptance to the first start of a job, by queue',
  labels: ['queue'],
};
const RUNNING_JOBS: Measure = {
  name: 'errand_jobs_in_hand',
  help: 'Jobs that this process runs',
  labels: ['queue'],
};

/** Counts the ended jobs of a queue in this process. The caller reports each end to the returned function. */
export function measureJobs(metrics: Metrics, queue: string): (end: JobEnd) => void {
  const ended = metrics.counter(ENDED);
  const failures = metrics.counter(FAILURES);
  const ran = metrics.histogram(RAN, SECONDS);
  const waited = metrics.histogram(WAITED, SECONDS);
  return (end) => {
    const tool = toolLabel(metrics, end.tools);
    if (!end.isStep) ended.inc({ tool, outcome: end.outcome });
    if (end.error !== undefined) failures.inc({ queue, error: end.error });
    if (end.ranMs !== undefined) ran.observe({ queue, tool }, end.ranMs / 1_000);
    if (end.waitedMs !== undefined) waited.observe({ queue }, end.waitedMs / 1_000);
  };
}

/** Reports the number of jobs of a queue that this process runs. */
export function measureRunningJobs(metrics: Metrics, queue: string, runningJobs: RunningJobIds): void {
  metrics.gauge(RUNNING_JOBS, () => [[{ queue }, runningJobs.all().length]]);
}

/** The label of the tool of an invocation; `several` for more than one call. */
export function toolLabel(metrics: Metrics, tools: readonly string[]): string {
  const [first = 'none', second] = tools;
  return second === undefined ? metrics.nameLabel(first) : 'several';
}

/** The ids of the jobs that this process runs at the moment. */
export class RunningJobIds {
  private readonly ids = new Set<string>();

  /** Runs `work`, and tracks the id until the promise settles. */
  async track<T>(id: string, work: () => Promise<T>): Promise<T> {
    this.ids.add(id);
    try {
      return await work();
    } finally {
      this.ids.delete(id);
    }
  }

  all(): string[] {
    return [...this.ids];
  }
}
