import { createHash } from 'node:crypto';
import type { JsonObject, Status } from '@errand/contracts';
import type { Keys } from '../redis/names.js';
import { QUEUE_NAMES, type WorkQueue } from '../redis/queue-names.js';
import type { InvocationRecord } from './record.js';

/** The stored name of the set of suspended invocations. */
export const SUSPENDED = 'parked';

/**
 * The index consists of sorted sets of invocations. All scores are 0, so that Redis sorts the members by id, and thus by time. Each
 * invocation is in one status set and in one set for each of its index fields. It moves between the status sets:
 *
 *   waiting:<queue> ─┬────────────► succeeded | failed | cancelled      by the script that ends its job
 *   later ───────────┤   ▲
 *                    ▼   │
 *                 SUSPENDED          from its first suspension to its end, also while it runs again
 */
export type StatusSet = `waiting:${WorkQueue}` | 'later' | typeof SUSPENDED | EndedStatus;
type EndedStatus = Extract<Status, 'succeeded' | 'failed' | 'cancelled'>;

/** The sets of open invocations: without delay and priority by queue, with a delay or priority (`later`), and suspended once. */
export const OPEN_SETS: readonly StatusSet[] = [
  ...QUEUE_NAMES.map((queue) => `waiting:${queue}` as const),
  'later',
  SUSPENDED,
];
const ENDED_SETS: readonly StatusSet[] = ['succeeded', 'failed', 'cancelled'];
export const STATUS_SETS = [...OPEN_SETS, ...ENDED_SETS];

/** The highest number of metadata fields in the index. */
const INDEXED_FIELDS = 32;
/** The longest value in the index, in characters. */
export const LONGEST_INDEXED = 256;

/** The status sets that contain all invocations with this status. They can contain others as well. */
export function setsOfStatus(status: Status): readonly StatusSet[] {
  if (status === 'waiting_external') return [SUSPENDED];
  return status === 'queued' || status === 'running' ? OPEN_SETS : [status];
}

/** The fields of a search, besides status and time. */
export interface IndexFields {
  toolId?: string | undefined;
  agent?: string | undefined;
  session?: string | undefined;
  batch?: string | undefined;
  /** The turn whose calls it runs. */
  parent?: string | undefined;
  metadata?: Readonly<Record<string, string>> | undefined;
}

/** The keys of the index sets that contain the invocations with these fields. */
export function indexFieldKeys(
  keys: Keys,
  tenant: string,
  { toolId, agent, session, batch, parent, metadata }: IndexFields,
): string[] {
  const names: string[] = [];
  const add = (kind: string, ...parts: string[]) => names.push(keys.index(tenant, indexFieldName(kind, parts)));
  if (toolId !== undefined) add('tool', toolId);
  if (agent !== undefined) add('agent', agent);
  if (session !== undefined) add('session', session);
  if (batch !== undefined) add('batch', batch);
  if (parent !== undefined) add('parent', parent);
  if (metadata) for (const [field, value] of Object.entries(metadata)) add('metadata', field, value);
  return names;
}

/** The keys of all index sets of an invocation: first one for each of its tools, then the others. */
export function indexKeysOf(keys: Keys, record: InvocationRecord): string[] {
  const { tenant, calls, agent, session, batch, parentTurn, metadata } = record;
  const parent = parentTurn?.invocationId;
  const others = { agent, session, batch, parent, metadata: metadata && indexedFields(metadata) };
  const [only, ...more] = calls;
  if (only && more.length === 0) return indexFieldKeys(keys, tenant, { toolId: only.toolId, ...others });
  const tools = new Set(calls.map(({ toolId }) => toolId));
  const names = [...tools].flatMap((toolId) => indexFieldKeys(keys, tenant, { toolId }));
  names.push(...indexFieldKeys(keys, tenant, others));
  return names;
}

/** The fields of metadata that are in the index, as texts. */
function indexedFields(metadata: JsonObject): Record<string, string> {
  const fields = Object.entries(metadata).flatMap(([field, value]) =>
    isIndexed(value) ? [[field, String(value)] as const] : [],
  );
  return Object.fromEntries(fields.slice(0, INDEXED_FIELDS));
}

export function statusSetKey(keys: Keys, tenant: string, set: StatusSet): string {
  return keys.index(tenant, set);
}

/** The keys of all status sets of a tenant. */
export function statusSetKeys(keys: Keys, tenant: string): string[] {
  return STATUS_SETS.map((set) => statusSetKey(keys, tenant, set));
}

/**
 * The key of the order of changes: all invocations of a tenant, scored by the number of their last change. The script that changes the
 * status of an invocation gives it a new number, which is higher than all others.
 */
export function changedKey(keys: Keys, tenant: string): string {
  return keys.index(tenant, 'changed');
}

/** The member of the index sets for an invocation: its id without the common prefix. */
export function memberOf(id: string): string {
  return id.slice('inv_'.length);
}

export function idOf(member: string): string {
  return `inv_${member}`;
}

function isIndexed(value: unknown): value is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof value) && String(value).length <= LONGEST_INDEXED;
}

/** The JSON of several parts is unambiguous. A digest replaces a long text, to keep the keys short. */
function indexFieldName(kind: string, parts: readonly string[]): string {
  const [first = '', ...others] = parts;
  const text = others.length === 0 ? first : JSON.stringify(parts);
  return text.length <= 64 ? `${kind}:${text}` : `${kind}:#${createHash('sha256').update(text).digest('base64url')}`;
}
