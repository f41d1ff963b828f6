import { join } from 'node:path';
import { timeOfInvocationId, timePrefix, type Refusal } from '@errand/contracts';
import type { Queues } from '../redis/connect.js';
import { loadScript } from '../redis/lua-script.js';
import { keysOf } from '../redis/names.js';
import { groupByTenant } from './group-by-tenant.js';

const STORE = loadScript<null>(join(__dirname, 'store-refusals.lua'));

/** The bytes that the refusals of a tenant may take. */
const MOST_BYTES = 64 * 1_048_576;
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
  /** JSON */
  head: string;
  refusal: string;
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

/**
 * Stores refusals, and removes the oldest beyond the bounds. Refusals belong to no invocation, so that they are all in the keyspace
 * `{errand}`. One command for each tenant.
 */
export async function storeRefusals(
  { redis }: Queues,
  written: readonly WrittenRefusal[],
  { count, ageSeconds }: RefusalBounds,
): Promise<void> {
  const keys = keysOf(redis);
  const now = Date.now();
  const byTenant = groupByTenant(written);
  const runs = [...byTenant].map(([tenant, own]) => {
    const { refusals, refusalTexts, refusalBytes, refusalRecoveries } = keys;
    const names = [refusals, refusalTexts, refusalBytes, refusalRecoveries].map((keyOf) => keyOf(tenant));
    const oldest = `ref_${timePrefix(now - ageSeconds * 1_000)}`;
    const bounds = [count, ageSeconds, MOST_BYTES, oldest];
    return STORE.run(redis, names, [...bounds, ...own.flatMap(({ id, head, refusal }) => [id, head, refusal])]);
  });
  await Promise.all(runs);
}

/** The texts of a refusal. */
export function writeRefusal({ tenant, refusal, parameters }: NewRefusal): WrittenRefusal {
  const { id, code, toolIds, agent, session } = refusal;
  const head = {
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

/** The head in a member of the sorted set: id, number of bytes, JSON. */
export function readHead(member: string): RefusalHead {
  const id = member.slice(0, member.indexOf(' '));
  const json = member.slice(member.indexOf('{'));
  return { id, ...(JSON.parse(json) as Omit<RefusalHead, 'id'>) };
}

/** The time of a refusal in ms. */
export function timeOfRefusal(id: string): number {
  return timeOfInvocationId(id) ?? 0;
}

function shortened(name: string): string {
  return name.slice(0, LONGEST_NAME);
}
