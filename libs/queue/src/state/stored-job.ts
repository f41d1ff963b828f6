import { join } from 'node:path';
import type { Question, Status } from '@errand/contracts';
import type { Redis } from 'ioredis';
import { BULL_FIELD } from '../bullmq/layout.js';
import { TickBatcher } from '../enqueue/tick-batcher.js';
import type { Queues } from '../redis/connect.js';
import { FIELD } from '../redis/job-fields.js';
import { keysOf } from '../redis/names.js';
import { QUEUE_NAMES, type WorkQueue } from '../redis/queue-names.js';
import type { Fields } from '../consume/journal.js';
import type { InvocationRecord, Outcome } from './record.js';
import { loadScript } from '../redis/lua-script.js';

/** The data of a job from which the state of its invocation is derived. Times in ms. */
export interface StoredJob {
  data: InvocationRecord;
  timestamp: number;
  finishedOn?: number | undefined;
  failedReason: string;
  returnvalue: Outcome | null;
  startedOn: number | undefined;
  /** The number of starts, except those after a suspension. */
  attempts: number;
  /** The times of attempts that did not end it, as the scripts write them: `<start>-<end> ` in ms for each. */
  earlierAttempts?: string;
  /** The ids of the invocations that retry it, oldest first. */
  retries?: readonly string[];
  /** A process holds its lock. */
  locked: boolean;
  /** What it waits for if it is suspended: `time`, `answer` or `woken` (nothing any more). */
  suspended: string | null;
  /** What it asks for while it waits for an answer. */
  asked?: Question;
  /** It has a cancel request from before its end. */
  cancelled: boolean;
  /** The reason of that request. */
  cancelReason?: string | undefined;
  /** The approximate size of the job in characters. */
  characters: number;
}

/** A job, and the state of its invocation from the keys beside it. */
interface Stored {
  job: StoredJob;
  state: Fields;
  /** The descriptions of its artifacts as JSON. */
  artifacts: string[];
}

/** The fields of a job that are read. The script relies on the first two. */
const READ_FIELDS = [
  'data',
  'finishedOn',
  'timestamp',
  'failedReason',
  'returnvalue',
  'processedOn',
  BULL_FIELD.starts,
  FIELD.begunAt,
  FIELD.suspensions,
  FIELD.suspended,
  FIELD.asked,
  FIELD.cancelRequestedAt,
  FIELD.cancelReason,
  FIELD.earlierAttempts,
  FIELD.retries,
] as const;

/** A job as the script returns it; null if it does not exist. */
type ReadReply = [fields: FieldValues, locked: 0 | 1, state: string[], artifacts: string[]] | null;
/** The values of READ_FIELDS. */
type FieldValues = Values<typeof READ_FIELDS>;
type Values<Names extends readonly string[]> = { [Index in keyof Names]: string | null };
/** One read: the id, the queues in which the job may be, and whether the keys beside it are wanted. */
interface JobRead {
  id: string;
  among: readonly WorkQueue[];
  beside: boolean;
}

const READ = loadScript<ReadReply[]>(join(__dirname, 'read-job.lua'), {
  constants: { readFields: READ_FIELDS.map((name) => `'${name}'`).join(', ') },
});
/** The most that one script run may read. Other commands run between two of them. */
const READ_LIMIT = { items: 25, weight: 25, weigh: () => 1 };
const READERS = new WeakMap<Redis, TickBatcher<JobRead, ReadReply>>();

/** The reads of one tick of the event loop share one script run. */
function readerOf(redis: Redis): TickBatcher<JobRead, ReadReply> {
  const keys = keysOf(redis);
  const known = READERS.get(redis);
  if (known) return known;
  const reader = new TickBatcher<JobRead, ReadReply>((reads) => {
    const names = reads.flatMap(({ id, among }) => [
      keys.state(id),
      keys.artifacts(id),
      ...among.map((queue) => keys.job(queue, id)),
    ]);
    const args = reads.flatMap(({ among, beside }) => [among.length, beside ? 1 : 0]);
    return READ.run(redis, names, args);
  }, READ_LIMIT);
  READERS.set(redis, reader);
  return reader;
}

/** Reads a job from one of these queues at one moment. One command, which the reads of one tick share. */
export async function readStored(
  { redis }: Queues,
  id: string,
  { among = QUEUE_NAMES, beside }: { among?: readonly WorkQueue[]; beside: boolean },
): Promise<Stored | undefined> {
  const read = await readerOf(redis).do({ id, among, beside });
  if (!read) return undefined;
  const [fields, locked, state, artifacts] = read;
  return { job: toJob(fields, locked === 1), state: fieldsOf(state), artifacts };
}

/** Reads the job of an invocation from any queue. One command. */
export async function readJob(
  queues: Queues,
  id: string,
  among?: readonly WorkQueue[],
): Promise<StoredJob | undefined> {
  return (await readStored(queues, id, { beside: false, ...(among && { among }) }))?.job;
}

/** Converts the reply of HGETALL in a script: field, value, … */
function fieldsOf(pairs: readonly string[]): Fields {
  const fields = new Map<string, string>();
  for (let n = 0; n + 1 < pairs.length; n += 2) fields.set(pairs[n] ?? '', pairs[n + 1] ?? '');
  return fields;
}

function toJob(fields: FieldValues, locked: boolean): StoredJob {
  const [data, finished, accepted, failedReason, returned, started, starts, ...own] = fields;
  const [begun, suspensions, suspended, asked, cancelRequested, cancelReason, earlierAttempts, retries] = own;
  return {
    data: JSON.parse(data ?? 'null') as InvocationRecord,
    timestamp: Number(accepted),
    finishedOn: timeOf(finished),
    failedReason: failedReason ?? '',
    returnvalue: returned === null ? null : (JSON.parse(returned) as Outcome),
    startedOn: timeOf(begun ?? started),
    attempts: Number(starts ?? 0) - Number(suspensions ?? 0),
    locked,
    suspended,
    ...(asked !== null && { asked: JSON.parse(asked) as Question }),
    cancelled: cancelRequested !== null,
    cancelReason: cancelReason ?? undefined,
    ...(earlierAttempts !== null && { earlierAttempts }),
    ...(retries !== null && { retries: retries.split(' ') }),
    characters: (data ?? '').length + (returned?.length ?? 0),
  };
}

function timeOf(text: string | null): number | undefined {
  return text === null ? undefined : Number(text);
}

/**
 * The status of a job that has not ended. Started, no lock: it waits for a retry or for stalled-job recovery. Locked, not started: it is
 * being cancelled.
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

/** The state of an open invocation for clients that read it often. */
export interface OpenInvocation {
  /** It was started at least once. */
  begun: boolean;
  /** The last status that was emitted. */
  lastStatus: Status;
}

/** Returns undefined if the invocation has ended or does not exist. One command. */
export async function readOpen({ redis }: Queues, id: string): Promise<OpenInvocation | undefined> {
  const keys = keysOf(redis);
  const jobs = QUEUE_NAMES.map((queue) => keys.job(queue, id));
  const open = await READ_OPEN.run(redis, jobs, []);
  if (!open) return undefined;
  const [begun, lastStatus] = open;
  return { begun: begun === 1, lastStatus: lastStatus ?? (begun === 1 ? 'running' : 'queued') };
}
