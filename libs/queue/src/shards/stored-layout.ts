import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { loadScript } from '../redis/lua-script.js';
import { keysOf } from '../redis/names.js';
import { openConnection } from '../redis/primary-redis.js';
import { changedLayout, ONE_SHARD, parseLayout, recordedCount, type ShardLayout } from './shard-layout.js';

const AGREE = loadScript<string | null>(join(__dirname, 'agree-on-layout.lua'));
const CHANGE = loadScript<0 | 1>(join(__dirname, 'change-layout.lua'));

/** A new number of shards begins so long after its record, in ms. Every running process has read it by then. */
export const NOTICE_MS = 10_000;

/** `hint` says that the message is enough for people and the stack is not needed. */
class ShardCountError extends Error {
  readonly hint = true;
}

/** The recorded layout. One command. */
export async function readLayout(redis: Redis): Promise<ShardLayout> {
  const text = await redis.get(keysOf(redis).shardLayout);
  return text === null ? ONE_SHARD : parseLayout(text);
}

/**
 * The layout that a process works with: the recorded one. A Redis that has never had work gets the wanted one.
 * @param wanted ERRAND_SHARDS; undefined for any number
 * @param replyMs ERRAND_REDIS_REPLY_MS
 * @throws ShardCountError if another number is recorded
 */
export async function agreeOnLayout(url: string, wanted: number | undefined, replyMs?: number): Promise<ShardLayout> {
  const redis = openConnection(url, 'commands', undefined, replyMs);
  try {
    const { shardLayout, changeClock } = keysOf(redis);
    const first = wanted === undefined ? '' : JSON.stringify([{ count: wanted, since: 0 }]);
    const text = await AGREE.run(redis, [shardLayout, changeClock], [first]);
    const layout = text === null ? ONE_SHARD : parseLayout(text);
    const recorded = recordedCount(layout);
    if (wanted === undefined || wanted === recorded) return layout;
    throw new ShardCountError(
      `ERRAND_SHARDS is ${wanted}, but this Redis has ${recorded === 1 ? 'one shard' : `${recorded} shards`}. ` +
        `Unset it, set it to ${recorded}, or run \`./errand shards ${wanted}\` once to change the number`,
    );
  } finally {
    redis.disconnect();
  }
}

/**
 * Records another number of shards, which begins NOTICE_MS later, and notifies all processes. The same number changes nothing and notifies them
 * again.
 * @throws Error if another process changed the layout meanwhile
 */
export async function recordShardCount(redis: Redis, count: number): Promise<ShardLayout> {
  const key = keysOf(redis).shardLayout;
  const text = (await redis.get(key)) ?? '';
  const layout = text === '' ? ONE_SHARD : parseLayout(text);
  const [seconds, microseconds] = await redis.time();
  const changed = changedLayout(layout, count, Number(seconds) * 1_000 + Number(microseconds) / 1_000 + NOTICE_MS);
  const next = changed === layout ? text : JSON.stringify(changed);
  if ((await CHANGE.run(redis, [key], [text, next])) === 1) return changed;
  throw new Error('Another process has just changed the number of shards; look at it, and repeat the command');
}
