import { createHash } from 'node:crypto';
import type { Status } from '@errand/contracts';
import { PREFIX, QUEUE_NAMES, type WorkQueue } from '../redis/names.js';
import type { InvocationRecord } from './record.js';

/**
 * The index: sorted sets of invocations, all with score 0, so that they lie in the order of their ids, which is that of their time.
 * Each invocation is in one set that says how it stands, and in one for each thing that it can be found by.
 *
 *   waiting:<queue> ─┬────────────► succeeded | failed | cancelled      moved in the step that ends its job
 *   later ───────────┤   ▲
 *                    ▼   │
 *                  parked            stays there until its end, whatever it does after its first park
 */
export type StatusSet = `waiting:${WorkQueue}` | 'later' | 'parked' | EndedStatus;
type EndedStatus = Extract<Status, 'succeeded' | 'failed' | 'cancelled'>;

/** What has not ended: by the queue that it came to, in order of arrival; with a delay or priority; parked once. */
export const OPEN_SETS: readonly StatusSet[] = [
  ...QUEUE_NAMES.map((queue) => `waiting:${queue}` as const),
  'later',
  'parked',
];
const ENDED_SETS: readonly StatusSet[] = ['succeeded', 'failed', 'cancelled'];
export const STATUS_SETS = [...OPEN_SETS, ...ENDED_SETS];

/** Fields of the metadata that invocations can be found by; and the longest text that is looked for. */
const INDEXED_FIELDS = 32;
export const LONGEST_INDEXED = 256;

/** Where the invocations that stand so are to be found, maybe among others. */
export function setsOfStatus(status: Status): readonly StatusSet[] {
  if (status === 'waiting_external') return ['parked'];
  return status === 'queued' || status === 'running' ? OPEN_SETS : [status];
}

/** What an invocation can be found by, beside how it stands and when it came. */
export interface IndexFields {
  toolId?: string | undefined;
  agent?: string | undefined;
  session?: string | undefined;
  metadata?: Readonly<Record<string, string>>;
}

/** The keys of the sets that an invocation with these facets must be in. */
export function indexFieldKeys(tenant: string, { toolId, agent, session, metadata = {} }: IndexFields): string[] {
  const keys: string[] = [];
  const add = (kind: string, ...parts: string[]) => keys.push(indexKey(tenant, indexFieldName(kind, parts)));
  if (toolId !== undefined) add('tool', toolId);
  if (agent !== undefined) add('agent', agent);
  if (session !== undefined) add('session', session);
  for (const [field, value] of Object.entries(metadata)) add('metadata', field, value);
  return keys;
}

/** All facet sets that an invocation is in: one for each of its tools first. */
export function indexKeysOf({ tenant, calls, agent, session, metadata = {} }: InvocationRecord): string[] {
  const fields = Object.entries(metadata)
    .flatMap(([field, value]) => (isIndexed(value) ? [[field, String(value)] as const] : []))
    .slice(0, INDEXED_FIELDS);
  const tools = new Set(calls.map(({ toolId }) => toolId));
  const keys = [...tools].flatMap((toolId) => indexFieldKeys(tenant, { toolId }));
  keys.push(...indexFieldKeys(tenant, { agent, session, metadata: Object.fromEntries(fields) }));
  return keys;
}

export function statusSetKey(tenant: string, set: StatusSet): string {
  return indexKey(tenant, set);
}

/** The sets of one tenant in which an invocation stands that has not ended, or ended. */
export function statusSetKeys(tenant: string): string[] {
  return STATUS_SETS.map((set) => statusSetKey(tenant, set));
}

/** As which an invocation is in those sets: its id without what all ids begin with. */
export function memberOf(id: string): string {
  return id.slice('inv_'.length);
}

export function idOf(member: string): string {
  return `inv_${member}`;
}

function isIndexed(value: unknown): value is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof value) && String(value).length <= LONGEST_INDEXED;
}

/** Parts are told apart whatever they hold; what would make long keys is named by its digest. */
function indexFieldName(kind: string, parts: readonly string[]): string {
  const text = parts.length === 1 ? parts[0]! : JSON.stringify(parts);
  return text.length <= 64 ? `${kind}:${text}` : `${kind}:#${createHash('sha256').update(text).digest('base64url')}`;
}

function indexKey(tenant: string, name: string): string {
  return `${PREFIX}:index:${tenant}:${name}`;
}
