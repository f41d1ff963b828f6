import type { Job } from 'bullmq';
import type { Queues } from '../redis/connect.js';
import { QUEUE_NAMES, type QueueName } from '../redis/queue-names.js';
import type { InvocationRecord, Outcome } from './record.js';
import { isInReach, type TenantReach } from './tenant-reach.js';

export interface FoundJob {
  queue: QueueName;
  job: Job<InvocationRecord, Outcome>;
}

/** Finds the job of an invocation in any queue. Returns undefined if it does not exist, or belongs to a tenant out of reach. One round trip. */
export async function findJob(queues: Queues, reach: TenantReach, id: string): Promise<FoundJob | undefined> {
  const jobs = await Promise.all(
    QUEUE_NAMES.map(async (queue) => ({ queue, job: await queues.byName[queue].getJob(id) })),
  );
  const found = jobs.find((candidate): candidate is FoundJob => candidate.job !== undefined);
  return found && isInReach(reach, found.job.data.tenant) ? found : undefined;
}
