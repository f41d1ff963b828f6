import { isInvocationId, type JsonObject } from '@errand/contracts';
import type { Queues } from '../redis/connect.js';
import { keysOf } from '../redis/names.js';
import { readJob, type StoredJob } from '../state/stored-job.js';
import { readWaitMember, waitIn, waitIndexKey, type AskedWait } from './wait-index.js';

/** A wait for an answer, with the call that it belongs to. */
export interface ListedWait extends AskedWait {
  /** Its place in the list. */
  position: string;
  invocationId: string;
  tenant: string;
  toolId: string;
  arguments: JsonObject;
  agent?: string;
  session?: string;
  /** When the invocation began (ms), for a wait that has no time of its own. */
  begunAt: number;
}

/** The waits that a list has. */
export interface WaitQuery {
  toolId?: string;
  agent?: string;
}

export interface WaitPageRequest {
  limit: number;
  /** The page begins after this position. */
  after?: string;
}

export interface WaitPage {
  items: ListedWait[];
  /** Where the next page begins. Absent on the last one. */
  next?: string;
}

/** The members that one round trip reads. */
const AT_ONCE = 25;
/** The most members that one page looks at, if a filter refuses most of them. */
const MOST_LOOKED_AT = 1_000;
/** A page ends early when its prompts and arguments have so many characters. */
const MOST_CHARS = 4_000_000;

/**
 * A page of what invocations of a tenant wait for, soonest deadline first; those without a deadline come last, oldest first. Each wait is
 * compared with the state of its invocation, so that an answered or ended one is never in the list. A page may have fewer items than
 * `limit` and still have a next one.
 */
export async function listWaits(
  queues: Queues,
  tenant: string,
  query: WaitQuery,
  { limit, after }: WaitPageRequest,
): Promise<WaitPage> {
  const items: ListedWait[] = [];
  let position = after;
  let chars = 0;
  for (let looked = 0; looked < MOST_LOOKED_AT; looked += AT_ONCE) {
    const members = await readMembers(queues, tenant, position);
    for (const { member, wait, size } of await Promise.all(members.map((each) => readWait(queues, tenant, each)))) {
      if (items.length === limit || chars > MOST_CHARS)
        return { items, ...(position !== undefined && { next: position }) };
      position = member;
      if (!wait || !fits(wait, query)) continue;
      items.push(wait);
      chars += size;
    }
    if (members.length < AT_ONCE) return { items };
  }
  return { items, ...(position !== undefined && { next: position }) };
}

async function readMembers({ redis }: Queues, tenant: string, after: string | undefined): Promise<string[]> {
  const begin = after === undefined ? '-' : `(${after}`;
  return redis.zrangebylex(waitIndexKey(keysOf(redis), tenant), begin, '+', 'LIMIT', 0, AT_ONCE);
}

/** The wait of a member, and its size in characters. A member that is none any more is removed. */
async function readWait(
  queues: Queues,
  tenant: string,
  member: string,
): Promise<{ member: string; wait?: ListedWait; size: number }> {
  const { redis } = queues;
  const keys = keysOf(redis);
  const { id, stateField } = readWaitMember(member) ?? { id: '', stateField: '' };
  const [job, text, answered] = await Promise.all([
    isInvocationId(id) ? readJob(queues, id) : undefined,
    redis.hget(keys.state(id), stateField),
    redis.hkeys(keys.answers(id)),
  ]);
  if (!job || job.finishedOn !== undefined) {
    await redis.zrem(waitIndexKey(keys, tenant), member);
    return { member, size: 0 };
  }
  const asked = waitIn(stateField, text);
  if (!asked || job.cancelled || answered.includes(asked.answerField)) return { member, size: 0 };
  return { member, wait: toListed(asked, member, id, job), size: (text?.length ?? 0) + job.characters };
}

function toListed(
  asked: AskedWait,
  position: string,
  id: string,
  { data, startedOn, timestamp }: StoredJob,
): ListedWait {
  const call = data.calls[asked.step];
  return {
    ...asked,
    position,
    invocationId: id,
    tenant: data.tenant,
    toolId: call?.toolId ?? '',
    arguments: call?.arguments ?? {},
    ...(data.agent !== undefined && { agent: data.agent }),
    ...(data.session !== undefined && { session: data.session }),
    begunAt: startedOn ?? timestamp,
  };
}

function fits({ toolId, agent }: ListedWait, query: WaitQuery): boolean {
  return (query.toolId ?? toolId) === toolId && (query.agent ?? agent) === agent;
}
