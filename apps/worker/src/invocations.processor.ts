import {
  measureJobs,
  measureRunningJobs,
  Metrics,
  requireRedisUrl,
  RunningJobIds,
  type Logger,
  type WorkerSettings,
} from '@errand/platform';
import { consume, OwnProcess, Queues, type Consumer, type Outcome, type Work } from '@errand/queue';
import { Inject, Injectable } from '@nestjs/common';
import { WorkerConfiguration, WorkerLogger } from './worker-tokens.js';
import { RunInvocation } from './run-invocation.js';

/** Takes invocations from their queue and runs them. */
@Injectable()
export class InvocationsProcessor {
  private readonly jobs = new RunningJobIds();
  private consumer: Consumer | undefined;
  private closing: Promise<void> | undefined;

  constructor(
    @Inject(RunInvocation) private readonly runInvocation: RunInvocation,
    @Inject(WorkerConfiguration) private readonly settings: WorkerSettings,
    @Inject(WorkerLogger) private readonly logger: Logger,
    @Inject(Metrics) private readonly metrics: Metrics,
    @Inject(Queues) private readonly queues: Queues,
    @Inject(OwnProcess) private readonly own: OwnProcess,
  ) {
    measureRunningJobs(metrics, 'invocations', this.jobs);
  }

  /** Resolves when this process takes jobs. */
  async start(): Promise<void> {
    const options = {
      process: this.own.id,
      queues: this.queues,
      concurrency: this.settings.ERRAND_WORKER_CONCURRENCY,
      lockMs: this.settings.ERRAND_LOCK_MS,
      stalledMs: this.settings.ERRAND_STALLED_MS,
      fair: { maxShare: this.settings.ERRAND_FAIR_MAX_SHARE, cost: this.settings.ERRAND_FAIR_COST },
      onError: (err: Error) => this.logger.warn({ err }, 'queue error'),
      onEnded: measureJobs(this.metrics, 'invocations'),
    };
    this.consumer = consume(requireRedisUrl(this.settings), 'invocations', options, (work) => this.process(work));
    await this.consumer.ready();
  }

  process(work: Work): Promise<Outcome> {
    return this.jobs.track(work.id, () => this.runInvocation.run(work));
  }

  /** The ids of the running invocations. */
  runningJobs(): string[] {
    return this.jobs.all();
  }

  /** Takes no more jobs. Resolves when the running ones have ended and are stored. */
  async close(): Promise<void> {
    await (this.closing ??= this.consumer?.close());
  }
}
