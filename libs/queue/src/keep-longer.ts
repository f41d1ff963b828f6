import type { Redis } from 'ioredis';
import { LuaScript } from './run-lua.js';

/** KEYS: any.  ARGV: 1 seconds.  (`EXPIRE … GT` does the same from Redis 7 on.) */
const KEEP_LONGER = new LuaScript<null>(`
for _, key in ipairs(KEYS) do
  local left = redis.call('TTL', key)
  if left >= 0 and left < tonumber(ARGV[1]) then redis.call('EXPIRE', key, ARGV[1]) end
end`);

/** Sees to it that these keys, as far as they are there, are kept for so long at least. */
export async function keepLonger(redis: Redis, keys: readonly string[], seconds: number): Promise<void> {
  await KEEP_LONGER.run(redis, keys, [seconds]);
}
