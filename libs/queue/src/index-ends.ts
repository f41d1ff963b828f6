import { createRedisBackend, type BackendFactory, type IRedisClient, type RedisQueueBackend } from 'bullmq';
import { RELEASE_ARGS, RELEASE_KEY } from './idempotency.js';
import { memberOf, OPEN_SETS, standingKey } from './index-sets.js';
import { FIELD, keys, type QueueName } from './names.js';
import { bucketOf, KEEP_BUCKET_SECONDS, KEEP_RUNS_SECONDS, REMEMBERED_RUNS } from './pace.js';
import type { InvocationRecord } from './record.js';
import { LuaCommand } from './run-lua.js';
import { WAKE_AT_END, wakeArgs, wakeKeys } from './wake-waiters.js';

/**
 * Runs right behind BullMQ's own script in the transaction that ends a job: moves its invocation to the set of how it ended, and
 * remembers how long it took. Where that script refused, the job has not ended, and nothing is done.
 *
 * KEYS: 1 job, 2 ends of its queue in this bucket, 3 runs of what it calls, 4 succeeded, 5 failed, 6 cancelled, 7 and on: open sets.
 * ARGV: 1 member ('': it is in no index), 2 seconds to keep the bucket, 3 runs to remember, 4 seconds to keep them.
 */
const INDEX_END = new LuaCommand(
  'errand:index-end',
  `
local ended, started, said = unpack(redis.call('HMGET', KEYS[1], 'finishedOn', 'processedOn', 'failedReason'))
if not ended then return end
redis.call('INCR', KEYS[2])
redis.call('EXPIRE', KEYS[2], ARGV[2])
local set = KEYS[5]
if redis.call('HEXISTS', KEYS[1], '${FIELD.cancel}') == 1 then set = KEYS[6]
elseif redis.call('HEXISTS', KEYS[1], 'returnvalue') == 1 then
  set = KEYS[4]
  redis.call('LPUSH', KEYS[3], ended - (started or ended))
  redis.call('LTRIM', KEYS[3], 0, ARGV[3] - 1)
  redis.call('EXPIRE', KEYS[3], ARGV[4])
elseif said and string.find(said, '^{"type":"CancelledError"') then set = KEYS[6] end
if ARGV[1] == '' then return end
for n = 7, #KEYS do redis.call('ZREM', KEYS[n], ARGV[1]) end
redis.call('ZADD', set, 0, ARGV[1])`,
);

interface EndingJob {
  id?: string;
  name: string;
  data: unknown;
}

/**
 * BullMQ's backend for Redis, with the index: the script that ends a job runs in one transaction with ours. Both ways to an end lead
 * through `moveToFinished`, which knows only the id: the job of it is remembered meanwhile.
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
    const job = command === 'moveToFinished' ? ending.get(String(args[FINISHED_ID])) : undefined;
    return job
      ? endTogether(client, queue as QueueName, job, (multi) => run(multi, command, args))
      : run(client, command, args);
  };
  return backend;
};

/** Where BullMQ's script that ends a job takes its id: behind 14 keys. */
const FINISHED_ID = 14;

async function endTogether(
  client: IRedisClient,
  queue: QueueName,
  job: EndingJob,
  queueEnd: (multi: ReturnType<IRedisClient['multi']>) => void,
): Promise<unknown> {
  INDEX_END.define(client);
  WAKE_AT_END.define(client);
  RELEASE_KEY.define(client);
  const multi = client.multi();
  queueEnd(multi);
  const { tenant, parent, idempotency } = job.data as InvocationRecord;
  const ended = (['succeeded', 'failed', 'cancelled'] as const).map((set) => standingKey(tenant, set));
  const open = OPEN_SETS.map((set) => standingKey(tenant, set));
  INDEX_END.queue(
    multi,
    [keys.job(queue, job.id!), keys.ends(queue, bucketOf(Date.now())), keys.runs(job.name), ...ended, ...open],
    [parent ? '' : memberOf(job.id!), KEEP_BUCKET_SECONDS, REMEMBERED_RUNS, KEEP_RUNS_SECONDS],
  );
  if (!parent) {
    WAKE_AT_END.queue(multi, [...wakeKeys(job.id!), keys.job(queue, job.id!)], wakeArgs());
    if (idempotency !== undefined)
      RELEASE_KEY.queue(multi, [keys.idempotency(tenant, idempotency), keys.job(queue, job.id!)], RELEASE_ARGS);
  }
  const replies = (await multi.exec()) ?? [];
  for (const [error] of replies) if (error) throw error;
  return replies[0]![1];
}
