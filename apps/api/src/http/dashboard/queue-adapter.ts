import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import type { Queues } from '@errand/queue';
import { describeDelivery, describeJob, readJobLog, type JobDescription } from './describe-job.js';
import { hideSecrets } from './hide-secrets.js';

export type ShownQueue = Queues['deliveries'] | ReturnType<Queues['of']>;
type Job = NonNullable<Awaited<ReturnType<BullMQAdapter['getJob']>>>;

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  invocations: 'Invocations, which workers run',
  scripts: 'Scripts, which script-runners run',
  deliveries: 'Callbacks, which workers send when invocations have ended',
};

/**
 * A queue of the dashboard. The library knows only the data of BullMQ. This adapter shows what the API knows about each job: its progress,
 * its log, and what it waits for. It is read-only, and hides the secrets of deliveries.
 */
export class QueueAdapter extends BullMQAdapter {
  private readonly isOfDeliveries: boolean;

  constructor(
    private readonly queues: Queues,
    queue: ShownQueue,
  ) {
    const label = /^scripts\.(.+)$/.exec(queue.name)?.[1];
    const description =
      label === undefined ? DESCRIPTIONS[queue.name] : `Scripts for script-runners that offer '${label}'`;
    // The page knows a queue by its name, which it has in every shard.
    const prefix = queues.shards ? `${queue.opts.prefix?.slice(1, -1) ?? ''} ` : '';
    super(queue, { readOnlyMode: true, prefix, ...(description !== undefined && { description }) });
    this.isOfDeliveries = queue.name === queues.deliveries.name;
    this.setFormatter('data', hideSecrets);
  }

  override async getJobs(...[statuses, start, end]: Parameters<BullMQAdapter['getJobs']>): Promise<Job[]> {
    const jobs = await super.getJobs(statuses, start, end);
    return Promise.all(jobs.map((job) => this.describe(job)));
  }

  override async getJob(id: string): Promise<Job | undefined> {
    const job = await super.getJob(id);
    return job && this.describe(job);
  }

  /** The log of a delivery has its attempts. */
  override getJobLogs(id: string): Promise<string[]> {
    return this.isOfDeliveries ? super.getJobLogs(id) : readJobLog(this.queues, id);
  }

  private async describe(job: Job): Promise<Job> {
    const found = this.isOfDeliveries ? await describeDelivery(this.queues, job) : await describeJob(this.queues, job);
    if (!found) return job;
    const stored = job.toJSON();
    return Object.assign(job, { toJSON: () => ({ ...stored, ...shownFields(stored, found) }) });
  }
}

function shownFields(stored: { name: string; delay: number }, { waitsFor, progress, isSuspended }: JobDescription) {
  return {
    name: waitsFor === undefined ? stored.name : `${stored.name} waits for ${waitsFor}`,
    progress,
    // The page would show the end of the longest wait as the time of the next run.
    delay: isSuspended ? 0 : stored.delay,
  };
}
