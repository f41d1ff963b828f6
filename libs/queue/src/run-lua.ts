import { createHash } from 'node:crypto';
import { createIORedisClient, type IRedisClient, type IRedisTransaction } from 'bullmq';
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

/** A Lua script that takes part in a transaction of BullMQ's. `name` is what the connection knows it by. */
export class LuaCommand {
  constructor(
    private readonly name: string,
    private readonly lua: string,
  ) {}

  /** Makes it known to a connection; before a transaction is opened on that. */
  define(redis: Pick<Redis, 'defineCommand'>): void {
    if (!(this.name in redis)) redis.defineCommand(this.name, { lua: this.lua });
  }

  queue(multi: IRedisTransaction, keys: readonly string[], args: readonly (string | number)[]): void {
    multi.runCommand(this.name, [keys.length, ...keys, ...args]);
  }
}

/** A transaction on a connection, as BullMQ takes it. */
export function openTransaction(redis: Redis): IRedisTransaction {
  const client: IRedisClient = createIORedisClient(redis);
  return client.multi();
}
