import { join } from 'node:path';
import { canonicalJson, type Answer } from '@errand/contracts';
import type { Queues } from '../redis/connect.js';
import { findJob } from '../state/find-job.js';
import { openLife } from '../state/open-life.js';
import type { TenantReach } from '../state/tenant-reach.js';
import { keysOf } from '../redis/names.js';
import { answersOf } from '../redis/notification-names.js';
import { loadScript } from '../redis/lua-script.js';
import { changedKey, memberOf } from '../state/search-index.js';
import { waiterKeys } from './waiters.js';

/** Answers by field: `<step>` for the wait of a step, `<step>/<key>` for the wait of a node. */
export type Answers = ReadonlyMap<string, GivenAnswer>;

interface GivenAnswer {
  answer: Answer;
  /** The node that waited. Absent if the step itself waited. */
  nodeId?: string;
}

const STORE_ANSWER = loadScript<string | null>(join(__dirname, 'store-answer.lua'));

/**
 * Stores the first answer to a wait and resumes the invocation. Returns `taken` if this answer is stored now (also if it was before),
 * `other` if a different answer is stored, and `ended` if the invocation has ended.
 */
export async function giveAnswer(
  queues: Queues,
  { reach, id, field }: { reach: TenantReach; id: string; field: string },
  given: GivenAnswer,
): Promise<'taken' | 'other' | 'ended'> {
  const keys = keysOf(queues.redis);
  const found = await findJob(queues, reach, id);
  if (!found) return 'ended';
  const text = canonicalJson(given);
  const { queue, job } = found;
  const { tenant } = job.data;
  const stored = await STORE_ANSWER.run(
    queues.redis,
    [
      keys.job(queue, id),
      keys.answers(id),
      keys.set(queue, 'delayed'),
      keys.set(queue, 'marker'),
      keys.notifications,
      changedKey(keys, tenant),
      keys.changeClock,
      ...waiterKeys(keys, id),
    ],
    [id, field, text, openLife(queues.retention), Date.now(), answersOf(id), memberOf(id), keys.job('invocations', '')],
  );
  if (stored === null) return 'ended';
  return stored === text ? 'taken' : 'other';
}

/** The answers so far. */
export async function readAnswers(queues: Queues, id: string): Promise<Answers> {
  const keys = keysOf(queues.redis);
  const fields = Object.entries(await queues.redis.hgetall(keys.answers(id)));
  return new Map(fields.map(([field, text]) => [field, JSON.parse(text) as GivenAnswer]));
}
