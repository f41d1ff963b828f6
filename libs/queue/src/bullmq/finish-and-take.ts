import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { loadScript } from '../redis/lua-script.js';
import { keysOf, type Keys } from '../redis/names.js';
import type { DELIVERIES, WorkQueue } from '../redis/queue-names.js';
import type { TakenFields } from './taken-job.js';

/** A consumer takes no further job in the same call once the data of those that it took has this size. */
const TAKEN_BYTES = 1_000_000;

/** How a job has ended, for the script. */
export interface Ending {
  id: string;
  token: string;
  /** How often it was started. Another number means that another process was given the job. */
  attempt: number;
  isSuccess: boolean;
  /** The result as JSON, or the reason of the failure. */
  value: string;
  /** The name of the job. The durations of successful runs are recorded by name. */
  name: string;
  /** The tenant of an invocation. Undefined for a job that is not indexed. */
  tenant: string | undefined;
  /** The digest of the idempotency key of the invocation. */
  idempotency: string | undefined;
  /** The tools of an invocation with several calls, as JSON; '' if the name is the only tool. */
  tools: string;
  /** The agent of an invocation, or ''. */
  agent: string;
}

/** What the script did with an ended job: another process has it, it has ended, or it needs BullMQ's script. */
export type EndCode = (typeof END_CODE)[keyof typeof END_CODE];
export const END_CODE = { lost: 0, ended: 1, other: 2 } as const;

/** `more`: jobs may wait. `paused`: waiting jobs may not start (pause, concurrency, share of a tenant). `limited`: by rate. */
export type QueueState = 'drained' | 'more' | 'paused' | 'limited';
const STATES: readonly QueueState[] = ['drained', 'more', 'paused', 'limited'];

export interface Committed {
  /** One for each ended job, in order. */
  codes: EndCode[];
  taken: TakenFields[];
  state: QueueState;
  /** The time (ms) at which the next delayed job of a drained queue is due, or 0. */
  nextDue: number;
}

type Reply = [codes: EndCode[], taken: TakenFields[], state: number, nextDue: string | number];

const FINISH_AND_TAKE = loadScript<Reply>(join(__dirname, 'finish-and-take.lua'));

/** One call of the script. `call` names it, is unique and is the token of the locks of the jobs that it takes. */
export interface Commit {
  call: string;
  /** In ms. */
  now: number;
  ends: readonly Ending[];
  /** The highest number of jobs to take. */
  wanted: number;
  /** The consumer's part of the slots of all consumers, up to 1: it takes at most this part of the waiting jobs. */
  portion: number;
  /** The rules between tenants, from `rulesArgs`. */
  rules: readonly (string | number)[];
}

/** Ends jobs of a queue and takes others, in one atomic step. It may be sent again: it ends and takes nothing twice. */
export async function finishAndTake(
  redis: Redis,
  { queue, consumer, lockMs }: { queue: WorkQueue | typeof DELIVERIES; consumer: string; lockMs: number },
  { call, now, ends, wanted, portion, rules }: Commit,
): Promise<Committed> {
  const keys = keysOf(redis);
  const [codes, taken, state, nextDue] = await FINISH_AND_TAKE.run(
    redis,
    [keys.set(queue, 'active'), keys.lastTake(consumer)],
    [
      keys.job(queue, ''),
      queue,
      now,
      call,
      lockMs,
      wanted,
      TAKEN_BYTES,
      portion,
      ...rules,
      ...ends.flatMap((end) => argsOf(keys, end)),
    ],
  );
  return { codes, taken, state: STATES[state] ?? 'more', nextDue: Number(nextDue) };
}

function argsOf(
  keys: Keys,
  { id, token, attempt, isSuccess, value, name, tenant, idempotency, tools, agent }: Ending,
): (string | number)[] {
  const isIndexed = tenant !== undefined;
  const claim = isIndexed && idempotency !== undefined ? keys.idempotency(tenant, idempotency) : '';
  return [id, token, attempt, isSuccess ? 1 : 0, value, name, tenant ?? '', claim, tools, agent];
}
