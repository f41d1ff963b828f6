import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { loadScript, type LuaScript } from '../redis/lua-script.js';
import { keysOf, type Keys } from '../redis/names.js';
import type { DELIVERIES, WorkQueue } from '../redis/queue-names.js';
import type { TakenFields } from './taken-job.js';

/** A consumer takes no further job in the same call once the data of those that it took has this size. */
const TAKEN_BYTES = 1_000_000;

/** How a job has ended. */
export interface LeanEnd {
  id: string;
  token: string;
  /** How often it was started. Another number means that another process was given the job. */
  attempt: number;
  isSuccess: boolean;
  /** The result as JSON, or the reason of the failure. */
  value: string;
}

/** How an invocation or its script has ended. */
export interface Ending extends LeanEnd {
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

export type CommitReply = [codes: EndCode[], taken: TakenFields[], state: number, nextDue: string | number];

/** A consumer, and how long it locks the jobs that it takes (ms). */
export interface Taker {
  queue: WorkQueue | typeof DELIVERIES;
  consumer: string;
  lockMs: number;
}

/** One call of the script. `call` names it, is unique and is the token of the locks of the jobs that it takes. */
export interface Commit<End extends LeanEnd = Ending> {
  call: string;
  /** In ms. */
  now: number;
  ends: readonly End[];
  /** The highest number of jobs to take. */
  wanted: number;
  /** The consumer's part of the slots of all consumers, up to 1: it takes at most this part of the waiting jobs. */
  portion: number;
  /** The rules between tenants, from `rulesArgs`. */
  rules: readonly (string | number)[];
}

const FINISH_AND_TAKE = loadScript<CommitReply>(join(__dirname, 'finish-and-take.lua'));

/** Ends jobs of a queue and takes others, in one atomic step. It may be sent again: it ends and takes nothing twice. */
export function finishAndTake(redis: Redis, taker: Taker, commit: Commit): Promise<Committed> {
  const keys = keysOf(redis);
  return runCommit(
    FINISH_AND_TAKE,
    redis,
    taker,
    commit,
    commit.ends.flatMap((end) => argsOf(keys, end)),
  );
}

/** Runs a script that has the KEYS, the first ARGV and the result of `finish-and-take.lua`. `ends` are the ARGV of the ended jobs. */
export async function runCommit(
  script: LuaScript<CommitReply>,
  redis: Redis,
  { queue, consumer, lockMs }: Taker,
  { call, now, wanted, portion, rules }: Omit<Commit, 'ends'>,
  ends: readonly (string | number)[],
): Promise<Committed> {
  const keys = keysOf(redis);
  const [codes, taken, state, nextDue] = await script.run(
    redis,
    [keys.set(queue, 'active'), keys.lastTake(consumer)],
    [keys.job(queue, ''), queue, now, call, lockMs, wanted, TAKEN_BYTES, portion, ...rules, ...ends],
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
