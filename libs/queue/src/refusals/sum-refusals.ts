import type { RefusalGroup, RefusalSummary } from '@errand/contracts';
import type { Queues } from '../redis/connect.js';
import { keysOf } from '../redis/names.js';
import { walkHeads, type RefusalQuery } from './list-refusals.js';
import { BASE_MS, baseField, NONE } from './note-accepted.js';
import type { RefusalHead, WrongParameter } from './store-refusals.js';

/** The most keys of a summary. The others are summed as `other`. */
const MOST_KEYS = 200;

/** The time range of a summary, in ms. `to` is exclusive. */
type Range = Pick<RefusalQuery, 'from' | 'to'>;

/**
 * Counts the kept refusals of a tenant by a key, the most frequent first. The accepted calls beside them are counted in whole hours.
 * @param ageSeconds how long refusals are kept
 */
export async function sumRefusals(
  queues: Queues,
  tenant: string,
  by: RefusalGroup,
  range: Range,
  ageSeconds: number,
): Promise<RefusalSummary[]> {
  const recovered = await queues.redis.hkeys(keysOf(queues.redis).refusalRecoveries(tenant));
  const known = new Set(recovered);
  const sums = new Map<string, RefusalSummary>();
  for await (const head of walkHeads(queues, tenant, range))
    for (const key of keysOfHead(head, by)) addTo(sums, key, head.id, known.has(head.id));
  const accepted = await readAccepted(queues, tenant, range, ageSeconds);
  for (const sum of sums.values()) sum.accepted = acceptedFor(accepted, by, sum.key);
  return withOthers([...sums.values()].toSorted((a, b) => b.refused - a.refused));
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

/** The counts of accepted calls by field. */
async function readAccepted(
  { redis }: Queues,
  tenant: string,
  { from = 0, to = Infinity }: Range,
  ageSeconds: number,
): Promise<Map<string, number>> {
  const keys = keysOf(redis);
  const now = Date.now();
  const first = Math.floor(Math.max(from, now - ageSeconds * 1_000) / BASE_MS);
  const last = Math.floor(Math.min(to - 1, now) / BASE_MS);
  const pipeline = redis.pipeline();
  for (let hour = first; hour <= last; hour++) pipeline.hgetall(keys.refusalBase(tenant, hour));
  const counts = new Map<string, number>();
  for (const [error, hash] of (await pipeline.exec()) ?? []) {
    if (error) throw error;
    for (const [field, count] of Object.entries(hash as Record<string, string>))
      counts.set(field, (counts.get(field) ?? 0) + Number(count));
  }
  return counts;
}

function acceptedFor(accepted: ReadonlyMap<string, number>, by: RefusalGroup, key: string): number {
  if (by === 'code') return accepted.get(baseField('all')) ?? 0;
  if (by === 'agent') return accepted.get(baseField('agent', key)) ?? 0;
  const toolId = by === 'tool' ? key : key.slice(0, key.lastIndexOf('/'));
  return accepted.get(baseField('tool', toolId)) ?? 0;
}

function withOthers(sums: RefusalSummary[]): RefusalSummary[] {
  const rest = sums.slice(MOST_KEYS);
  const [newest] = rest;
  if (!newest) return sums;
  const other = { key: 'other', refused: 0, accepted: 0, recovered: 0, sample: newest.sample };
  for (const { refused, accepted, recovered } of rest) {
    other.refused += refused;
    other.accepted += accepted;
    other.recovered += recovered;
  }
  return [...sums.slice(0, MOST_KEYS), other];
}
