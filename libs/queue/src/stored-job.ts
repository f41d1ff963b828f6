import type { Status } from '@errand/contracts';
import type { Queues } from './connect.js';
import { FIELD, keys, QUEUE_NAMES, type WorkQueue } from './names.js';
import type { InvocationRecord, Outcome } from './record.js';

/** A job as far as the state of its invocation can be read from it. Times in ms. */
export interface StoredJob {
  data: InvocationRecord;
  timestamp: number;
  finishedOn?: number | undefined;
  failedReason: string;
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
  /** About how long all of it is. */
  characters: number;
}

/** Straight from its hash: BullMQ's own reader knows nothing of our marks, and would cost another command. */
export async function readJob(queues: Queues, queue: WorkQueue, id: string): Promise<StoredJob | undefined> {
  const [hash, locked] = await Promise.all([
    queues.redis.hgetall(keys.job(queue, id)),
    queues.redis.exists(keys.lock(queue, id)),
  ]);
  const { data, timestamp, ats, finishedOn, processedOn, failedReason = '', returnvalue } = hash;
  // The rest of one that is just being removed is nothing.
  if (data === undefined || timestamp === undefined) return undefined;
  return {
    data: JSON.parse(data) as InvocationRecord,
    timestamp: Number(timestamp),
    finishedOn: timeOf(finishedOn),
    failedReason,
    returnvalue: returnvalue === undefined ? null : (JSON.parse(returnvalue) as Outcome),
    startedOn: timeOf(hash[FIELD.begunAt] ?? processedOn),
    attempts: Number(ats ?? 0) - Number(hash[FIELD.parks] ?? 0),
    locked: locked === 1,
    parked: hash[FIELD.parked] ?? null,
    cancelled: hash[FIELD.cancel] !== undefined,
    characters: data.length + (returnvalue?.length ?? 0),
  };
}

function timeOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
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
