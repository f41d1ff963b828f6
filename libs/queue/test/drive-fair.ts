import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { loadScript } from '../src/redis/lua-script.js';

const DRIVE = loadScript<string | number | null | string[]>(join(__dirname, 'drive-fair.lua'));
/** The prefix of a queue that no consumer takes jobs of. */
export const DRIVEN = '{errand}:driven:';

/** Calls the Lua functions of admission as the scripts of the product do. */
export class DrivenRing {
  constructor(private readonly redis: Redis) {}

  async put(lane: string, id: string, priority = 0, returns = false): Promise<void> {
    await this.call('put', lane, id, priority, returns ? 1 : 0);
  }

  /** The job that starts next, if one may. */
  async admit(slots = 0, maxShare = 1, now = 0): Promise<string | undefined> {
    const id = await this.call('admit', slots, maxShare, now);
    return id === null ? undefined : String(id);
  }

  /** The next jobs, up to `count`, in the order in which they start. */
  async admitSeveral(count: number): Promise<string[]> {
    const newestFirst = await this.call('admitSeveral', count);
    return Array.isArray(newestFirst) ? newestFirst.toReversed() : [];
  }

  async remove(lane: string, id: string): Promise<void> {
    await this.call('remove', lane, id);
  }

  async end(lane: string, ms: number): Promise<void> {
    await this.call('end', lane, ms);
  }

  async setWeight(tenant: string, weight: number): Promise<void> {
    await this.redis.hset('{errand}:tenant-weights', tenant, weight);
  }

  /** The keys of the ring that are left. */
  keys(): Promise<string[]> {
    return this.redis.keys(`${DRIVEN}fair:*`);
  }

  private call(...args: (string | number)[]): Promise<string | number | null | string[]> {
    return DRIVE.run(this.redis, [DRIVEN], args);
  }
}
