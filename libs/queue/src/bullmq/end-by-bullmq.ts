import { setTimeout as sleep } from 'node:timers/promises';
import { isNotConnectionError, type Job } from 'bullmq';
import type { BullQueue } from './bull-queue.js';

/** How the run of a job has ended. */
export type RunEnd = { result: unknown } | { error: Error };

/** The job that the methods of BullMQ need. */
interface OwnedJob {
  id: string;
  token: string;
}

/** The pause before the next attempt to store an end while Redis is away. */
const RETRY_MS = 1_000;

/**
 * Ends a job by BullMQ's own scripts, which also retry it or remove it. If BullMQ refuses the result, its error becomes the failure of the
 * job. Returns BullMQ's job, or undefined if the end could not be stored, for example because another process has the job.
 */
export async function endByBullmq(
  queue: BullQueue,
  job: OwnedJob,
  end: RunEnd,
  onError: (error: Error) => void,
): Promise<Job | undefined> {
  try {
    return await whileAway(queue, () => store(queue, job, end));
  } catch (error) {
    const reason = asError(error);
    onError(reason);
    return 'error' in end ? undefined : endByBullmq(queue, job, { error: reason }, onError);
  }
}

async function store(queue: BullQueue, { id, token }: OwnedJob, end: RunEnd): Promise<Job> {
  const job = await queue.jobOf(id);
  if ('error' in end) await job.moveToFailed(end.error, token, false);
  else await job.moveToCompleted(end.result, token, false);
  return job;
}

async function whileAway<T>(queue: BullQueue, act: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if (isNotConnectionError(asError(error)) || queue.isClosed) throw error;
      await sleep(RETRY_MS);
    }
  }
}

/** What a handler throws may be any value. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
