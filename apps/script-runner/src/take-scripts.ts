import { Semaphore } from '@errand/contracts';
import {
  RunningJobIds,
  measureRunningJobs,
  measureJobs,
  type Logger,
  type Metrics,
  type ScriptRunnerSettings,
} from '@errand/platform';
import { consume, scriptQueue } from '@errand/queue';
import type { RunScript } from './run-script.js';

/** The running jobs of this runner. */
interface TakenScripts {
  runningJobs(): string[];
  ready(): Promise<void>;
  /** Takes no new jobs. Resolves when the running jobs have ended and are stored. */
  close(): Promise<void>;
}

interface TakeOptions {
  settings: ScriptRunnerSettings;
  redisUrl: string;
  logger: Logger;
  metrics: Metrics;
}

/** Takes scripts from the queue of each label. All labels share the slots of the runner. */
export function takeScripts(runScript: RunScript, { settings, redisUrl, logger, metrics }: TakeOptions): TakenScripts {
  const { ERRAND_RUNNER_LABELS: labels, ERRAND_RUNNER_CONCURRENCY: concurrency } = settings;
  const shared = {
    concurrency,
    ...(labels.length > 1 && { slots: new Semaphore(concurrency) }),
    lockMs: settings.ERRAND_LOCK_MS,
    stalledMs: settings.ERRAND_STALLED_MS,
    onError: (err: Error) => logger.warn({ err }, 'queue error'),
  };
  const taken = labels.map((label) => {
    const queue = scriptQueue(label);
    const runningJobs = new RunningJobIds();
    measureRunningJobs(metrics, queue, runningJobs);
    const options = { ...shared, onEnded: measureJobs(metrics, queue) };
    const consumer = consume(redisUrl, queue, options, (work) => runningJobs.track(work.id, () => runScript.run(work)));
    return { runningJobs, consumer };
  });
  return {
    runningJobs: () => taken.flatMap(({ runningJobs }) => runningJobs.all()),
    ready: async () => void (await Promise.all(taken.map(({ consumer }) => consumer.ready()))),
    close: async () => void (await Promise.all(taken.map(({ consumer }) => consumer.close()))),
  };
}
