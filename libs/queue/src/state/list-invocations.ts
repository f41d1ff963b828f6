import { join } from 'node:path';
import { isFinal, timePrefix, type Status } from '@errand/contracts';
import type { Queues } from '../redis/connect.js';
import {
  SUSPENDED,
  indexFieldKeys,
  idOf,
  memberOf,
  setsOfStatus,
  statusSetKey,
  statusSetKeys,
  type IndexFields,
} from './search-index.js';
import { readState, type Fields } from '../consume/journal.js';
import { keys, QUEUE_NAMES } from '../redis/names.js';
import { toInvocation, type StoredInvocation } from './read-invocation.js';
import { loadScript } from '../redis/lua-script.js';
import { readJob } from './stored-job.js';

/** The conditions of a search. An invocation must fulfil all. */
export interface InvocationQuery extends IndexFields {
  status?: Status;
  /** Accepted at this time (ms) or later. */
  from?: number;
  /** Accepted before this time (ms). */
  to?: number;
}

interface InvocationPage {
  items: StoredInvocation[];
  /** The id after which the next page begins. Absent on the last page. */
  next?: string;
}

/** The highest number of candidates for one page. */
const MAX_SCANNED = 2_000;
/** When the jobs of a page have more characters, the page ends. */
const MAX_CHARACTERS = 8_000_000;
/** The number of jobs that are read at the same time. A job can have a megabyte. */
const READ_BATCH = 25;

const WALK = loadScript<[last: string | null, scanned: number, ...found: string[]]>(join(__dirname, 'walk-index.lua'));

/**
 * A page of invocations in their present state, newest first. The cost does not depend on the depth of the page or on the number of
 * invocations. If matches are rare, a page can have fewer items than `limit`, even none, although more pages follow.
 * @param after the id after which the page begins
 */
export async function listInvocations(
  queues: Queues,
  tenant: string,
  query: InvocationQuery,
  { limit, after }: { limit: number; after?: string | undefined },
): Promise<InvocationPage> {
  const walk = await planWalk(queues, tenant, query);
  const items: StoredInvocation[] = [];
  let upper = after === undefined ? upperEnd(query) : `(${memberOf(after)}`;
  let left = MAX_SCANNED;
  let characters = 0;
  while (left > 0) {
    // One more than needed shows whether another page follows.
    const wanted = limit - items.length + 1;
    const numbers = [walk.sets.length, walk.lists.length, wanted, left];
    const ends = [upper, query.from === undefined ? '-' : `[${timePrefix(query.from)}`];
    const [last, scanned, ...members] = await WALK.run(
      queues.redis,
      [...walk.sets, ...walk.lists, ...walk.checks],
      [...numbers, ...ends],
    );
    for await (const { invocation, characters: read } of readFound(queues, walk, members)) {
      if (query.status !== undefined && invocation.status !== query.status) continue;
      const previous = items.at(-1);
      if (previous && (items.length === limit || characters > MAX_CHARACTERS)) return { items, next: previous.id };
      items.push(invocation);
      characters += read;
    }
    if (last === null) return { items };
    upper = `(${last}`;
    left -= scanned;
  }
  return { items, next: idOf(upper.slice(1)) };
}

function upperEnd({ to }: InvocationQuery): string {
  return to === undefined ? '+' : `(${timePrefix(to)}`;
}

interface Walk {
  sets: string[];
  lists: string[];
  checks: string[];
}

/** Walks the smallest candidate: the status sets or one index field. The others are checked for each member. One round trip. */
async function planWalk({ redis }: Queues, tenant: string, { status, ...query }: InvocationQuery): Promise<Walk> {
  const fieldKeys = indexFieldKeys(tenant, query);
  const running = status === 'running';
  // Running invocations are in the short lists of active jobs. A suspended invocation can be `running`, too.
  const sets = running ? ([SUSPENDED] as const) : status && setsOfStatus(status);
  const statusKeys = sets?.map((set) => statusSetKey(tenant, set)) ?? statusSetKeys(tenant);
  const lists = running ? QUEUE_NAMES.map((queue) => keys.set(queue, 'active')) : [];
  if (fieldKeys.length === 0) return { sets: statusKeys, lists, checks: [] };
  const sizes = await Promise.all([...fieldKeys, ...statusKeys].map((key) => redis.zcard(key)));
  const fieldSizes = sizes.slice(0, fieldKeys.length);
  const smallestSize = Math.min(...fieldSizes);
  const smallest = fieldSizes.indexOf(smallestSize);
  const statusSize = sizes.slice(fieldKeys.length).reduce((sum, size) => sum + size, 0);
  if (running || statusSize < smallestSize) return { sets: statusKeys, lists, checks: fieldKeys };
  const others = fieldKeys.filter((_, n) => n !== smallest);
  // A final status is checked by its set. An open one is only known from the job.
  const checks = status && isFinal(status) ? [...others, ...statusKeys] : others;
  return { sets: fieldKeys.slice(smallest, smallest + 1), lists: [], checks };
}

/**
 * Yields the invocations of these members in order. An entry without a job is left over from a job that something else removed. It is
 * removed from the sets in which it was found.
 */
async function* readFound(queues: Queues, walk: Walk, members: readonly string[]) {
  for (let from = 0; from < members.length; from += READ_BATCH) {
    const some = members.slice(from, from + READ_BATCH);
    const read = await Promise.all(some.map((member) => readItem(queues, idOf(member))));
    const gone = some.filter((_, n) => read[n] === undefined);
    if (gone.length > 0)
      await Promise.all([...walk.sets, ...walk.checks].map((key) => queues.redis.zrem(key, ...gone)));
    yield* read.filter((item) => item !== undefined);
  }
}

/** Reads an invocation for a list, without the nodes of its steps. */
async function readItem(queues: Queues, id: string) {
  const job = await readJob(queues, id);
  if (!job) return undefined;
  // While several steps run, only the state has the status of each.
  const isProgressStored = !job.finishedOn && job.data.calls.length > 1;
  const state: Fields = isProgressStored ? await readState(queues, id) : new Map();
  return { invocation: toInvocation(id, job, state), characters: job.characters };
}
