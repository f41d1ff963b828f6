import type { Callback } from '@errand/contracts';
import { Job, type IRedisTransaction, type ParentKeyOpts, type Queue } from 'bullmq';
import type { Queues } from './connect.js';
import { HOLD_KEY, holdArgs, type KeyHold } from './idempotency.js';
import { facetKeysOf, memberOf, standingKey, type StandingSet } from './index-sets.js';
import { DELIVERIES, deliveryId, keys, type QueueName } from './names.js';
import { deliveryOf, type InvocationJob } from './owe-delivery.js';
import { LuaCommand, openTransaction } from './run-lua.js';

/** An invocation at the door of its queue. */
export interface Admission {
  queue: QueueName;
  job: InvocationJob;
  /** Whom to tell of its end. */
  callback?: Callback;
  /** The key under which it was asked for. */
  hold?: KeyHold;
}

/** `full`: the queue has its bound, and holds nothing of this one. */
export type Admitted = 'taken' | 'full';

/**
 * Runs right behind BullMQ's own script in the transaction that adds a job: puts it into the index or, where its queue is over its
 * bound by it, takes it out again with all that came with it, before anybody can have seen it. A job that was there before is in the
 * index and stays as it is.
 *
 * KEYS: 1 job, 2 the set where it waits, 3 wait, 4 prioritized, 5 delayed, 6 parked, 7 standing, 8 waiting-children of the deliveries,
 *   9 delivery, 10 its dependencies, 11 and on: facets.
 * ARGV: 1 id, 2 member, 3 bound (0: none), 4 the delivery's id.
 */
const INDEX = new LuaCommand(
  'errand:index',
  `
if redis.call('EXISTS', KEYS[1]) == 0 then return 'missing' end
if redis.call('ZADD', KEYS[11], 0, ARGV[2]) == 0 then return 'taken' end
local parked = math.min(redis.call('ZCARD', KEYS[5]), redis.call('ZCARD', KEYS[6]))
local ahead = redis.call('LLEN', KEYS[3]) + redis.call('ZCARD', KEYS[4]) + redis.call('ZCARD', KEYS[5]) - parked
local bound = tonumber(ARGV[3])
if bound > 0 and ahead > bound then
  redis.call('ZREM', KEYS[11], ARGV[2])
  if KEYS[2] == KEYS[3] then redis.call('LREM', KEYS[2], 1, ARGV[1]) else redis.call('ZREM', KEYS[2], ARGV[1]) end
  redis.call('ZREM', KEYS[8], ARGV[4])
  redis.call('DEL', KEYS[1], KEYS[9], KEYS[10])
  return 'full'
end
redis.call('ZADD', KEYS[7], 0, ARGV[2])
for n = 12, #KEYS do redis.call('ZADD', KEYS[n], 0, ARGV[2]) end
return 'taken'`,
);

/** How many are admitted in one transaction: other commands pass between two. */
const AT_ONCE = 100;

/**
 * Enqueues invocations with their deliveries and index entries: each is there with all of it, or not at all. All in one round trip;
 * a job whose id is there already stays as it is. The bound of a queue holds exactly, whoever else submits at the same time.
 * @throws what Redis says where it takes nothing
 */
export async function admit(queues: Queues, admissions: readonly Admission[]): Promise<Admitted[]> {
  await Promise.all([...Object.values(queues.byName), queues.deliveries].map((queue) => queue.getBackend().client));
  const sent: Promise<Admitted[]>[] = [];
  for (let from = 0; from < admissions.length; from += AT_ONCE)
    sent.push(admitTogether(queues, admissions.slice(from, from + AT_ONCE)));
  return (await Promise.all(sent)).flat();
}

async function admitTogether(queues: Queues, admissions: readonly Admission[]): Promise<Admitted[]> {
  INDEX.define(queues.redis);
  HOLD_KEY.define(queues.redis);
  const multi = openTransaction(queues.redis);
  const last = admissions.map((admission) => add(queues, multi, admission));
  for (const admission of admissions) holdKey(multi, admission);
  const replies = await execute(multi);
  let next = 0;
  return last.map((commands) => {
    const own = replies.slice(next, (next += commands));
    return own.at(-1) as Admitted;
  });
}

/** Queues what one admission takes on the transaction; returns how many commands that are. */
function add(queues: Queues, multi: IRedisTransaction, { queue, job, callback }: Admission): number {
  const { name, data, opts } = job;
  const delivery = callback && deliveryOf(queues, data, opts.jobId, callback);
  if (delivery) queueJob(multi, queues.deliveries, delivery.job, delivery.place);
  const work = new Job(queues.byName[queue], name, data, { ...opts, ...delivery?.owing }, opts.jobId);
  queueJob(multi, queues.byName[queue], work, delivery?.placeOfWork);
  INDEX.queue(multi, indexKeysOf(queue, job), [
    opts.jobId,
    memberOf(opts.jobId),
    queues.bound,
    deliveryId(opts.jobId, 0),
  ]);
  return delivery ? 3 : 2;
}

/** Behind the index, which knows whether the job has come to stay. */
function holdKey(multi: IRedisTransaction, { queue, job: { data, opts }, hold }: Admission): void {
  if (!hold) return;
  const { jobId } = opts;
  HOLD_KEY.queue(multi, [keys.idempotency(data.tenant, hold.digest), keys.job(queue, jobId)], holdArgs(jobId, hold));
}

/** What a queue's `add` does, as a part of a transaction: BullMQ offers it for flows, whose jobs are added together. */
function queueJob(multi: IRedisTransaction, queue: Queue, job: Job, place: ParentKeyOpts = {}): void {
  const { jobData, jobId, parentKeyOpts } = job.toFlowEntry(place);
  void queue.getBackend().addJobToTransaction(multi, jobData, jobId, parentKeyOpts);
}

function indexKeysOf(queue: QueueName, { data, opts: { jobId, delay, priority } }: InvocationJob): string[] {
  const inSet = (set: StandingSet) => standingKey(data.tenant, set);
  const waitsIn = delay ? 'delayed' : priority ? 'prioritized' : 'wait';
  const delivery = keys.job(DELIVERIES, deliveryId(jobId, 0));
  return [
    keys.job(queue, jobId),
    ...([waitsIn, 'wait', 'prioritized', 'delayed'] as const).map((set) => keys.set(queue, set)),
    inSet('parked'),
    inSet(delay || priority ? 'later' : `waiting:${queue}`),
    keys.set(DELIVERIES, 'waiting-children'),
    delivery,
    `${delivery}:dependencies`,
    ...facetKeysOf(data),
  ];
}

/** @throws the first error of any command: BullMQ's scripts write nothing where they fail, nor does ours behind them */
async function execute(multi: IRedisTransaction): Promise<unknown[]> {
  const replies = await multi.exec().catch((error: Error & { previousErrors?: Error[] }) => {
    throw error.previousErrors?.[0] ?? error;
  });
  return (replies ?? []).map(([error, reply]: [Error | null, unknown]) => {
    if (error) throw error;
    if (typeof reply === 'number' && reply < 0) throw new Error(`BullMQ took the job for none: ${reply}`);
    return reply;
  });
}
