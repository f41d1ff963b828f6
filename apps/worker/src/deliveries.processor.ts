import { Metrics, requireRedisUrl, type Logger, type WorkerSettings } from '@errand/platform';
import { consumeDeliveries, OwnProcess, Queues, type Consumer, type PendingDelivery, type Sent } from '@errand/queue';
import { Inject, Injectable } from '@nestjs/common';
import { countAttempts } from './deliveries/count-attempts.js';
import { DeliverCallback } from './deliveries/deliver-callback.js';
import { WorkerConfiguration, WorkerLogger } from './worker-tokens.js';

/** Takes due deliveries from their queue and sends the callbacks. */
@Injectable()
export class DeliveriesProcessor {
  private readonly countAttempt: ReturnType<typeof countAttempts>;
  private consumer: Consumer | undefined;
  private closing: Promise<void> | undefined;

  constructor(
    @Inject(DeliverCallback) private readonly deliverCallback: DeliverCallback,
    @Inject(Queues) private readonly queues: Queues,
    @Inject(WorkerConfiguration) private readonly settings: WorkerSettings,
    @Inject(WorkerLogger) private readonly logger: Logger,
    @Inject(Metrics) metrics: Metrics,
    @Inject(OwnProcess) private readonly own: OwnProcess,
  ) {
    this.countAttempt = countAttempts(metrics);
  }

  /** Resolves when this process takes deliveries. */
  async start(): Promise<void> {
    const options = {
      process: this.own.id,
      concurrency: this.settings.ERRAND_CALLBACK_CONCURRENCY,
      perReceiver: () => this.settings.ERRAND_CALLBACK_PER_RECEIVER,
      scheduleMs: this.settings.ERRAND_CALLBACK_BACKOFF,
      lockMs: this.settings.ERRAND_LOCK_MS,
      stalledMs: this.settings.ERRAND_STALLED_MS,
      fair: { maxShare: this.settings.ERRAND_FAIR_MAX_SHARE, cost: this.settings.ERRAND_FAIR_COST },
      onError: (err: Error) => this.logger.warn({ err }, 'queue error'),
    };
    this.consumer = consumeDeliveries(requireRedisUrl(this.settings), this.queues, options, (delivery) =>
      this.process(delivery),
    );
    await this.consumer.ready();
  }

  async process(delivery: PendingDelivery): Promise<Sent> {
    return this.countAttempt(await this.deliverCallback.deliver(delivery));
  }

  /** Takes no more deliveries. Resolves when the running attempts are stored. */
  async close(): Promise<void> {
    await (this.closing ??= this.consumer?.close());
  }
}
