import { join } from 'node:path';
import { isFinal, timePrefix, type Status } from '@errand/contracts';
import type { Queues } from '../redis/connect.js';
import {
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

/** What is looked for: everything that is given holds. */
export interface InvocationQuery extends IndexFields {
  status?: Status;
  /** Accepted at that time (ms) or later. */
  from?: number;
  /** Accepted before that time (ms). */
  to?: number;
}

export interface InvocationPage {
  items: StoredInvocation[];
  /** The id behind which the next page begins; absent behind the last. */
  next?: string;
}

/** So many candidates are looked at for one page, at the most, and jobs of about so many characters read. */
const MAX_SCANNED = 2_000;
const MAX_CHARACTERS = 8_000_000;
/** Jobs that are read at a time: one of the largest is a megabyte. */
const READ_BATCH = 25;

const WALK = loadScript<[last: string | null, scanned: number, ...found: string[]]>(join(__dirname, 'walk-index.lua'));

/**
 * A page of invocations, newest first, as they stand now. It costs the same at any depth and among any number of them; where what is
 * looked for is rare among what has to be looked at, it may have fewer items than `limit`, or none, and go on all the same.
 * @param after the id behind which it begins
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
    // One more than wanted tells whether there is another page.
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
      if (items.length === limit || characters > MAX_CHARACTERS) return { items, next: items.at(-1)!.id };
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

/** Walks what has the fewest: how they stand, or one of their facets; whatever is not walked is checked. One round trip. */
async function planWalk({ redis }: Queues, tenant: string, { status, ...query }: InvocationQuery): Promise<Walk> {
  const fieldKeys = indexFieldKeys(tenant, query);
  const running = status === 'running';
  // Those that run are few among those that have not ended; of those that were parked, some may run.
  const sets = running ? ['parked' as const] : status && setsOfStatus(status);
  const statusKeys = sets?.map((set) => statusSetKey(tenant, set)) ?? statusSetKeys(tenant);
  const lists = running ? QUEUE_NAMES.map((queue) => keys.set(queue, 'active')) : [];
  if (fieldKeys.length === 0) return { sets: statusKeys, lists, checks: [] };
  const sizes = await Promise.all([...fieldKeys, ...statusKeys].map((key) => redis.zcard(key)));
  const fieldSizes = sizes.slice(0, fieldKeys.length);
  const smallest = fieldSizes.indexOf(Math.min(...fieldSizes));
  const statusSize = sizes.slice(fieldKeys.length).reduce((sum, size) => sum + size, 0);
  if (running || statusSize < fieldSizes[smallest]!) return { sets: statusKeys, lists, checks: fieldKeys };
  const others = fieldKeys.filter((_, n) => n !== smallest);
  // How it ended is checked by its set; how one stands that has not, only its job says.
  const checks = status && isFinal(status) ? [...others, ...statusKeys] : others;
  return { sets: [fieldKeys[smallest]!], lists: [], checks };
}

/**
 * The invocations of those members, in order. One whose job is gone was removed behind our back, for all come and go with their
 * entries: it is taken out of the sets in which it was met.
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

/** One as it is listed: without the nodes of its steps, as far as its job alone tells it. */
async function readItem(queues: Queues, id: string) {
  const job = await readJob(queues, id);
  if (!job) return undefined;
  // Of several steps, only the state tells how each stands while they run.
  const isProgressStored = !job.finishedOn && job.data.calls.length > 1;
  const state: Fields = isProgressStored ? await readState(queues, id) : new Map();
  return { invocation: toInvocation(id, job, state), characters: job.characters };
}
