import { Semaphore } from '@errand/contracts';
import {
  measureJobs,
  measureRunningJobs,
  Metrics,
  requireRedisUrl,
  RunningJobIds,
  type Logger,
  type ScriptRunnerSettings,
} from '@errand/platform';
import { consume, OwnProcess, Queues, scriptQueue, type Consumer } from '@errand/queue';
import { Inject, Injectable } from '@nestjs/common';
import { RunnerConfiguration, RunnerLogger } from './runner-tokens.js';
import { RunScript } from './run-script.js';

/** Takes scripts from the queue of each label that this runner offers, and runs them. All labels share the slots of the runner. */
@Injectable()
export class ScriptsProcessor {
  private readonly jobs: RunningJobIds[] = [];
  private consumers: Consumer[] = [];
  private closing: Promise<unknown> | undefined;

  constructor(
    @Inject(RunScript) private readonly runScript: RunScript,
    @Inject(RunnerConfiguration) private readonly settings: ScriptRunnerSettings,
    @Inject(RunnerLogger) private readonly logger: Logger,
    @Inject(Metrics) private readonly metrics: Metrics,
    @Inject(Queues) private readonly queues: Queues,
    @Inject(OwnProcess) private readonly own: OwnProcess,
  ) {}

  /** Resolves when this process takes jobs. */
  async start(): Promise<void> {
    const { ERRAND_RUNNER_LABELS: labels, ERRAND_RUNNER_CONCURRENCY: concurrency } = this.settings;
    const slots = labels.length > 1 ? new Semaphore(concurrency) : undefined;
    this.consumers = labels.map((label) => this.consumeLabel(label, slots));
    await Promise.all(this.consumers.map((consumer) => consumer.ready()));
  }

  /** The ids of the running jobs. */
  runningJobs(): string[] {
    return this.jobs.flatMap((jobs) => jobs.all());
  }

  /** Takes no new jobs. Resolves when the running jobs have ended and are stored. */
  async close(): Promise<void> {
    await (this.closing ??= Promise.all(this.consumers.map((consumer) => consumer.close())));
  }

  private consumeLabel(label: string, slots: Semaphore | undefined): Consumer {
    const queue = scriptQueue(label);
    const jobs = new RunningJobIds();
    this.jobs.push(jobs);
    measureRunningJobs(this.metrics, queue, jobs);
    const options = {
      process: this.own.id,
      queues: this.queues,
      concurrency: this.settings.ERRAND_RUNNER_CONCURRENCY,
      ...(slots && { slots }),
      lockMs: this.settings.ERRAND_LOCK_MS,
      stalledMs: this.settings.ERRAND_STALLED_MS,
      fair: { maxShare: this.settings.ERRAND_FAIR_MAX_SHARE, cost: this.settings.ERRAND_FAIR_COST },
      onError: (err: Error) => this.logger.warn({ err }, 'queue error'),
      onEnded: measureJobs(this.metrics, queue),
    };
    return consume(requireRedisUrl(this.settings), queue, options, (work) =>
      jobs.track(work.id, () => this.runScript.run(work, queue)),
    );
  }
}
