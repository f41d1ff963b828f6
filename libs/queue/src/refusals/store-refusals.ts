import { join } from 'node:path';
import { timeOfInvocationId, timePrefix, type Refusal } from '@errand/contracts';
import type { Queues } from '../redis/connect.js';
import { loadScript } from '../redis/lua-script.js';
import { keysOf } from '../redis/names.js';
import { groupByTenant } from './group-by-tenant.js';

const STORE = loadScript<null>(join(__dirname, 'store-refusals.lua'));

/** The bytes that the refusals of a tenant may take. */
const MOST_BYTES = 64 * 1_048_576;
/** A reader reads whole batches, so these are bounded. A larger refusal is a batch of its own. */
const MOST_IN_BATCH = 50;
const BATCH_BYTES = 65_536;
/** The most time between the first and the last refusal of a batch, in ms. Readers find a refusal in the batches of so much time behind it. */
export const BATCH_SPAN_MS = 1_000;
/** Names come from models and can have any length. */
const LONGEST_NAME = 200;
const MOST_NAMES = 20;

/** How many refusals of a tenant are kept, and for how many seconds. */
export interface RefusalBounds {
  count: number;
  ageSeconds: number;
}

/** A parameter that a submission got wrong. */
export interface WrongParameter {
  toolId: string;
  parameter: string;
  /** The kind of the error. */
  kind: string;
}

/** What a list needs to know about a refusal without reading it. */
export interface RefusalHead {
  id: string;
  code: string;
  toolIds: string[];
  agent: string | null;
  session: string | null;
  parameters: WrongParameter[];
}

/** A refusal, and the parameters that it got wrong. */
export interface NewRefusal {
  tenant: string;
  refusal: Omit<Refusal, 'recoveredBy'>;
  parameters: readonly WrongParameter[];
}

/** A refusal as it is stored. It waits as two texts, because the many objects of its errors would be moved by each garbage collection. */
export interface WrittenRefusal {
  tenant: string;
  id: string;
  /** JSON that begins with the id. */
  head: string;
  refusal: string;
}

/**
 * Stores refusals in batches, and removes the oldest beyond the bounds. A batch costs Redis hardly more than one refusal would. Refusals
 * belong to no invocation, so that they are all in the keyspace `{errand}`. One command for each tenant.
 */
export async function storeRefusals(
  { redis }: Queues,
  written: readonly WrittenRefusal[],
  { count, ageSeconds }: RefusalBounds,
): Promise<void> {
  const keys = keysOf(redis);
  const oldest = `ref_${timePrefix(Date.now() - ageSeconds * 1_000)}`;
  const runs = [...groupByTenant(written)].map(([tenant, own]) => {
    const { refusals, refusalTexts, refusalTotals, refusalRecoveries } = keys;
    const names = [refusals, refusalTexts, refusalTotals, refusalRecoveries].map((keyOf) => keyOf(tenant));
    return STORE.run(redis, names, [count, ageSeconds, MOST_BYTES, oldest, ...batchesOf(own).flatMap(writeBatch)]);
  });
  await Promise.all(runs);
}

/** The refusals in batches, newest first in each. */
function batchesOf(written: readonly WrittenRefusal[]): WrittenRefusal[][] {
  const batches: WrittenRefusal[][] = [];
  let begin = 0;
  let bytes = 0;
  for (const one of written.toSorted((a, b) => (a.id < b.id ? 1 : -1))) {
    const last = batches.at(-1);
    const at = timeOfRefusal(one.id);
    const own = one.head.length + one.refusal.length;
    bytes += own;
    if (last && last.length < MOST_IN_BATCH && bytes <= BATCH_BYTES && begin - at <= BATCH_SPAN_MS) {
      last.push(one);
    } else {
      batches.push([one]);
      [begin, bytes] = [at, own];
    }
  }
  return batches;
}

/** The arguments of the script for a batch: the id of its newest refusal, their number, their heads and the refusals, one line for each. */
function writeBatch(batch: readonly WrittenRefusal[]): (string | number)[] {
  const newest = batch[0]?.id ?? '';
  return [newest, batch.length, linesOf(batch, 'head'), linesOf(batch, 'refusal')];
}

function linesOf(batch: readonly WrittenRefusal[], part: 'head' | 'refusal'): string {
  return batch.map((one) => one[part]).join('\n');
}

/** The texts of a refusal. */
export function writeRefusal({ tenant, refusal, parameters }: NewRefusal): WrittenRefusal {
  const { id, code, toolIds, agent, session } = refusal;
  const head: RefusalHead = {
    id,
    code,
    toolIds: toolIds.slice(0, MOST_NAMES).map(shortened),
    agent,
    session,
    parameters: parameters
      .slice(0, MOST_NAMES)
      .map((each) => ({ ...each, toolId: shortened(each.toolId), parameter: shortened(each.parameter) })),
  };
  return { tenant, id, head: JSON.stringify(head), refusal: JSON.stringify(refusal) };
}

/** The time of a refusal in ms. */
export function timeOfRefusal(id: string): number {
  return timeOfInvocationId(id) ?? 0;
}

function shortened(name: string): string {
  return name.slice(0, LONGEST_NAME);
}
