import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';

type Argument = string | number | Buffer;

/** A Lua script: what it does is one step for Redis. It is sent whole once to each Redis, and named by its digest from then on. */
export class LuaScript<Reply> {
  private readonly sha1: string;

  constructor(private readonly text: string) {
    this.sha1 = createHash('sha1').update(text).digest('hex');
  }

  async run(redis: Redis, keys: readonly string[], args: readonly Argument[]): Promise<Reply> {
    try {
      return (await redis.evalsha(this.sha1, keys.length, ...keys, ...args)) as Reply;
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
      return (await redis.eval(this.text, keys.length, ...keys, ...args)) as Reply;
    }
  }
}

/**
 * A whole script as a function of another one, which gives it its KEYS and ARGV and gets what it returns: so scripts of BullMQ's and
 * ours are one step, and one command.
 */
export function asFunction({ name, content }: { name: string; content: string }): string {
  return `local function ${name}(KEYS, ARGV)\n${content}\nend\n`;
}
