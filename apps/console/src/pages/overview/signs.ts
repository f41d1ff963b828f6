import type { InboxItem, JobInHand, RefusalSummary, ShownProcess, Stats } from '@errand/contracts';
import { formatCount } from '../../parts/format.js';
import type { CutResult, RepeatedEffect } from './found-signs.js';
import type { Finds } from './recent-finds.js';

/** What may be wrong, although nobody has to act at once. */
export interface Sign {
  name: 'lost' | 'overdue' | 'due' | 'failed' | 'refused' | 'long' | 'open' | 'repeated' | 'cut';
  count: number;
  /** There are more than `count`. */
  isMore?: boolean;
  /** Behind the count. */
  text: string;
  /** A tool or an error type, as somebody has named it. */
  what?: string;
  /** Absent if each of the links leads to one of what is counted. */
  path?: string;
  links?: readonly SignLink[];
  tone: 'waiting' | 'bad';
}

/** A link of a sign to one of what it counts. */
export interface SignLink {
  text: string;
  path: string;
}

/** A page of the list of invocations. */
interface OpenInvocations {
  /** `waiting`: the question that an invocation asks. */
  items: readonly { id: string; waiting?: unknown }[];
  /** There are more, which were accepted earlier. */
  nextCursor: string | null;
}

/** What the signs are read from. An absent part has none. */
export interface SignSources {
  /** Their jobs are those of the tenant shown. */
  processes?: readonly ShownProcess[] | undefined;
  inbox?: readonly InboxItem[] | undefined;
  failed?: Stats | undefined;
  /** The summary by tool. */
  refused?: readonly RefusalSummary[] | undefined;
  /** The open invocations that were accepted more than `OPEN_MS` ago, newest first. */
  open?: OpenInvocations | undefined;
  repeated?: Finds<RepeatedEffect> | undefined;
  cut?: Finds<CutResult> | undefined;
}

/** An invocation that is open for so long and runs nowhere is named, in ms. */
export const OPEN_MS = 5 * 60_000;
/** An invocation that runs for so long is named, in ms. */
const LONG_MS = 60_000;
/** A question whose deadline is so near is due soon, in ms. */
const SOON_MS = 5 * 60_000;
/** These errors mean that something was too slow or died: they are always named. */
const GRAVE: ReadonlySet<string> = new Set(['TimeoutError', 'LostError']);
/** The most error types, tools, effects and results that are named. */
const MOST_NAMED = 3;

/** The signs, the worst first. */
export function signsOf(sources: SignSources, now: number): Sign[] {
  const { processes, inbox = [], failed, refused = [], open, repeated, cut } = sources;
  return [
    ...lostOf(processes ?? []),
    ...overdueOf(inbox, now),
    ...dueOf(inbox, now),
    ...failedOf(failed),
    ...refusedOf(refused),
    ...longOf(processes ?? [], now),
    ...(processes && open ? openOf(open, processes, inbox, now) : []),
    ...repeatedOf(repeated),
    ...cutOf(cut),
  ];
}

function lostOf(processes: readonly ShownProcess[]): Sign[] {
  const lost = processes.filter(({ state }) => state === 'lost');
  return ['worker', 'runner', 'api'].flatMap((kind) => {
    const count = lost.filter((process) => process.kind === kind).length;
    const name = kind === 'runner' ? 'script-runner' : kind === 'api' ? 'API' : kind;
    const text = count === 1 ? `${name} was lost in the last hour` : `${name}s were lost in the last hour`;
    return count === 0 ? [] : [{ name: 'lost', count, text, path: '/console/processes?state=lost', tone: 'bad' }];
  });
}

function overdueOf(inbox: readonly InboxItem[], now: number): Sign[] {
  const count = inbox.filter(({ until }) => until !== null && Date.parse(until) < now).length;
  const text = count === 1 ? 'answer is overdue' : 'answers are overdue';
  return count === 0 ? [] : [{ name: 'overdue', count, text, path: '/console/inbox', tone: 'bad' }];
}

function dueOf(inbox: readonly InboxItem[], now: number): Sign[] {
  const isNear = (until: number) => until >= now && until < now + SOON_MS;
  const count = inbox.filter(({ until }) => until !== null && isNear(Date.parse(until))).length;
  const text = `${count === 1 ? 'question is' : 'questions are'} due soon: in less than 5 minutes`;
  return count === 0 ? [] : [{ name: 'due', count, text, path: '/console/inbox', tone: 'waiting' }];
}

function failedOf(stats: Stats | undefined): Sign[] {
  const counts = (stats?.series ?? [])
    .map(({ labels: { errorType }, points }) => ({
      type: errorType ?? '',
      count: points.reduce((sum, [, value]) => sum + value, 0),
    }))
    .filter(({ type, count }) => count > 0 && type !== '' && type !== 'CancelledError')
    .toSorted((a, b) => b.count - a.count);
  const isNamed = (type: string, rank: number) => rank < MOST_NAMED || GRAVE.has(type);
  const more = counts.filter(({ type }, rank) => !isNamed(type, rank)).length;
  const named = counts.filter(({ type }, rank) => isNamed(type, rank));
  return [...named.map(failureOf), ...moreFailuresOf(more)];
}

function failureOf({ type, count }: { type: string; count: number }): Sign {
  return {
    name: 'failed',
    count,
    text: `${count === 1 ? 'failure' : 'failures'} in the last hour:`,
    what: type,
    path: `/console/invocations?${new URLSearchParams({ status: 'failed', errorType: type })}`,
    tone: GRAVE.has(type) ? 'bad' : 'waiting',
  };
}

function moreFailuresOf(count: number): Sign[] {
  const text = `more ${count === 1 ? 'type' : 'types'} of errors in the last hour`;
  return count === 0
    ? []
    : [{ name: 'failed', count, text, path: '/console/invocations?status=failed', tone: 'waiting' }];
}

function refusedOf(sums: readonly RefusalSummary[]): Sign[] {
  return sums
    .filter(({ key }) => key !== 'other' && key !== '(none)')
    .slice(0, MOST_NAMED)
    .map(({ key, refused }) => ({
      name: 'refused',
      count: refused,
      text: `refused ${refused === 1 ? 'call' : 'calls'} in the last hour:`,
      what: key,
      path: `/console/refusals?${new URLSearchParams({ toolId: key })}`,
      tone: 'waiting',
    }));
}

/** A single invocation leads to its page, several to their list. */
function longOf(processes: readonly ShownProcess[], now: number): Sign[] {
  const ages = new Map<string, JobInHand>();
  for (const job of livingJobsOf(processes)) if (now - Date.parse(job.since) > LONG_MS) ages.set(job.invocationId, job);
  const [longest] = [...ages.values()].toSorted((a, b) => Date.parse(a.since) - Date.parse(b.since));
  if (!longest) return [];
  const count = ages.size;
  const text =
    count === 1 ? 'invocation has run for over a minute:' : 'invocations have run for over a minute, the longest:';
  const path =
    count === 1
      ? `/console/invocations/${encodeURIComponent(longest.invocationId)}`
      : listPathOf('running', now - LONG_MS);
  return [{ name: 'long', count, text, what: longest.toolId ?? 'several tools', path, tone: 'waiting' }];
}

/** Invocations without a slot and without a question: they wait for a time, a child or another server, or they hang. */
function openOf(
  { items, nextCursor }: OpenInvocations,
  processes: readonly ShownProcess[],
  inbox: readonly InboxItem[],
  now: number,
): Sign[] {
  const busy = new Set([...livingJobsOf(processes), ...inbox].map(({ invocationId }) => invocationId));
  const still = items.filter(({ id, waiting }) => !busy.has(id) && (waiting ?? null) === null);
  const count = still.length;
  if (count === 0) return [];
  const text = `${count === 1 ? 'invocation is' : 'invocations are'} open for over 5 minutes, and no process runs ${count === 1 ? 'it' : 'them'}`;
  if (nextCursor === null && count <= MOST_NAMED)
    return [{ name: 'open', count, text: `${text}:`, links: still.map(linkOf), tone: 'waiting' }];
  const path = listPathOf('running,waiting_external', now - OPEN_MS);
  return [{ name: 'open', count, isMore: nextCursor !== null, text, path, tone: 'waiting' }];
}

function livingJobsOf(processes: readonly ShownProcess[]): JobInHand[] {
  return processes.flatMap(({ inHand, state }) => (state === 'lost' ? [] : inHand));
}

/** The list of the invocations that were accepted before a time, in whole minutes: the link stays the same for a while. */
function listPathOf(status: string, before: number): string {
  const to = new Date(Math.floor(before / 60_000) * 60_000).toISOString();
  return `/console/invocations?${new URLSearchParams({ status, to })}`;
}

function repeatedOf(finds: Finds<RepeatedEffect> | undefined): Sign[] {
  if (!finds || finds.items.length === 0) return [];
  const count = finds.items.length;
  const text = `${count === 1 ? 'effect' : 'effects'} ${amongOf(finds)} ${count === 1 ? 'was' : 'were'} asked for again:`;
  const links = finds.items.slice(0, MOST_NAMED).map(({ session, toolId }) => ({
    text: toolId,
    path: `/console/effects?${new URLSearchParams({ session, toolId })}`,
  }));
  return [{ name: 'repeated', count, text, links, tone: 'waiting' }];
}

function cutOf(finds: Finds<CutResult> | undefined): Sign[] {
  if (!finds || finds.items.length === 0) return [];
  const count = finds.items.length;
  const text = `${count === 1 ? 'result' : 'results'} ${amongOf(finds)} ${count === 1 ? 'was' : 'were'} cut short for the model:`;
  return [{ name: 'cut', count, text, links: finds.items.slice(0, MOST_NAMED).map(linkOf), tone: 'waiting' }];
}

/** How far one has looked. */
function amongOf({ looked }: Finds<unknown>): string {
  return `among the newest ${formatCount(looked)}`;
}

/** The time is the same in all new ids, so that their ends tell them apart. */
function linkOf({ id }: { id: string }): SignLink {
  return { text: `…${id.slice(-6)}`, path: `/console/invocations/${encodeURIComponent(id)}` };
}
