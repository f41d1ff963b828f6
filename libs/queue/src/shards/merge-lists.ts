import { STATUSES, type Status } from '@errand/contracts';
import type { Queues } from '../redis/connect.js';
import { countByStatus as countStatuses, type StatusCounts } from '../state/count-by-status.js';
import { countInvocations as count, MAX_COUNTED, type InvocationCount } from '../state/count-invocations.js';
import {
  listInvocations as list,
  type InvocationPage,
  type ListedInvocation,
  type PageRequest,
} from '../state/list-invocations.js';
import type { InvocationQuery } from '../state/plan-walk.js';
import { askAll } from './ask-all.js';

/** What a list of several shards says of those that did not answer. */
interface Partial {
  /** The hash tags of the shards that are missing in the list. */
  missing?: string[];
}
type MergedPage = Pick<InvocationPage, 'items' | 'next'> & Partial;

interface Part {
  queues: Queues;
  page: InvocationPage;
}

/**
 * A page of invocations of all shards, in the same order as that of one. A shard that does not answer is named.
 * @throws Error if no shard answers
 */
export async function listInvocations(
  queues: Queues,
  tenant: string,
  query: InvocationQuery,
  request: PageRequest,
): Promise<MergedPage> {
  if (!queues.shards) return list(queues, tenant, query, request);
  const byChange = query.updatedAfter !== undefined;
  const positions = byChange ? readPositions(request.after) : undefined;
  const { answers, missing } = await askAll(queues.shards.all, async (shard) => {
    const after = positions ? positions.get(shard.keyspace) : request.after;
    return { queues: shard, page: await list(shard, tenant, query, { ...request, after }) };
  });
  const merged = positions ? mergeByChange(answers, positions, request.limit) : mergeById(answers, request.limit);
  return { ...merged, ...(missing.length > 0 && { missing }) };
}

/** The number of matches in all shards that answer. */
export async function countInvocations(
  queues: Queues,
  tenant: string,
  query: InvocationQuery,
): Promise<InvocationCount & Partial> {
  if (!queues.shards) return count(queues, tenant, query);
  const { answers, missing } = await askAll(queues.shards.all, (shard) => count(shard, tenant, query));
  const sum = answers.reduce((all, { value }) => all + value, 0);
  const exact = sum <= MAX_COUNTED && missing.length === 0 && answers.every((each) => each.exact);
  return { value: Math.min(sum, MAX_COUNTED), exact, ...(missing.length > 0 && { missing }) };
}

/** The numbers of matches by status in all shards that answer. */
export async function countByStatus(
  queues: Queues,
  tenant: string,
  query: InvocationQuery,
): Promise<StatusCounts & Partial> {
  if (!queues.shards) return countStatuses(queues, tenant, query);
  const { answers, missing } = await askAll(queues.shards.all, (shard) => countStatuses(shard, tenant, query));
  const total = (status: Status) => answers.reduce((sum, { counts }) => sum + counts[status], 0);
  const counts = Object.fromEntries(STATUSES.map((status) => [status, total(status)])) as Record<Status, number>;
  const approximate = missing.length > 0 || answers.some((each) => each.approximate);
  return { counts, approximate, ...(missing.length > 0 && { missing }) };
}

/** Newest first. A shard whose page has an end is unknown below that end, so the merged page goes no further. */
function mergeById(parts: readonly Part[], limit: number): MergedPage {
  const ends = parts.flatMap(({ page }) => page.next ?? []).toSorted();
  const horizon = ends.at(-1);
  const known = parts
    .flatMap(({ page }) => page.items)
    .filter(({ id }) => horizon === undefined || id >= horizon)
    .toSorted((a, b) => (a.id < b.id ? 1 : -1));
  const items = known.slice(0, limit);
  const next = known.length > limit ? items.at(-1)?.id : horizon;
  return { items, ...(next !== undefined && { next }) };
}

interface Change {
  item: ListedInvocation;
  keyspace: string;
  position: string;
  number: number;
}

/** Oldest change first. Each shard has its own clock of changes, so the position of the merged page has one part for each. */
function mergeByChange(parts: readonly Part[], before: ReadonlyMap<string, string>, limit: number): MergedPage {
  const horizon = Math.min(...parts.map(({ page }) => (page.isEnd ? Infinity : numberOf(page.next))));
  const changes = parts
    .flatMap(({ queues: { keyspace }, page }) =>
      page.items.map((item, n): Change => {
        const position = page.positions[n] ?? '';
        return { item, keyspace, position, number: numberOf(position) };
      }),
    )
    .filter(({ number }) => number <= horizon)
    .toSorted((a, b) => a.number - b.number || (a.item.id < b.item.id ? -1 : 1));
  const shown = changes.slice(0, limit);
  const after = new Map(before);
  for (const {
    queues: { keyspace },
    page,
  } of parts) {
    const own = shown.filter((change) => change.keyspace === keyspace);
    const position = own.length === page.items.length ? page.next : own.at(-1)?.position;
    if (position !== undefined) after.set(keyspace, position);
  }
  const next = writePositions(after);
  return { items: shown.map(({ item }) => item), ...(next !== writePositions(before) && { next }) };
}

function numberOf(position: string | undefined): number {
  return position === undefined ? Infinity : Number(position.split(':', 1)[0]);
}

/** `<keyspace>=<position>`, separated by `~`; a position alone is from before the first growth. */
function readPositions(text: string | undefined): Map<string, string> {
  if (text === undefined) return new Map();
  return new Map(
    text.split('~').map((part): [string, string] => {
      const [position = '', keyspace = 'errand'] = part.split('=').toReversed();
      return [`{${keyspace}}`, position];
    }),
  );
}

function writePositions(positions: ReadonlyMap<string, string>): string | undefined {
  if (positions.size === 0) return undefined;
  return [...positions].map(([keyspace, position]) => `${keyspace.slice(1, -1)}=${position}`).join('~');
}
