import { timeOfInvocationId, timePrefix } from '@errand/contracts';
import type { Queues } from '../redis/connect.js';
import { keysOf } from '../redis/names.js';
import { BATCH_SPAN_MS, type RefusalHead } from './store-refusals.js';

/** How many batches of heads one command reads. */
const CHUNK = 100;
/** An id begins with `ref_` and ten characters of time. The last character of the alphabet fills what is missing. */
const LATEST = 'z'.repeat(10);
const TIME_END = 14;

/** Which refusals are sought. Times in ms. */
export interface RefusalQuery {
  code?: string | undefined;
  toolId?: string | undefined;
  agent?: string | undefined;
  session?: string | undefined;
  from?: number | undefined;
  /** Exclusive. */
  to?: number | undefined;
}

/** The query without refusals that are too old. They are removed together with the next one that is stored. */
export function youngOf(query: RefusalQuery, ageSeconds: number): RefusalQuery {
  return { ...query, from: Math.max(query.from ?? 0, Date.now() - ageSeconds * 1_000) };
}

/** The head of a refusal that is kept, and where the refusal is. */
export interface KeptHead extends RefusalHead {
  /** The id of the newest refusal of its batch. */
  batch: string;
  /** Its line in the batch. The batch only loses its last lines. */
  line: number;
}

/**
 * The heads of the refusals that a query finds, newest first.
 * @param before only those whose ids are before this text, which begins like an id
 */
export async function* walkHeads(
  queues: Queues,
  tenant: string,
  query: RefusalQuery,
  before = 'ref_~',
): AsyncGenerator<KeptHead> {
  const lowest = query.from === undefined ? 'ref_' : `ref_${timePrefix(query.from)}`;
  const end = query.to === undefined ? before : `ref_${timePrefix(query.to)}`;
  const highest = before < end ? before : end;
  const select = { query, lowest, highest };
  // Batches of several processes overlap: a head waits until no later batch can have a newer one.
  let waiting: KeptHead[] = [];
  for await (const member of walkBatches(queues, tenant, select)) {
    const batch = batchOf(member);
    while (waiting[0] && waiting[0].id > batch) yield waiting.shift()!;
    waiting = [...waiting, ...headsIn(member, batch, select)].toSorted((a, b) => (a.id < b.id ? 1 : -1));
  }
  yield* waiting;
}

/** Which heads are sought: those from `lowest` on whose ids are before `highest`. */
interface Selection {
  query: RefusalQuery;
  lowest: string;
  highest: string;
}

/** The batches that can have such heads, by their newest refusals, newest first. */
async function* walkBatches({ redis }: Queues, tenant: string, { lowest, highest }: Selection): AsyncGenerator<string> {
  const key = keysOf(redis).refusals(tenant);
  let end = latestBatch(highest);
  for (;;) {
    const members = await redis.zrevrangebylex(key, end, `[${lowest}`, 'LIMIT', 0, CHUNK);
    yield* members;
    const last = members.at(-1);
    if (last === undefined || members.length < CHUNK) return;
    end = `(${batchOf(last)} `;
  }
}

/** The id of the newest refusal of a batch. */
function batchOf(member: string): string {
  return member.slice(0, member.indexOf(' '));
}

/** The end of the batches that can have an id before this text. */
function latestBatch(highest: string): string {
  const id = `${highest.replace('~', '')}${LATEST}`.slice(0, TIME_END);
  if (id.endsWith(LATEST)) return '+';
  const time = timeOfInvocationId(id);
  return time === undefined ? '-' : `(ref_${timePrefix(time + BATCH_SPAN_MS + 1)}`;
}

function headsIn(member: string, batch: string, { query, lowest, highest }: Selection): KeptHead[] {
  // Most heads are left out by this before they are read.
  const written = query.session === undefined ? '' : JSON.stringify(query.session);
  if (!member.includes(written)) return [];
  const [, ...lines] = member.split('\n');
  return lines.flatMap((text, line) => {
    if (!text.includes(written)) return [];
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only `storeRefusals` writes heads
    const head = JSON.parse(text) as RefusalHead;
    return head.id >= lowest && head.id < highest && matches(head, query) ? [{ ...head, batch, line }] : [];
  });
}

function matches(head: RefusalHead, { code, toolId, agent, session }: RefusalQuery): boolean {
  return (
    (code === undefined || head.code === code) &&
    (toolId === undefined || head.toolIds.includes(toolId)) &&
    (agent === undefined || head.agent === agent) &&
    (session === undefined || head.session === session)
  );
}
