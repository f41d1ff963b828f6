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

/** What this runner has in hand, and how it is brought to its end. */
export interface TakenScripts {
  runningJobs(): string[];
  ready(): Promise<void>;
  /** Takes nothing new; resolves when what was in hand has ended and is stored. */
  close(): Promise<void>;
}

export interface TakeOptions {
  settings: ScriptRunnerSettings;
  redisUrl: string;
  logger: Logger;
  metrics: Metrics;
}

/** Takes the scripts of every label that is offered, from a queue each; of all together no more at a time than the runner takes. */
export function takeScripts(runScript: RunScript, { settings, redisUrl, logger, metrics }: TakeOptions): TakenScripts {
  const { ERRAND_RUNNER_LABELS: labels, ERRAND_RUNNER_CONCURRENCY: concurrency } = settings;
  const shared = {
    concurrency,
    ...(labels.length > 1 && { slots: new Semaphore(concurrency) }),
    lockMs: settings.ERRAND_LOCK_MS,
    stalledMs: settings.ERRAND_STALLED_MS,
    onError: (err: Error) => logger.warn({ err }, 'the queue reports'),
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
