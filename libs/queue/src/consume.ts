import { ToolError } from '@errand/contracts';
import { Worker, type Job } from 'bullmq';
import { toJobError } from './failure-text.js';
import { SupersededError } from './journal.js';
import { PREFIX, type QueueName } from './names.js';
import type { InvocationRecord, Outcome } from './record.js';

/** A job in hand. */
export interface Work {
  id: string;
  record: InvocationRecord;
  /** 1 for the first start; counts every start, also after the death of a process. */
  attempt: number;
  /** Whether an earlier process died with this job in hand: what it did is not known. */
  afterCrash: boolean;
  /** Fires when the job is no longer this process's to run. */
  signal: AbortSignal;
}

export interface ConsumeOptions {
  concurrency: number;
  /** A job whose process gives no sign of life for `lockMs` is free for others, who look every `stalledMs`. */
  lockMs: number;
  stalledMs: number;
  onError: (error: Error) => void;
}

export interface Consumer {
  /** Takes nothing new; resolves when what was in hand has ended and is stored. */
  close(): Promise<void>;
  ready(): Promise<void>;
}

/**
 * Runs `handle` for each job of a queue. What it returns is stored as the outcome; a ToolError that it throws fails the job,
 * at once if no retry can mend it; anything else thrown is a fault of the platform and may be retried.
 */
export function consume(
  url: string,
  queue: QueueName,
  options: ConsumeOptions,
  handle: (work: Work) => Promise<Outcome>,
): Consumer {
  const worker = new Worker<InvocationRecord, Outcome>(queue, (job, _token, signal) => run(job, signal!, handle), {
    connection: { url, maxRetriesPerRequest: null },
    prefix: PREFIX,
    concurrency: options.concurrency,
    lockDuration: options.lockMs,
    stalledInterval: options.stalledMs,
    // One death is bad luck, a second one with the same job is the job.
    maxStalledCount: 1,
    // How soon a result is written again that Redis was not there to take.
    runRetryDelay: 1_000,
  });
  worker.on('error', options.onError);
  return {
    close: () => worker.close(),
    ready: async () => {
      await worker.waitUntilReady();
    },
  };
}

async function run(
  job: Job<InvocationRecord, Outcome>,
  signal: AbortSignal,
  handle: (work: Work) => Promise<Outcome>,
): Promise<Outcome> {
  try {
    return await handle({
      id: job.id!,
      record: job.data,
      attempt: job.attemptsStarted,
      afterCrash: job.stalledCounter > 0,
      signal,
    });
  } catch (error) {
    if (error instanceof SupersededError) throw error;
    throw toJobError(
      error instanceof ToolError
        ? error
        : new ToolError('ServiceError', `A fault of the platform: ${messageOf(error)}`),
    );
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
