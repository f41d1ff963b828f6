// Creates ended invocations without running them: copies one ended invocation inside Redis.
import { createRequire } from 'node:module';
import { setTimeout } from 'node:timers/promises';

const require = createRequire(import.meta.url);
const { Redis } = require('ioredis');
const { keys } = require('../dist/libs/queue/src/redis/names.js');
const { changedKey, indexKeysOf, memberOf, statusSetKey } = require('../dist/libs/queue/src/state/search-index.js');

const AT_ONCE = 5_000;
const DIGITS = 8;

/**
 * KEYS: 1 the job, 2 its events, 3 BullMQ's set of completed jobs, 4 the order of changes, 5 and following: the index sets with the job.
 * ARGV: 1 the prefix of the ids, 2 the first number, 3 the last number, 4 how many characters of an id are not in the index, 5 the job's id.
 */
const COPY = `
local ended = redis.call('HGET', KEYS[1], 'finishedOn')
local function named(key, id) return string.sub(key, 1, -#ARGV[5] - 1) .. id end
for n = ARGV[2], ARGV[3] do
  local id = ARGV[1] .. string.format('%0${DIGITS}d', n)
  redis.call('COPY', KEYS[1], named(KEYS[1], id))
  redis.call('COPY', KEYS[2], named(KEYS[2], id))
  redis.call('ZADD', KEYS[3], ended, id)
  redis.call('ZADD', KEYS[4], ended * 1000 + n, string.sub(id, ARGV[4] + 1))
  for set = 5, #KEYS do redis.call('ZADD', KEYS[set], 0, string.sub(id, ARGV[4] + 1)) end
end`;

/** Copies the ended invocation `id` of the queue `invocations` until there are `count` of them. */
export async function fillHistory(redisUrl, id, count) {
  const redis = new Redis(redisUrl);
  const job = keys.job('invocations', id);
  const record = JSON.parse(await redis.hget(job, 'data'));
  const completed = `${keys.job('invocations', 'completed')}`;
  const sets = [statusSetKey(keys, record.tenant, 'succeeded'), ...indexKeysOf(keys, record)];
  const all = [job, keys.events(id), completed, changedKey(keys, record.tenant), ...sets];
  const begin = id.slice(0, -DIGITS);
  for (let from = 0; from < count; from += AT_ONCE) {
    const last = Math.min(from + AT_ONCE, count) - 1;
    await redis.eval(COPY, all.length, ...all, begin, from, last, id.length - memberOf(id).length, id);
  }
  // Redis rewrites its file after such growth. The rewrite ends before the measurement, because it is no cost of a long history.
  await redis.bgrewriteaof();
  while (/aof_rewrite_(?:in_progress|scheduled):1/.test(await redis.info('persistence'))) await setTimeout(100);
  redis.disconnect();
}
