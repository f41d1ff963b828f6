import { partialOf, type ShownQueue } from '@errand/contracts';
import { FIRST_TENANTS, readQueue as read, readTenantNames, type TenantPage } from '../fair/read-queues.js';
import { firstPause } from '../pause/pause-queue.js';
import type { Queues } from '../redis/connect.js';
import { EVERY_TENANT, type TenantReach } from '../state/tenant-reach.js';
import { mergeByName } from './merge-by-name.js';
import { askAll } from './ask-all.js';

type QueueOfWork = Parameters<typeof read>[1];
type Tenant = ShownQueue['tenants'][number];

/** More than the keyspaces of an installation. A merged cursor is that of Redis in one keyspace, times this, plus the number of the keyspace. */
const CURSORS = 2_048n;
/** The keyspaces that are asked at the same time for a page. */
const AT_ONCE = 32;

/** The tenants of a merged page, each with the number of the keyspace in which it was found first, and the cursor of the next page. */
interface FoundTenants {
  found: ReadonlyMap<string, number>;
  nextCursor: string | null;
}

/**
 * The work in a queue of all shards that answer. The pages go through the tenants of the shards in order; each tenant is on one page, with
 * its work of all shards. The share of a tenant is its mean share in the shards where it has work.
 */
export async function readQueue(
  queues: Queues,
  queue: QueueOfWork,
  reach: TenantReach,
  page: TenantPage = FIRST_TENANTS,
): Promise<ShownQueue> {
  if (!queues.shards) return read(queues, queue, reach, page);
  const { all } = queues.shards;
  const { found, nextCursor }: FoundTenants =
    reach === EVERY_TENANT ? await findTenants(all, queue, page) : { found: new Map([[reach, 0]]), nextCursor: null };
  const { answers, missing } = await askAll(all, async (shard) => ({
    n: all.indexOf(shard),
    shown: await read(shard, queue, reach, [...found.keys()]),
  }));
  const shown = answers.map((answer) => answer.shown);
  const [first] = shown;
  if (!first) throw new Error('No shard answers');
  const sum = (field: 'waiting' | 'active' | 'later' | 'owed' | 'perMinute') =>
    shown.reduce((sumOfAll, each) => sumOfAll + each[field], 0);
  const most = (field: 'slots' | 'consumers' | 'oldestMs') => Math.max(...shown.map((each) => each[field]));
  // A tenant with work in a keyspace before the one where this page has found it is on an earlier page.
  const earlier = new Set(
    answers
      .flatMap(({ n, shown: { tenants } }) => tenants.filter(({ tenant }) => n < (found.get(tenant) ?? 0)))
      .map(({ tenant }) => tenant),
  );
  return {
    ...first,
    paused: firstPause(shown.map(({ paused }) => paused)),
    waiting: sum('waiting'),
    active: sum('active'),
    later: sum('later'),
    owed: sum('owed'),
    oldestMs: most('oldestMs'),
    slots: most('slots'),
    consumers: most('consumers'),
    perMinute: sum('perMinute'),
    p50WaitMs: meanWait(shown),
    tenants: sumTenants(shown.flatMap(({ tenants }) => tenants.filter(({ tenant }) => !earlier.has(tenant)))),
    nextCursor,
    ...partialOf(missing),
  };
}

/** The medians of the shards, weighted by the jobs that ended there in the last minute. */
function meanWait(shown: readonly ShownQueue[]): number {
  const weightOf = ({ perMinute, p50WaitMs }: ShownQueue) => (p50WaitMs > 0 ? Math.max(1, perMinute) : perMinute);
  const weights = shown.reduce((all, each) => all + weightOf(each), 0);
  const waits = shown.reduce((all, each) => all + weightOf(each) * each.p50WaitMs, 0);
  return weights === 0 ? 0 : Math.round(waits / weights);
}

/**
 * The names of a page: those of the keyspace of the cursor, and of as many of the next ones as fit whole. The keyspaces are asked at the same
 * time. The names of those that do not fit are read again for the next page. A keyspace that is away is left out.
 */
async function findTenants(
  all: readonly Queues[],
  queue: QueueOfWork,
  { cursor, limit }: TenantPage,
): Promise<FoundTenants> {
  const begin = BigInt(cursor);
  const found = new Map<string, number>();
  const first = Number(begin % CURSORS);
  const asked = await Promise.all(
    all.slice(first, first + AT_ONCE).map(async (shard, n) => {
      const page = { cursor: n === 0 ? String(begin / CURSORS) : '0', limit };
      return readTenantNames(shard, queue, page).catch(() => ({ tenants: [], next: '0' }));
    }),
  );
  for (const [n, { tenants, next }] of asked.entries()) {
    const at = first + n;
    const fresh = tenants.filter((tenant) => !found.has(tenant));
    if (n > 0 && found.size + fresh.length > limit) return { found, nextCursor: cursorAt(at, '0') };
    for (const tenant of fresh) found.set(tenant, at);
    if (next !== '0') return { found, nextCursor: cursorAt(at, next) };
  }
  const end = first + asked.length;
  return { found, nextCursor: end < all.length ? cursorAt(end, '0') : null };
}

function cursorAt(keyspace: number, own: string): string {
  return String(BigInt(own) * CURSORS + BigInt(keyspace));
}

function sumTenants(all: readonly Tenant[]): Tenant[] {
  const summed = mergeByName(
    all,
    ({ tenant }) => tenant,
    (a, b) => ({
      ...a,
      waiting: a.waiting + b.waiting,
      active: a.active + b.active,
      share: a.share + b.share,
      oldestMs: Math.max(a.oldestMs, b.oldestMs),
    }),
  );
  const parts = new Map<string, number>();
  for (const { tenant } of all) parts.set(tenant, (parts.get(tenant) ?? 0) + 1);
  return summed.map((one) => ({ ...one, share: rounded(one.share / (parts.get(one.tenant) ?? 1)) }));
}

function rounded(share: number): number {
  return Math.round(share * 10_000) / 10_000;
}
