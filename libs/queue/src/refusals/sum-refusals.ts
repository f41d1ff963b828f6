import type { RefusalGroup, RefusalSummary } from '@errand/contracts';
import type { Queues } from '../redis/connect.js';
import { keysOf } from '../redis/names.js';
import { countAccepted } from './count-accepted.js';
import { settleRefusals } from './find-recoveries.js';
import type { RefusalHead, WrongParameter } from './store-refusals.js';
import { walkHeads, youngOf, type RefusalQuery } from './walk-heads.js';

/** The most keys of a summary. The others are summed as `other`. */
const MOST_KEYS = 200;
/** Stands for an invocation without an agent, or without a tool. No agent or tool has this id. */
const NONE = '(none)';
/** The field of statistics of everything that was accepted: it has no outcome yet. */
const ALL = 'o:';

/** What is summed: refusals by this key, in a time range in ms. `to` is exclusive. */
interface SummaryQuery extends Pick<RefusalQuery, 'from' | 'to'> {
  by: RefusalGroup;
  /** How long refusals are kept. */
  ageSeconds: number;
}

/** The sums, and the shards that did not answer: accepted calls and recoveries in them are missing. */
interface Sums {
  items: RefusalSummary[];
  missing: string[];
}

/** Counts the kept refusals of a tenant by a key, the most frequent first. */
export async function sumRefusals(
  queues: Queues,
  tenant: string,
  { by, ageSeconds, ...range }: SummaryQuery,
): Promise<Sums> {
  const unsettled = await settleRefusals(queues, tenant, ageSeconds);
  const known = new Set(await queues.redis.hkeys(keysOf(queues.redis).refusalRecoveries(tenant)));
  const sums = new Map<string, RefusalSummary>();
  const young = youngOf(range, ageSeconds);
  for await (const head of walkHeads(queues, tenant, young))
    for (const key of keysOfHead(head, by)) addTo(sums, key, head.id, known.has(head.id));
  const items = withOthers([...sums.values()].toSorted((a, b) => b.refused - a.refused));
  const { accepted, missing } = await countAccepted(
    queues,
    tenant,
    [...new Set(items.map(({ key }) => fieldOf(by, key)))],
    { from: young.from ?? 0, to: Math.min(range.to ?? Infinity, Date.now() + 1) },
  );
  for (const sum of items) sum.accepted = accepted.get(fieldOf(by, sum.key)) ?? 0;
  return { items, missing: [...new Set([...unsettled, ...missing])] };
}

function keysOfHead({ code, toolIds, agent, parameters }: RefusalHead, by: RefusalGroup): string[] {
  if (by === 'code') return [code];
  if (by === 'agent') return [agent ?? NONE];
  const names = by === 'tool' ? toolIds : parameters.map(nameOf);
  return names.length === 0 && by === 'tool' ? [NONE] : [...new Set(names)];
}

/** Escaped as in a JSON Pointer, so that the tool id ends at the last slash. */
function nameOf({ toolId, parameter }: WrongParameter): string {
  return `${toolId}/${parameter.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

function addTo(sums: Map<string, RefusalSummary>, key: string, id: string, isRecovered: boolean): void {
  const sum = sums.get(key) ?? { key, refused: 0, accepted: 0, recovered: 0, sample: id };
  sums.set(key, sum);
  sum.refused += 1;
  if (isRecovered) sum.recovered += 1;
}

/** The field of statistics that counts what was accepted beside a key. */
function fieldOf(by: RefusalGroup, key: string): string {
  if (by === 'code') return ALL;
  if (by === 'agent') return key === NONE ? 'a:' : `a:${key}`;
  return `t:${by === 'tool' ? key : key.slice(0, key.lastIndexOf('/'))}`;
}

function withOthers(sums: RefusalSummary[]): RefusalSummary[] {
  const rest = sums.slice(MOST_KEYS);
  const [newest] = rest;
  if (!newest) return sums;
  const other = { key: 'other', refused: 0, accepted: 0, recovered: 0, sample: newest.sample };
  for (const { refused, recovered } of rest) {
    other.refused += refused;
    other.recovered += recovered;
  }
  return [...sums.slice(0, MOST_KEYS), other];
}
