import { join } from 'node:path';
import { canonicalJson, type Answer } from '@errand/contracts';
import type { Queues } from '../redis/connect.js';
import { findJob } from '../state/find-job.js';
import { answersOf, keys } from '../redis/names.js';
import { loadScript } from '../redis/lua-script.js';

/** Answers to what an invocation waits for, by field: `<step>` of a step, `<step>/<key>` of a node's wait. */
export type Answers = ReadonlyMap<string, GivenAnswer>;

export interface GivenAnswer {
  answer: Answer;
  /** Which node was answered; absent where the step itself waited. */
  nodeId?: string;
}

const ANSWER = loadScript<string | null>(join(__dirname, 'store-answer.lua'));

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
    [keys.job(queue, id), keys.answers(id), keys.set(queue, 'delayed'), keys.set(queue, 'marker'), keys.notifications],
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
