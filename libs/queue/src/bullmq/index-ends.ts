import { createRedisBackend, type BackendFactory, type IRedisClient, type RedisQueueBackend } from 'bullmq';
import { moveToFinished } from 'bullmq/dist/cjs/scripts/index.js';
import type { Redis } from 'ioredis';
import { AFTER_END_SECONDS } from '../enqueue/idempotency.js';
import { memberOf, OPEN_SETS, standingKey, type StandingSet } from '../state/search-index.js';
import { ENDED, FIELD, keys, type QueueName } from '../redis/names.js';
import { REMEMBER } from '../state/throughput.js';
import type { InvocationRecord } from '../state/record.js';
import { asFunction, LuaScript } from '../redis/lua-script.js';
import { WAKE, wakeArgs, wakeKeys } from '../suspend/waiters.js';

/** How many KEYS and ARGV BullMQ's script takes; ours come behind them. */
const BULL_KEYS = moveToFinished.keys;
const BULL_ARGS = 9;

/**
 * Ends a job by BullMQ's own script and, in the same step, remembers how long it took, moves its invocation to the set of how it
 * ended, wakes those who wait for it, lets the key under which it was asked for lapse in a day, and tells that it has ended. Where
 * BullMQ's script refused, it has not, and nothing is done.
 *
 * KEYS: BullMQ's, of which 12 is the job, then: 1 runs of its queue, 2 runs of what it calls, 3 succeeded, 4 failed,
 *   5 cancelled, 6 waiters, 7 and 8 delayed ones and the marker of the waiters' queue, 9 to 12 open sets, 13 its key, if it has one.
 * ARGV: BullMQ's, then: 1 member ('': it is in no index), 2 now (ms), 3 what the waiters' jobs are named by.
 * Returns what BullMQ's script does.
 */
const END = new LuaScript<unknown>(`
${asFunction(moveToFinished)}
${WAKE}
${REMEMBER}
local reply = moveToFinished(KEYS, ARGV)
if type(reply) == 'number' and reply < 0 then return reply end
local function key(n) return KEYS[${BULL_KEYS} + n] end
local job, member = KEYS[12], ARGV[${BULL_ARGS} + 1]
local ended, started, wished = unpack(redis.call('HMGET', job, 'finishedOn', 'processedOn', '${FIELD.cancel}'))
if started then remember(key(1), ended - started) end
local set = key(4)
if wished then set = key(5)
elseif redis.call('HEXISTS', job, 'returnvalue') == 1 then
  set = key(3)
  remember(key(2), ended - (started or ended))
elseif string.find(redis.call('HGET', job, 'failedReason') or '', '^{"type":"CancelledError"') then set = key(5) end
wake(key(6), key(7), key(8), tonumber(ARGV[${BULL_ARGS} + 2]), ARGV[${BULL_ARGS} + 3])
redis.call('PUBLISH', '${keys.news}', '${ENDED}' .. ARGV[1])
if member == '' then return reply end
for n = 9, 12 do
  if redis.call('ZREM', key(n), member) == 1 then break end
end
redis.call('ZADD', set, 0, member)
if key(13) then redis.call('EXPIRE', key(13), ${AFTER_END_SECONDS}) end
return reply`);

interface EndingJob {
  id?: string;
  name: string;
  data: unknown;
}

/**
 * BullMQ's backend for Redis, with the index: the script that ends a job is one step with what else its end brings about. Both ways to
 * an end lead through `moveToFinished`, which knows only the id: the job of it is remembered meanwhile.
 */
export const indexEnds: BackendFactory<RedisQueueBackend> = (queue, options, connections) => {
  const backend = createRedisBackend(queue, options, connections);
  const ending = new Map<string, EndingJob>();
  const whileEnding =
    <Args extends [EndingJob, ...unknown[]], Result>(move: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      ending.set(args[0].id!, args[0]);
      return move(...args).finally(() => ending.delete(args[0].id!));
    };
  backend.moveToCompleted = whileEnding(backend.moveToCompleted.bind(backend));
  backend.moveToFailed = whileEnding(backend.moveToFailed.bind(backend));
  const run = backend.execCommand.bind(backend);
  backend.execCommand = (client: IRedisClient, command: string, args: unknown[]) => {
    // Its id is the first argument.
    const job = command === moveToFinished.name ? ending.get(String(args[BULL_KEYS])) : undefined;
    return job ? end(client, queue as QueueName, job, args) : run(client, command, args);
  };
  return backend;
};

/** @param bulls what BullMQ gives to its script: an argument may be undefined, which is sent as an empty one */
function end(client: IRedisClient, queue: QueueName, job: EndingJob, bulls: readonly unknown[]): Promise<unknown> {
  const { id = '', name } = job;
  const { tenant, parent, idempotency } = job.data as InvocationRecord;
  // It stands in one open set, most often in that of its queue.
  const open = [`waiting:${queue}` as const, ...OPEN_SETS.filter((set) => set !== `waiting:${queue}`)];
  const named = (some: readonly StandingSet[]) => some.map((set) => standingKey(tenant, set));
  return END.run(
    client as unknown as Redis,
    [
      ...(bulls.slice(0, BULL_KEYS) as string[]),
      keys.runs(queue),
      keys.runs(name),
      ...named(['succeeded', 'failed', 'cancelled']),
      ...wakeKeys(id),
      ...named(open),
      ...(idempotency === undefined ? [] : [keys.idempotency(tenant, idempotency)]),
    ],
    [...bulls.slice(BULL_KEYS).map((arg) => (arg ?? '') as string), parent ? '' : memberOf(id), ...wakeArgs()],
  );
}
