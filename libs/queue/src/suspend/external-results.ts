import { canonicalJson, type Answer } from '@errand/contracts';
import type { Queues } from '../redis/connect.js';
import { findJob } from '../state/find-job.js';
import { answersOf, FIELD, keys } from '../redis/names.js';
import { LuaScript } from '../redis/lua-script.js';

/** Answers to what an invocation waits for, by field: `<step>` of a step, `<step>/<key>` of a node's wait. */
export type Answers = ReadonlyMap<string, GivenAnswer>;

export interface GivenAnswer {
  answer: Answer;
  /** Which node was answered; absent where the step itself waited. */
  nodeId?: string;
}

/**
 * Stores an answer if it is the first, and makes this the time of the job, where it is parked. One that comes before it is waited for is
 * kept until the job has begun, and on.
 *
 * KEYS: 1 job, 2 answers, 3 delayed, 4 marker, 5 channel.
 * ARGV: 1 id, 2 field, 3 answer, 4 seconds to keep, 5 now (ms), 6 what to tell.
 * Returns the answer that stands there after it, or nil where the invocation has ended without one.
 */
const ANSWER = new LuaScript<string | null>(`
local given = redis.call('HGET', KEYS[2], ARGV[2])
if given then return given end
if redis.call('EXISTS', KEYS[1]) == 0 or redis.call('HEXISTS', KEYS[1], 'finishedOn') == 1 then return false end
redis.call('HSET', KEYS[2], ARGV[2], ARGV[3])
local due = redis.call('ZSCORE', KEYS[3], ARGV[1])
local ahead = math.max(0, math.ceil(((due or 0) / 0x1000 - ARGV[5]) / 1000))
if redis.call('TTL', KEYS[2]) < 0 then redis.call('EXPIRE', KEYS[2], ahead + ARGV[4]) end
redis.call('HSET', KEYS[1], '${FIELD.answered}', 1)
if redis.call('HEXISTS', KEYS[1], '${FIELD.parked}') == 1 and due then
  redis.call('HSET', KEYS[1], '${FIELD.parked}', 'woken')
  redis.call('ZADD', KEYS[3], ARGV[5] * 0x1000, ARGV[1])
  redis.call('ZADD', KEYS[4], ARGV[5], '1')
end
redis.call('PUBLISH', KEYS[5], ARGV[6])
return ARGV[3]`);

/**
 * Stores the answer to one wait, once and for all, and lets the invocation go on. `taken`, also where the same answer was there
 * before; `other`: another one was; `ended`: there is nobody left to take it.
 */
export async function giveAnswer(
  queues: Queues,
  { tenant, id, field }: { tenant: string; id: string; field: string },
  given: GivenAnswer,
): Promise<'taken' | 'other' | 'ended'> {
  const found = await findJob(queues, tenant, id);
  if (!found) return 'ended';
  const text = canonicalJson(given);
  const { queue } = found;
  const stands = await ANSWER.run(
    queues.redis,
    [keys.job(queue, id), keys.answers(id), keys.set(queue, 'delayed'), keys.set(queue, 'marker'), keys.news],
    [id, field, text, queues.retention.ageSeconds, Date.now(), answersOf(id)],
  );
  if (stands === null) return 'ended';
  return stands === text ? 'taken' : 'other';
}

/** Everything that was answered so far; empty for most. */
export async function readAnswers(queues: Queues, id: string): Promise<Answers> {
  const fields = Object.entries(await queues.redis.hgetall(keys.answers(id)));
  return new Map(fields.map(([field, text]) => [field, JSON.parse(text) as GivenAnswer]));
}
