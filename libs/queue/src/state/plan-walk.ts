import { isFinal, STATUSES, timePrefix, type ErrorType, type Status } from '@errand/contracts';
import type { Queues } from '../redis/connect.js';
import { KeyList } from '../redis/key-list.js';
import { keysOf, type Keys } from '../redis/names.js';
import { QUEUE_NAMES } from '../redis/queue-names.js';
import {
  changedKey,
  indexFieldKeys,
  memberOf,
  setsOfStatus,
  statusSetKey,
  SUSPENDED,
  type IndexFields,
  type StatusSet,
} from './search-index.js';

/** The conditions of a list. An invocation must fulfil all. Times are in ms since 1970. */
export interface InvocationQuery extends IndexFields {
  /** It has one of these statuses. */
  statuses?: readonly Status[];
  /** It ended with an error of this type. */
  errorType?: ErrorType;
  /** It is one of these. Ids of other tenants are absent. */
  ids?: readonly string[];
  /** Accepted at this time or later. */
  from?: number;
  /** Accepted before this time. */
  to?: number;
  /** Ended at this time or later. */
  finishedFrom?: number;
  /** Ended before this time. */
  finishedTo?: number;
  /** Changed at this time or later, by the clock of Redis. The list then has the oldest change first. */
  updatedAfter?: number;
}

/** A source with at most this many invocations is looked at as a whole. */
const SHORT = 2_000;

/** The argument of the scripts; match-invocation.lua describes the fields. */
interface WalkPlan {
  sets: number[];
  members: string[];
  gather: number[];
  active: number[];
  ended: number[];
  all: number[];
  any: number[];
  open?: Record<string, true>;
  jobs: string[];
  lower: string;
  upper: string;
  finished?: readonly [from: number, to: number];
  error?: ErrorType;
  isShort?: true;
}

/** How to find the invocations of a query. */
export interface Walk {
  plan: WalkPlan;
  /** KEYS of the scripts. For a walk in the order of changes, that order is the first. */
  keys: string[];
  /** The index sets among the keys, and the order of changes. */
  indexKeys: string[];
  /** The number of the change at which the walk begins, for a walk in the order of changes. */
  firstChange?: number;
}

/** Where to find the invocations, and how many there are at most. */
interface Source {
  size: number;
  plan: Partial<Pick<WalkPlan, 'members' | 'sets' | 'active' | 'ended'>>;
  /** The index field that the source stands for. */
  field?: string;
  /** The source has invocations of other statuses or tenants. */
  isMixed: boolean;
}

/**
 * Chooses the smallest source of matching invocations. One round trip. Returns undefined if nothing can match.
 * @param after the position after which the walk begins
 */
export async function planWalk(
  queues: Queues,
  tenant: string,
  query: InvocationQuery,
  after?: string,
): Promise<Walk | undefined> {
  const keys = keysOf(queues.redis);
  const finished = finishedOf(query);
  const wanted = wantedOf(query, finished);
  if (wanted.length === 0) return undefined;
  const list = new KeyList();
  const changed = query.updatedAfter === undefined ? undefined : changedKey(keys, tenant);
  // The scripts expect the order of changes as the first key.
  if (changed !== undefined) list.numberOf(changed);
  const choice = { keys, tenant, query, wanted, fields: indexFieldKeys(keys, tenant, query), finished };
  const [source, newer] = await Promise.all([
    chooseSource(queues, list, choice),
    changed === undefined ? 0 : queues.redis.zcount(changed, firstChangeOf(query, after), '+inf'),
  ]);
  const isLong = changed !== undefined && (newer <= source.size || source.size > SHORT);
  const plan = {
    ...sourcesOf(source, { isLong, isByChange: changed !== undefined }),
    ...conditionsOf(list, choice, isLong ? undefined : source),
  };
  const indexKeys = list.keys.filter((key) => key.startsWith(keys.index('', '').slice(0, -1)));
  return {
    plan,
    keys: list.keys,
    indexKeys: [...new Set([...indexKeys, changedKey(keys, tenant)])],
    ...(changed !== undefined && { firstChange: firstChangeOf(query) }),
  };
}

/** The number of the change at which a walk begins. */
function firstChangeOf({ updatedAfter = 0 }: InvocationQuery, after?: string): number {
  return after === undefined ? updatedAfter * 1_000 : Number(after.split(':', 1)[0]);
}

type SourcePlan = Pick<WalkPlan, 'sets' | 'members' | 'gather' | 'active' | 'ended' | 'isShort'>;

/** A long walk in the order of changes has no other source. A short one looks at a whole source. */
function sourcesOf(source: Source, walk: { isLong: boolean; isByChange: boolean }): SourcePlan {
  const none: SourcePlan = { sets: [], members: [], gather: [], active: [], ended: [] };
  if (walk.isLong) return none;
  const { sets = [], ...short } = source.plan;
  return walk.isByChange ? { ...none, ...short, gather: sets, isShort: true } : { ...none, ...short, sets };
}

/** The conditions that the source does not fulfil by itself. Without a source, that is all of them. */
function conditionsOf(
  list: KeyList,
  { keys, tenant, query, wanted, fields, finished }: Choice,
  source: Source | undefined,
): Omit<WalkPlan, keyof SourcePlan> {
  const isLimited = query.statuses !== undefined || finished !== undefined || query.errorType !== undefined;
  const needsStatus = source?.isMixed || (isLimited && (!source || source.field !== undefined));
  const statusSets = needsStatus ? [...new Set(wanted.flatMap(setsOfStatus))] : [];
  return {
    all: list.numbersOf(fields.filter((key) => key !== source?.field)),
    any: list.numbersOf(statusSets.map((set) => statusSetKey(keys, tenant, set))),
    ...openOf(wanted),
    jobs: QUEUE_NAMES.map((queue) => keys.job(queue, '')),
    lower: query.from === undefined ? '-' : `[${timePrefix(query.from)}`,
    upper: query.to === undefined ? '+' : `(${timePrefix(query.to)}`,
    ...(finished && { finished }),
    ...(query.errorType && { error: query.errorType }),
  };
}

/** What a source is chosen for. */
interface Choice {
  keys: Keys;
  tenant: string;
  query: InvocationQuery;
  wanted: readonly Status[];
  fields: readonly string[];
  finished: WalkPlan['finished'];
}

async function chooseSource({ redis }: Queues, list: KeyList, choice: Choice): Promise<Source> {
  const { keys, tenant, query, wanted, fields, finished } = choice;
  if (query.ids) {
    const members = [...new Set(query.ids)].map(memberOf);
    return { size: members.length, plan: { members }, isMixed: true };
  }
  const { statusSets, lists } = statusSource(keys, tenant, wanted);
  const ended = finished
    ? QUEUE_NAMES.flatMap((queue) => [keys.ended(queue, 'completed'), keys.ended(queue, 'failed')])
    : [];
  const [fieldSizes, statusSizes, endedSizes] = await Promise.all([
    Promise.all(fields.map((key) => redis.zcard(key))),
    Promise.all(statusSets.map((key) => redis.zcard(key))),
    Promise.all(ended.map((key) => redis.zcount(key, finished?.[0] ?? 0, finished?.[1] ?? 0))),
  ]);
  const byStatus = {
    size: sum(statusSizes),
    plan: { sets: list.numbersOf(statusSets), active: list.numbersOf(lists) },
    isMixed: lists.length > 0,
  };
  const sources: Source[] = [byStatus];
  for (const [n, field] of fields.entries())
    sources.push({ size: fieldSizes[n] ?? 0, plan: { sets: [list.numberOf(field)] }, field, isMixed: false });
  if (finished && sum(endedSizes) <= SHORT)
    sources.push({ size: sum(endedSizes), plan: { ended: list.numbersOf(ended) }, isMixed: true });
  return sources.reduce((best, source) => (source.size < best.size ? source : best));
}

/**
 * Status sets with all invocations of these statuses. Running invocations that were never suspended are in the short lists of active jobs,
 * so that the long sets of waiting ones are not walked for them.
 */
function statusSource(
  keys: Keys,
  tenant: string,
  wanted: readonly Status[],
): { statusSets: string[]; lists: string[] } {
  const isShort = wanted.includes('running') && !wanted.includes('queued');
  const sets = wanted.flatMap((status): readonly StatusSet[] =>
    isShort && status === 'running' ? [SUSPENDED] : setsOfStatus(status),
  );
  return {
    statusSets: [...new Set(sets)].map((set) => statusSetKey(keys, tenant, set)),
    lists: isShort ? QUEUE_NAMES.map((queue) => keys.set(queue, 'active')) : [],
  };
}

/** An open status is only known from the job, unless all open statuses are wanted. */
function openOf(wanted: readonly Status[]): Pick<WalkPlan, 'open'> {
  const open = wanted.filter((status) => !isFinal(status));
  const all = STATUSES.filter((status) => !isFinal(status));
  if (open.length === 0 || open.length === all.length) return {};
  return { open: Object.fromEntries(open.map((status) => [status, true as const])) };
}

/** The statuses that a match can have: only an ended invocation has a time of its end, and only a failed or cancelled one an error. */
function wantedOf({ statuses = STATUSES, errorType }: InvocationQuery, finished: WalkPlan['finished']): Status[] {
  const withError = errorType === 'CancelledError' ? 'cancelled' : 'failed';
  return statuses.filter(
    (status) => (!finished || isFinal(status)) && (errorType === undefined || status === withError),
  );
}

function finishedOf({ finishedFrom, finishedTo }: InvocationQuery): WalkPlan['finished'] {
  if (finishedFrom === undefined && finishedTo === undefined) return undefined;
  return [finishedFrom ?? 0, finishedTo === undefined ? Number.MAX_SAFE_INTEGER : finishedTo - 1];
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
