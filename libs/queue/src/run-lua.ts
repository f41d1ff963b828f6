import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';

/** A Lua script: what it does is one step for Redis. It is sent whole once to each Redis, and named by its digest from then on. */
export class LuaScript<Reply> {
  private readonly sha1: string;

  constructor(private readonly text: string) {
    this.sha1 = createHash('sha1').update(text).digest('hex');
  }

  async run(redis: Redis, keys: readonly string[], args: readonly (string | number)[]): Promise<Reply> {
    try {
      return (await redis.evalsha(this.sha1, keys.length, ...keys, ...args)) as Reply;
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
      return (await redis.eval(this.text, keys.length, ...keys, ...args)) as Reply;
    }
  }
}
