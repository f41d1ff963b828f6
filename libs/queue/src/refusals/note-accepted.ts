import { join } from 'node:path';
import { timePrefix } from '@errand/contracts';
import type { Queues } from '../redis/connect.js';
import { loadScript } from '../redis/lua-script.js';
import { keysOf } from '../redis/names.js';
import { groupByTenant } from './group-by-tenant.js';
import { openField, periodOf, RECOVERY_MS } from './store-refusals.js';

const NOTE = loadScript<number>(join(__dirname, 'note-accepted.lua'));

/** The length of the periods in which accepted calls are counted. */
export const BASE_MS = 3_600_000;
/** Stands for an invocation without an agent. No agent has this id. */
export const NONE = '(none)';

/** The calls of an accepted invocation. */
export interface AcceptedCalls {
  id: string;
  tenant: string;
  agent?: string | undefined;
  session?: string | undefined;
  toolIds: readonly string[];
  /** The time of acceptance in ms. */
  at: number;
  /** How many invocations with equal calls it stands for; 1 by default. With a session, each is noted by itself. */
  times?: number;
}

/**
 * Counts accepted calls by tool and agent, and finds the refusals from which their sessions have recovered. One command for each tenant;
 * while no refusal is open, it does not grow with the number of invocations.
 * @returns the number of recoveries
 */
export async function noteAccepted(
  { redis }: Queues,
  accepted: readonly AcceptedCalls[],
  ageSeconds: number,
): Promise<number> {
  const keys = keysOf(redis);
  const now = Date.now();
  const period = periodOf(now);
  const byTenant = groupByTenant(accepted);
  const runs = [...byTenant].map(async ([tenant, own]) => {
    const base = keys.refusalBase(tenant, Math.floor(now / BASE_MS));
    const open = [keys.refusalsOpen(tenant, period), keys.refusalsOpen(tenant, period - 1)];
    // Digests of thousands of sessions are only worth their time if there is something to recover from.
    const isOpen = (await redis.exists(...open)) > 0;
    const recoveries = (isOpen ? own : []).flatMap(({ id, session, toolIds, at }) =>
      session === undefined
        ? []
        : [...new Set(toolIds)].flatMap((toolId) => [
            openField(session, toolId),
            id,
            `ref_${timePrefix(at - RECOVERY_MS)}`,
            `ref_${timePrefix(at + 1)}`,
          ]),
    );
    const given = [ageSeconds, keys.refusal(tenant, ''), JSON.stringify([...countsOf(own)]), ...recoveries];
    return NOTE.run(redis, [base, keys.refusalRecoveries(tenant), ...open], given);
  });
  return (await Promise.all(runs)).reduce((sum, found) => sum + found, 0);
}

/** The field of a count of accepted calls. */
export function baseField(kind: 'tool' | 'agent' | 'all', name = ''): string {
  return `${kind}:${name}`;
}

function countsOf(accepted: readonly AcceptedCalls[]): Map<string, number> {
  const counts = new Map<string, number>();
  const add = (field: string, n: number) => counts.set(field, (counts.get(field) ?? 0) + n);
  for (const { agent = NONE, toolIds, times = 1 } of accepted) {
    for (const toolId of toolIds) add(baseField('tool', toolId), times);
    add(baseField('agent', agent), toolIds.length * times);
    add(baseField('all'), toolIds.length * times);
  }
  return counts;
}
