import type { Question } from '@errand/contracts';
import type { Fields } from '../consume/journal.js';
import { toArtifacts } from '../files/artifacts.js';
import type { Queues } from '../redis/connect.js';
import { keysOf } from '../redis/names.js';
import { addMissingChanges } from './add-missing-changes.js';
import { PROGRESS_FIELD } from './event-log.js';
import { planWalk, type InvocationQuery, type Walk } from './plan-walk.js';
import { toInvocation, type StoredInvocation } from './read-invocation.js';
import { memberOf } from './search-index.js';
import { readStored, type StoredJob } from './stored-job.js';
import { walkOn } from './walk-invocations.js';

/** An invocation of a list. Without details, its steps lack what is stored beside the job. */
export interface ListedInvocation extends StoredInvocation {
  /** What it asks for, while it is `waiting_external`. */
  waiting?: Question;
  /** It runs, and is suspended until something else has ended or a script-runner has taken its script. */
  isSuspended?: true;
}

export interface InvocationPage {
  items: ListedInvocation[];
  /** The position of each item. */
  positions: string[];
  /** The walk has come to the end of what is stored now. */
  isEnd: boolean;
  /** The position after which the next page begins. */
  next?: string;
}

export interface PageRequest {
  limit: number;
  /** The position after which the page begins. */
  after?: string | undefined;
  /** Reads the whole steps and the artifacts, as they are read for a single invocation. */
  details?: boolean;
}

/** The highest number of candidates for one page. */
const MAX_SCANNED = 2_000;
/** When the jobs of a page have more characters, the page ends. */
const MAX_CHARACTERS = 8_000_000;
/** The number of jobs that are read at the same time. A job can have a megabyte. */
const READ_BATCH = 25;

/**
 * A page of invocations in their present state, newest first. With `updatedAfter`, the oldest change is first. The cost does not depend on the
 * depth of the page or on the number of invocations. If matches are rare, a page can have fewer items than `limit`, even none, although more
 * pages follow.
 *
 * `next` is absent after the last page. With `updatedAfter` it is absent only if nothing has changed since the position: a client that reads on
 * from its last position later sees each change at least once.
 */
export async function listInvocations(
  queues: Queues,
  tenant: string,
  query: InvocationQuery,
  { limit, after, details = false }: PageRequest,
): Promise<InvocationPage> {
  if (query.updatedAfter !== undefined) await addMissingChanges(queues, tenant);
  const walk = await planWalk(queues, tenant, query, after);
  if (!walk) return { items: [], positions: [], isEnd: true };
  const items: ListedInvocation[] = [];
  const positions: string[] = [];
  let [position, shown, left, characters] = [after, after, MAX_SCANNED, 0];
  while (left > 0) {
    // One more than needed shows whether another page follows.
    const part = await walkOn(queues, walk, position, { wanted: limit - items.length + 1, most: left });
    position = part.last ?? position;
    for await (const { job, item, at } of readFound(queues, walk, part.found, details)) {
      if (!isStillWanted(item, tenant, query)) continue;
      if (items.length > 0 && (items.length === limit || characters > MAX_CHARACTERS))
        return pageUpTo(items, positions, shown);
      items.push(item);
      positions.push(at);
      shown = at;
      characters += job.characters;
    }
    left -= part.looked;
    if (!part.isEnd) continue;
    const isLast = walk.firstChange === undefined || position === after;
    return { ...pageUpTo(items, positions, isLast ? undefined : position), isEnd: true };
  }
  return pageUpTo(items, positions, position);
}

function pageUpTo(items: ListedInvocation[], positions: string[], next: string | undefined): InvocationPage {
  return { items, positions, isEnd: false, ...(next !== undefined && { next }) };
}

/** The status can have changed since the walk. */
function isStillWanted({ record, status }: ListedInvocation, tenant: string, { statuses }: InvocationQuery): boolean {
  return record.tenant === tenant && (statuses === undefined || statuses.includes(status));
}

interface ReadItem {
  job: StoredJob;
  item: ListedInvocation;
  /** The position of the item. */
  at: string;
}

/**
 * Yields these invocations in order. An entry without a job is left over from a job that something else removed. It is removed from the sets
 * of the index in which it can be.
 */
async function* readFound(
  queues: Queues,
  { indexKeys }: Walk,
  found: readonly { position: string; id: string }[],
  details: boolean,
): AsyncGenerator<ReadItem> {
  for (let from = 0; from < found.length; from += READ_BATCH) {
    const some = found.slice(from, from + READ_BATCH);
    const read = await Promise.all(some.map(({ id }) => (details ? readDetails(queues, id) : readRow(queues, id))));
    const gone = some.flatMap(({ id }, n) => (read[n] === undefined ? [memberOf(id)] : []));
    if (gone.length > 0) await Promise.all(indexKeys.map((key) => queues.redis.zrem(key, ...gone)));
    for (const [n, one] of read.entries()) {
      const at = some[n]?.position;
      if (one && at !== undefined) yield { ...one, at };
    }
  }
}

type Read = Omit<ReadItem, 'at'> | undefined;

/** Reads an invocation without what is stored beside its job, except its progress. */
async function readRow(queues: Queues, id: string): Promise<Read> {
  const keys = keysOf(queues.redis);
  const [stored, progress] = await Promise.all([
    readStored(queues, id, { beside: false }),
    queues.redis.hget(keys.state(id), PROGRESS_FIELD),
  ]);
  if (!stored) return undefined;
  const state: Fields = new Map(progress === null ? [] : [[PROGRESS_FIELD, progress]]);
  return { job: stored.job, item: toListed(id, stored.job, state) };
}

async function readDetails(queues: Queues, id: string): Promise<Read> {
  const stored = await readStored(queues, id, { beside: true });
  if (!stored) return undefined;
  const { job, state } = stored;
  const artifacts = toArtifacts(stored.artifacts);
  const beside = [...state.values()].reduce((sum, text) => sum + text.length, 0);
  const item = { ...toListed(id, job, state), ...(artifacts.length > 0 && { artifacts }) };
  return { job: { ...job, characters: job.characters + beside }, item };
}

function toListed(id: string, job: StoredJob, state: Fields): ListedInvocation {
  const invocation = toInvocation(id, job, state);
  const isAsking = invocation.status === 'waiting_external' && job.asked !== undefined;
  const isSuspended = invocation.status === 'running' && job.suspended !== null && !job.locked;
  return { ...invocation, ...(isAsking && { waiting: job.asked }), ...(isSuspended && { isSuspended }) };
}
