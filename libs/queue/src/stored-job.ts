import type { Status } from '@errand/contracts';
import type { Job } from 'bullmq';
import type { Queues } from './connect.js';
import { FIELD, keys, QUEUE_NAMES, type QueueName } from './names.js';
import type { InvocationRecord, Outcome } from './record.js';

/** A job as far as the state of its invocation can be read from it. Times in ms. */
export interface StoredJob extends Pick<
  Job<InvocationRecord, Outcome>,
  'data' | 'timestamp' | 'finishedOn' | 'failedReason'
> {
  returnvalue: Outcome | null;
  startedOn: number | undefined;
  /** Starts, without those that followed a park. */
  attempts: number;
  /** Somebody runs it now. */
  locked: boolean;
  /** For what it is parked, if it is. */
  parked: string | null;
  /** Its end was wished before it ended. */
  cancelled: boolean;
}

export async function readJob(queues: Queues, queue: QueueName, id: string): Promise<StoredJob | undefined> {
  const [job, locked, [cancel, parked, parks, begunAt]] = await Promise.all([
    queues.byName[queue].getJob(id),
    queues.redis.exists(keys.lock(queue, id)),
    queues.redis.hmget(keys.job(queue, id), FIELD.cancel, FIELD.parked, FIELD.parks, FIELD.begunAt) as Promise<
      [string | null, string | null, string | null, string | null]
    >,
  ]);
  if (!job) return undefined;
  const { data, timestamp, finishedOn, failedReason, returnvalue } = job;
  return {
    data,
    timestamp,
    finishedOn,
    failedReason,
    returnvalue,
    startedOn: begunAt ? Number(begunAt) : job.processedOn,
    attempts: job.attemptsStarted - Number(parks ?? 0),
    locked: locked === 1,
    parked,
    cancelled: cancel !== null,
  };
}

/**
 * How a job stands that has not ended. One that was started and has no lock is waiting again: for its next attempt, or for someone
 * to take it from the dead; one that has a lock and was not started was taken for its end alone.
 */
export function openStatus({ locked, startedOn, parked }: Pick<StoredJob, 'locked' | 'startedOn' | 'parked'>): Status {
  if (locked && startedOn) return 'running';
  if (parked === 'answer') return 'waiting_external';
  return parked === 'time' ? 'running' : 'queued';
}

/** The status of an invocation as long as it has not ended, for those who look often; undefined once it has, or where there is none. */
export async function readOpenStatus(queues: Queues, id: string): Promise<Status | undefined> {
  const found = await Promise.all(
    QUEUE_NAMES.map(async (queue) => {
      const [locked, [timestamp, finishedOn, startedOn, parked]] = await Promise.all([
        queues.redis.exists(keys.lock(queue, id)),
        queues.redis.hmget(keys.job(queue, id), 'timestamp', 'finishedOn', 'processedOn', FIELD.parked),
      ]);
      const isOpen = timestamp !== null && finishedOn === null;
      return isOpen
        ? openStatus({ locked: locked === 1, startedOn: Number(startedOn ?? 0), parked: parked ?? null })
        : undefined;
    }),
  );
  return found.find((status) => status !== undefined);
}
