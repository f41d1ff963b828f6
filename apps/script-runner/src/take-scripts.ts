import { Semaphore } from '@errand/contracts';
import {
  InHand,
  measureInHand,
  measureJobs,
  type Logger,
  type Metrics,
  type ScriptRunnerSettings,
} from '@errand/platform';
import { consume, scriptQueue } from '@errand/queue';
import type { RunScript } from './run-script.js';

/** The running jobs of this runner. */
interface TakenScripts {
  inHand(): string[];
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
    const inHand = new InHand();
    measureInHand(metrics, queue, inHand);
    const options = { ...shared, onEnded: measureJobs(metrics, queue) };
    const consumer = consume(redisUrl, queue, options, (work) => inHand.hold(work.id, () => runScript.run(work)));
    return { inHand, consumer };
  });
  return {
    inHand: () => taken.flatMap(({ inHand }) => inHand.all()),
    ready: async () => void (await Promise.all(taken.map(({ consumer }) => consumer.ready()))),
    close: async () => void (await Promise.all(taken.map(({ consumer }) => consumer.close()))),
  };
}
