import type { Redis } from 'ioredis';
import { keysOf } from '../redis/names.js';

/** The bounds of a weight. A tenant without one has the weight 1. */
export const WEIGHT_BOUNDS = { least: 0.01, most: 1_000 } as const;

/** The stored weights by tenant, as text. */
export type Weights = ReadonlyMap<string, string>;

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

/** The weights of all tenants whose weight is not 1. One command. */
export async function readWeights({ redis }: { redis: Redis }): Promise<Weights> {
  return new Map(Object.entries(await redis.hgetall(keysOf(redis).tenantWeights)));
}

/** Gives a keyspace the weights of another one. It writes only those that differ. */
export async function copyWeights({ redis }: { redis: Redis }, weights: Weights): Promise<void> {
  const key = keysOf(redis).tenantWeights;
  const known = await readWeights({ redis });
  const changed = [...weights].filter(([tenant, weight]) => known.get(tenant) !== weight);
  const removed = [...known.keys()].filter((tenant) => !weights.has(tenant));
  if (changed.length > 0) await redis.hset(key, new Map(changed));
  if (removed.length > 0) await redis.hdel(key, ...removed);
}
