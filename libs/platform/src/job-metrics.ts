import type { RunningJobIds } from './running-job-ids.js';
import { SECONDS, type Measure, type Metrics } from './metrics.js';

/** How a job has ended. Times in ms. */
export interface JobEnd {
  tools: readonly string[];
  /** It ran for a step of another job, and is no invocation of its own. */
  isStep: boolean;
  outcome: 'succeeded' | 'failed' | 'cancelled';
  /** The type of its error, where it failed. */
  error?: string;
  /** From its acceptance to its first start; undefined where it was not started. */
  waitedMs?: number;
  /** From its last start to its end. */
  ranMs?: number;
}

const ENDED: Measure = {
  name: 'errand_invocations_ended_total',
  help: 'Invocations that have ended, by tool and outcome; one of several calls counts as the tool `several`',
  labels: ['tool', 'outcome'],
};
const FAILURES: Measure = {
  name: 'errand_failures_total',
  help: 'Jobs that have failed, by queue and type of error; steps that run as jobs of their own are counted too',
  labels: ['queue', 'error'],
};
const RAN: Measure = {
  name: 'errand_run_duration_seconds',
  help: 'From the last start of a job to its end, by queue and tool',
  labels: ['queue', 'tool'],
};
const WAITED: Measure = {
  name: 'errand_queue_wait_seconds',
  help: 'From acceptance to the first start of a job, by queue',
  labels: ['queue'],
};
const RUNNING_JOBS: Measure = {
  name: 'errand_jobs_in_hand',
  help: 'Jobs that this process has in hand',
  labels: ['queue'],
};

/** Counts how the jobs of a queue end in this process; gives what is to be told of each end. */
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

/** Shows how much of a queue this process has in hand. */
export function measureRunningJobs(metrics: Metrics, queue: string, runningJobs: RunningJobIds): void {
  metrics.gauge(RUNNING_JOBS, () => [[{ queue }, runningJobs.all().length]]);
}

/** The label of what an invocation calls: its tool, or `several`. */
export function toolLabel(metrics: Metrics, tools: readonly string[]): string {
  const [first = 'none', second] = tools;
  return second === undefined ? metrics.nameLabel(first) : 'several';
}
