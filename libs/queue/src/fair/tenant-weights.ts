import type { Redis } from 'ioredis';
import { keysOf } from '../redis/names.js';

/** The bounds of a weight. A tenant without one has the weight 1. */
export const WEIGHT_BOUNDS = { least: 0.01, most: 1_000 } as const;

/** The weight of a tenant. One command. */
export async function readWeight({ redis }: { redis: Redis }, tenant: string): Promise<number> {
  const keys = keysOf(redis);
  return Number((await redis.hget(keys.tenantWeights, tenant)) ?? 1);
}

/** Stores the weight of a tenant. It holds from the next start of a job on, also for waiting jobs. */
export async function setWeight({ redis }: { redis: Redis }, tenant: string, weight: number): Promise<void> {
  const keys = keysOf(redis);
  if (weight === 1) await redis.hdel(keys.tenantWeights, tenant);
  else await redis.hset(keys.tenantWeights, tenant, weight);
}
