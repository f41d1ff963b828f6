import type { Semaphore } from '@errand/contracts';
import type { PrimaryRedis } from '../redis/primary-redis.js';
import type { BullQueue } from './bull-queue.js';
import type { Commit, Committed, LeanEnd, Taker } from './finish-and-take.js';
import type { EndOptions } from './job-ends.js';
import type { LockKeeper } from './lock-keeper.js';
import type { TakenJob } from './taken-job.js';

export interface ConsumerOptions<Data, End extends LeanEnd> extends EndOptions<Data, End> {
  connection: PrimaryRedis;
  /** See `BackendUse`. */
  isIndexed: boolean;
  /** Ends jobs and takes others, in one step that may be sent again. */
  finishAndTake: (redis: PrimaryRedis, taker: Taker, commit: Commit<End>) => Promise<Committed>;
  /** The highest number of jobs at the same time. */
  concurrency: number;
  lockMs: number;
  /** The time between two checks for jobs of dead processes. */
  stalledMs: number;
  /** A job whose processes died more often fails. */
  maxStalledCount: number;
  /** The pause (ms) before the next attempt of a failed job, or -1 for none. */
  pauseAfter: (attempts: number, error: Error | undefined) => number;
  /** Keeps the locks of the jobs until their end is stored. */
  locks: LockKeeper;
  /** The process, whose name that of the consumer begins with. */
  process?: string | undefined;
  /** Its rules between tenants, from `rulesArgs`. */
  fair: () => (string | number)[];
  /** The slots of all consumers of the queue, as far as this one knows. */
  allSlots: () => number;
  /** Slots that several consumers of the process share. A job is taken only if one is free. */
  shared?: Semaphore | undefined;
  /** The part of the free shared slots that one call claims, and one at least. The default is 0. */
  sharedPart?: number | undefined;
}

export type JobProcessor<Data, Result> = (job: TakenJob<Data>, token: string) => Promise<Result>;

/** Changes to stored jobs. They wait while Redis is away. */
export type JobStorage = Pick<BullQueue, 'addLog' | 'updateData'>;
