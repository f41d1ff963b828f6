import type { BackendFactory, RedisQueueBackend } from 'bullmq';
import type { Redis } from 'ioredis';
import { keys, type WorkQueue } from './names.js';
import { LuaScript } from './run-lua.js';

/** So long after its start Redis has heard from all that live: they try to reach it once a second. */
const RETURN_MS = 2_000;

/**
 * Extends the locks of jobs, as BullMQ's script does, and takes anew what lapsed while Redis was away: a job that is still among the
 * active ones, with nobody's lock, has been given to nobody else.
 *
 * KEYS: 1 active, 2 stalled.  ARGV: 1 what keys of jobs begin with, 2 ms; then of each job: id, token.
 * Returns the ids of those that others have.
 */
const HOLD = new LuaScript<string[]>(`
local lost = {}
for n = 3, #ARGV, 2 do
  local id, token = ARGV[n], ARGV[n + 1]
  local lock = ARGV[1] .. id .. ':lock'
  local holder = redis.call('GET', lock)
  if holder == token or (not holder and redis.call('LPOS', KEYS[1], id)) then
    redis.call('SET', lock, token, 'PX', ARGV[2])
    redis.call('SREM', KEYS[2], id)
  else
    lost[#lost + 1] = id
  end
end
return lost`);

/**
 * BullMQ's backend of a worker to whom a Redis that goes away is not its own death: what it has in hand stays its own when Redis is
 * back, however long that took, and its end is stored. Nobody takes jobs from others before those have had time to come back.
 * @param redis the worker's connection
 */
export function keepLocks(
  redis: Redis,
  lockMs: number,
  inner: BackendFactory<RedisQueueBackend>,
): BackendFactory<RedisQueueBackend> {
  return (queue, options, connections) => {
    const backend = inner(queue, options, connections);
    const name = queue as WorkQueue;
    const sets = [keys.set(name, 'active'), keys.set(name, 'stalled')];
    /** From when on every lock is sure to stand. */
    let sureFrom = 0;
    redis.on('close', () => (sureFrom = Infinity));
    redis.on('ready', () => (sureFrom = sureFrom === 0 ? 0 : Date.now() + lockMs));

    const hold = (ids: string[], tokens: string[], ms: number) => {
      const jobs = ids.flatMap((id, n) => [id, tokens[n]!]);
      return HOLD.run(redis, sets, [keys.job(name, ''), ms, ...jobs]);
    };
    const held = async (id: string, token: string) => {
      if (Date.now() < sureFrom) await hold([id], [token], lockMs);
    };
    backend.extendLocks = hold;

    const complete = backend.moveToCompleted.bind(backend);
    backend.moveToCompleted = async (...args) => held(args[0].id!, args[3]).then(() => complete(...args));
    const fail = backend.moveToFailed.bind(backend);
    backend.moveToFailed = async (...args) => held(args[0].id!, args[3]).then(() => fail(...args));

    const takeFromTheDead = backend.moveStalledJobsToWait.bind(backend);
    backend.moveStalledJobsToWait = async () => {
      const canTell = redis.status === 'ready' && (await upMs(redis)) > lockMs + RETURN_MS;
      return canTell ? takeFromTheDead() : [];
    };
    return backend;
  };
}

/** How long Redis has been up. */
async function upMs(redis: Redis): Promise<number> {
  const [, seconds] = /uptime_in_seconds:(\d+)/.exec(await redis.info('server')) ?? [];
  return Number(seconds) * 1_000;
}
