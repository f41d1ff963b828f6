import type { Queues } from '../redis/connect.js';
import { keysOf } from '../redis/names.js';
import { idOf, statusSetKeys } from '../state/search-index.js';
import { askAll } from './ask-all.js';

const PREFIX = 'inv_';
/** The characters of an id. Another one cannot be in an id, so nothing is looked for. */
const PART_OF_ID = /^[\w-]*$/;

/** The newest invocations of a tenant whose ids begin with a text, in all shards that answer. A beginning of `inv_` fits all. */
export async function findInvocationIds(
  queues: Queues,
  tenant: string,
  text: string,
  limit: number,
): Promise<string[]> {
  const begins = text.startsWith(PREFIX) ? text.slice(PREFIX.length) : PREFIX.startsWith(text) ? '' : undefined;
  if (begins === undefined || !PART_OF_ID.test(begins)) return [];
  const [least, most] = begins === '' ? ['-', '+'] : [`[${begins}`, `[${begins}~`];
  const { answers } = await askAll(queues.shards?.all ?? [queues], async ({ redis }) => {
    const sets = statusSetKeys(keysOf(redis), tenant);
    return Promise.all(sets.map((set) => redis.zrevrangebylex(set, most, least, 'LIMIT', 0, limit)));
  });
  const ids = answers.flat(2).map(idOf);
  return [...new Set(ids)].toSorted((a, b) => (a < b ? 1 : -1)).slice(0, limit);
}
