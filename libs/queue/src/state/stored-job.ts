import { join } from 'node:path';
import type { Status } from '@errand/contracts';
import { BULL_FIELD } from '../bullmq/layout.js';
import type { Queues } from '../redis/connect.js';
import { FIELD, keys, QUEUE_NAMES, type WorkQueue } from '../redis/names.js';
import type { Fields } from '../consume/journal.js';
import type { InvocationRecord, Outcome } from './record.js';
import { loadScript } from '../redis/lua-script.js';

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
  suspended: string | null;
  /** Its end was wished before it ended. */
  cancelled: boolean;
  /** About how long all of it is. */
  characters: number;
}

/** A job, and what lies beside it of how its invocation stands. */
export interface Stored {
  job: StoredJob;
  state: Fields;
  /** What is known of each file that its scripts handed out. */
  artifacts: string[];
}

const READ = loadScript<[hash: string[], locked: 0 | 1, state: string[], artifacts: string[]] | null>(
  join(__dirname, 'read-job.lua'),
);

/** The job of that id in one of these queues, all of it as it stands at one moment. One command. */
export async function readStored(
  { redis }: Queues,
  id: string,
  { among = QUEUE_NAMES, beside }: { among?: readonly WorkQueue[]; beside: boolean },
): Promise<Stored | undefined> {
  const places = among.flatMap((queue) => [keys.job(queue, id), keys.lock(queue, id)]);
  const read = await READ.run(redis, [keys.state(id), keys.artifacts(id), ...places], [beside ? 1 : 0]);
  if (!read) return undefined;
  const [hash, locked, state, artifacts] = read;
  return { job: toJob(fieldsOf(hash), locked === 1), state: fieldsOf(state), artifacts };
}

/** The job of an invocation, in whichever queue it is. One command. */
export async function readJob(
  queues: Queues,
  id: string,
  among?: readonly WorkQueue[],
): Promise<StoredJob | undefined> {
  return (await readStored(queues, id, { beside: false, ...(among && { among }) }))?.job;
}

/** As Redis answers to a script: field, value, … */
function fieldsOf(pairs: readonly string[]): Fields {
  const fields = new Map<string, string>();
  for (let n = 0; n < pairs.length; n += 2) fields.set(pairs[n]!, pairs[n + 1]!);
  return fields;
}

function toJob(hash: Fields, locked: boolean): StoredJob {
  const [data, returnvalue] = [hash.get('data')!, hash.get('returnvalue')];
  return {
    data: JSON.parse(data) as InvocationRecord,
    timestamp: Number(hash.get('timestamp')),
    finishedOn: timeOf(hash.get('finishedOn')),
    failedReason: hash.get('failedReason') ?? '',
    returnvalue: returnvalue === undefined ? null : (JSON.parse(returnvalue) as Outcome),
    startedOn: timeOf(hash.get(FIELD.begunAt) ?? hash.get('processedOn')),
    attempts: Number(hash.get(BULL_FIELD.starts) ?? 0) - Number(hash.get(FIELD.suspensions) ?? 0),
    locked,
    suspended: hash.get(FIELD.suspended) ?? null,
    cancelled: hash.has(FIELD.cancelRequestedAt),
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
export function openStatus({
  locked,
  startedOn,
  suspended,
}: Pick<StoredJob, 'locked' | 'startedOn' | 'suspended'>): Status {
  if (locked && startedOn) return 'running';
  if (suspended === 'answer') return 'waiting_external';
  return suspended === 'time' ? 'running' : 'queued';
}

const READ_OPEN = loadScript<[begun: 0 | 1, lastStatus: Status | null] | null>(join(__dirname, 'read-open-job.lua'));

/** What those follow who look often at an invocation that has not ended. */
export interface OpenInvocation {
  /** It was started, once at least. */
  begun: boolean;
  /** The status that its events told last. */
  lastStatus: Status;
}

/** Undefined once it has ended, or where there is none. One command. */
export async function readOpen({ redis }: Queues, id: string): Promise<OpenInvocation | undefined> {
  const jobs = QUEUE_NAMES.map((queue) => keys.job(queue, id));
  const open = await READ_OPEN.run(redis, jobs, []);
  if (!open) return undefined;
  const [begun, lastStatus] = open;
  return { begun: begun === 1, lastStatus: lastStatus ?? (begun === 1 ? 'running' : 'queued') };
}
