import { join } from 'node:path';
import type { RedisQueueBackend } from 'bullmq';
import type { Redis } from 'ioredis';
import { JOBS_WAIT } from '../bullmq/layout.js';
import { loadScript } from '../redis/lua-script.js';
import { FIELD } from '../redis/job-fields.js';
import { emptyRing } from './fair-commands.js';
import { DEFAULT_LANE } from './lane.js';

const LIST = loadScript<string[]>(join(__dirname, 'list-ring.lua'));
/** The most jobs that a list without an end has. */
const MAX_LISTED = 10_000;

/**
 * Lets the methods of BullMQ's `Queue` know the jobs in lanes: counts and lists show them as `waiting`, `drain` and `obliterate` remove them,
 * and `resume` wakes a consumer for them. Their order in a list is that of their lanes, so roughly that in which they start.
 * @param prefix of the queue's keys
 */
export function showRing(backend: RedisQueueBackend, prefix: string): void {
  const redisOf = async () => (await backend.client) as unknown as Redis;
  showCounts(backend, redisOf, prefix);
  const drain = backend.drain.bind(backend);
  backend.drain = async (delayed) => {
    await emptyRing(await redisOf(), prefix);
    await drain(delayed);
  };
  const obliterate = backend.obliterate.bind(backend);
  backend.obliterate = async (options) => {
    await emptyRing(await redisOf(), prefix);
    return obliterate(options);
  };
  const pause = backend.pause.bind(backend);
  backend.pause = async (isPause) => {
    await pause(isPause);
    if (!isPause) await (await redisOf()).zadd(`${prefix}marker`, JOBS_WAIT.score, JOBS_WAIT.member);
  };
}

function showCounts(backend: RedisQueueBackend, redisOf: () => Promise<Redis>, prefix: string): void {
  const getCounts = backend.getCounts.bind(backend);
  backend.getCounts = async (types, until) => {
    const counts = await getCounts(types, until);
    const at = types.findIndex(isWaiting);
    if (at < 0) return counts;
    const inLanes = await countInLanes(await redisOf(), prefix);
    return counts.map((count, n) => (n === at ? count + inLanes : count));
  };
  const getJobs = backend.getJobs.bind(backend);
  backend.getJobs = async (types, start = 0, end = -1, asc = false) => {
    const found = await getJobs(types, start, end, asc);
    const at = [...new Set(types.map((type) => (isWaiting(type) ? 'wait' : type)))].indexOf('wait');
    if (at < 0) return found;
    const redis = await redisOf();
    const before = await redis.llen(`${prefix}wait`);
    const count = end < 0 ? MAX_LISTED : end + 1 - Math.max(start, before);
    const ids = count > 0 ? await LIST.run(redis, [prefix], [Math.max(0, start - before), count]) : [];
    found[at]?.push(...ids.map((id): (typeof found)[number][number] => [id, []]));
    return found;
  };
  const getState = backend.getState.bind(backend);
  backend.getState = async (id) => {
    const state = await getState(id);
    if (state !== 'unknown') return state;
    const redis = await redisOf();
    const lane = (await redis.hget(prefix + id, FIELD.lane)) ?? DEFAULT_LANE;
    return (await redis.zscore(`${prefix}fair:lane:${lane}`, id)) === null ? state : 'waiting';
  };
}

/** The number of waiting jobs in all lanes. */
export async function countInLanes(redis: Redis, prefix: string): Promise<number> {
  const [put, left] = await redis.mget(`${prefix}fair:put`, `${prefix}fair:left`);
  return Math.max(0, Number(put ?? 0) - Number(left ?? 0));
}

function isWaiting(type: string): boolean {
  return type === 'wait' || type === 'waiting';
}
