import type { Waiting } from '@errand/contracts';
import type { Fields } from '../consume/journal.js';
import type { Keys } from '../redis/names.js';
import { idOf, memberOf } from '../state/search-index.js';

/** The most waits of one invocation in the index. The others follow when these have their answers. */
const MOST_WAITS = 100;
/** The digits of a deadline in ms. A wait without a deadline has the highest number, so that it is last. */
const DIGITS = 15;
const NEVER = '9'.repeat(DIGITS);

/** A wait of a step or node for an answer, as the state of its invocation has it. */
export interface AskedWait {
  /** The field of the state: `<step>`, or `<step>/<node>`. */
  stateField: string;
  /** The field of the answer: `<step>`, or `<step>/<key>`. */
  answerField: string;
  step: number;
  nodeId?: string;
  /** When it asked (ISO 8601). */
  askedAt?: string;
  waiting: Waiting;
}

/** The key of the index of waits of a tenant: a sorted set of members, which sort by deadline. */
export function waitIndexKey(keys: Keys, tenant: string): string {
  return keys.index(tenant, 'inbox');
}

/** The wait in a field of a state; undefined if it has none. A wait of a turn for its calls, which have a wait of their own, is none. */
export function waitIn(stateField: string, text: string | null | undefined): AskedWait | undefined {
  const [, step] = /^(\d+)(?:\/|$)/.exec(stateField) ?? [];
  if (step === undefined || !text?.includes('"waiting":')) return undefined;
  const { waiting, nodeId, startedAt } = JSON.parse(text) as { waiting?: Waiting; nodeId?: string; startedAt?: string };
  if (waiting?.for !== 'answer' || waiting.invocationId !== undefined) return undefined;
  return {
    stateField,
    answerField: waiting.key === undefined ? step : `${step}/${waiting.key}`,
    step: Number(step),
    ...(nodeId !== undefined && { nodeId }),
    ...(typeof startedAt === 'string' && { askedAt: startedAt }),
    waiting,
  };
}

/** What a suspended job stores about its waits, for `wait-index.lua`. Empty if it has none. */
export function waitsOf(keys: Keys, { id, tenant }: { id: string; tenant: string }, state: Fields): string {
  const waits = [...state].flatMap(([field, text]) => waitIn(field, text) ?? []);
  const first = waits
    .map((wait) => ({ field: wait.answerField, member: waitMember(id, wait) }))
    .toSorted((a, b) => (a.member < b.member ? -1 : 1))
    .slice(0, MOST_WAITS);
  if (first.length === 0) return '';
  return JSON.stringify({
    index: waitIndexKey(keys, tenant),
    fields: first.map(({ field }) => field),
    members: first.map(({ member }) => member),
  });
}

/** The member of the index for a wait: deadline, invocation and field of its state. */
function waitMember(id: string, { waiting: { until }, stateField }: AskedWait): string {
  const ms = until === null ? NaN : Date.parse(until);
  const deadline = Number.isNaN(ms) ? NEVER : String(Math.max(0, ms)).padStart(DIGITS, '0');
  return `${deadline}:${memberOf(id)}:${stateField}`;
}

/** The invocation and the field of its state that a member names. Undefined for any other text. */
export function readWaitMember(member: string): { id: string; stateField: string } | undefined {
  const [, id, stateField] = /^\d{15}:(\w+):(\d+(?:\/.*)?)$/s.exec(member) ?? [];
  return id === undefined || stateField === undefined ? undefined : { id: idOf(id), stateField };
}
