import { createHash } from 'node:crypto';

/** Whether a priority orders the jobs of its tenant, or those of all tenants. */
export type PriorityScope = 'tenant' | 'global';

/** The lane of a job without a field: tenant `default`, without a key. */
export const DEFAULT_LANE = '0:default:';

/** A longer key is stored as its digest. */
const MAX_KEY = 64;

/** What decides between which jobs the slots of a queue are shared. */
export interface LaneOwner {
  tenant: string;
  agent?: string;
  /** Takes the place of the agent. */
  fairnessKey?: string;
}

/**
 * The name of the lane in which a job waits: `level:tenant:key`. The jobs of a lane start by priority, then in order. Lanes of a level share
 * the slots; a lower level goes first.
 */
export function laneOf({ tenant, agent = '', fairnessKey = agent }: LaneOwner, level = 0): string {
  const key = fairnessKey.length > MAX_KEY ? createHash('sha1').update(fairnessKey).digest('hex') : fairnessKey;
  return `${level}:${tenant}:${key}`;
}

/** The level of a job with this priority. */
export function levelOf(priority: number, scope: PriorityScope): number {
  return scope === 'global' ? priority : 0;
}
