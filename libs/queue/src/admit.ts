import type { Callback } from '@errand/contracts';
import { Job, type IRedisTransaction, type ParentKeyOpts, type Queue } from 'bullmq';
import type { Queues } from './connect.js';
import { HOLD_KEY, holdArgs, type KeyHold } from './idempotency.js';
import { facetKeysOf, memberOf, standingKey } from './index-sets.js';
import { DELIVERIES, deliveryId, keys, QUEUE_NAMES, type QueueName } from './names.js';
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
 * Runs behind BullMQ's own scripts in the transaction that adds jobs of one queue: puts each into the index or, where the queue is over
 * its bound by it, takes it out again with all that came with it, before anybody can have seen it. A job that was there before is in
 * the index and stays as it is.
 *
 * KEYS: 1 wait, 2 prioritized, 3 delayed, 4 parked, 5 waiting, 6 later, 7 waiting-children of the deliveries, 8 and on: facets of each.
 * ARGV: 1 bound (0: none), 2 what keys of jobs begin with, 3 of deliveries; then of each: id, member, id of its delivery, number of the
 *   key where it waits, how many facets it has.
 * Returns of each whether it was taken (1) or not (0).
 */
const INDEX = new LuaCommand(
  'errand:index',
  `
local each, fresh, facet = {}, 0, 8
for n = 4, #ARGV, 5 do
  local job = { id = ARGV[n], member = ARGV[n + 1], delivery = ARGV[n + 2], waits = tonumber(ARGV[n + 3]), facet = facet }
  facet = facet + ARGV[n + 4]
  job.last = facet - 1
  job.fresh = redis.call('EXISTS', ARGV[2] .. job.id) == 1 and redis.call('ZADD', KEYS[job.facet], 0, job.member) == 1
  if job.fresh then fresh = fresh + 1 end
  each[#each + 1] = job
end
local parked = math.min(redis.call('ZCARD', KEYS[3]), redis.call('ZCARD', KEYS[4]))
local there = redis.call('LLEN', KEYS[1]) + redis.call('ZCARD', KEYS[2]) + redis.call('ZCARD', KEYS[3]) - parked - fresh
local bound = tonumber(ARGV[1])
local taken = {}
for n, job in ipairs(each) do
  taken[n] = 1
  if job.fresh and bound > 0 and there >= bound then
    taken[n] = 0
    redis.call('ZREM', KEYS[job.facet], job.member)
    if job.waits == 1 then redis.call('LREM', KEYS[1], 1, job.id) else redis.call('ZREM', KEYS[job.waits], job.id) end
    redis.call('ZREM', KEYS[7], job.delivery)
    local delivery = ARGV[3] .. job.delivery
    redis.call('DEL', ARGV[2] .. job.id, delivery, delivery .. ':dependencies')
  elseif job.fresh then
    there = there + 1
    redis.call('ZADD', KEYS[job.waits == 1 and 5 or 6], 0, job.member)
    for key = job.facet + 1, job.last do redis.call('ZADD', KEYS[key], 0, job.member) end
  end
end
return taken`,
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
  for (const admission of admissions) add(queues, multi, admission);
  // What is added together is of one tenant.
  const parts = QUEUE_NAMES.map((name) => admissions.filter(({ queue }) => queue === name)).filter(
    ({ length }) => length > 0,
  );
  for (const part of parts) index(queues, multi, part);
  for (const admission of admissions) holdKey(multi, admission);
  const replies = await execute(multi);
  const indexed = replies.filter((reply): reply is number[] => Array.isArray(reply));
  const taken = new Map(parts.flatMap((part, n) => part.map((admission, at) => [admission, indexed[n]![at] === 1])));
  return admissions.map((admission) => (taken.get(admission) ? 'taken' : 'full'));
}

/** Queues on the transaction what BullMQ does for one admission. */
function add(queues: Queues, multi: IRedisTransaction, { queue, job, callback }: Admission): void {
  const { name, data, opts } = job;
  const delivery = callback && deliveryOf(queues, data, opts.jobId, callback);
  if (delivery) queueJob(multi, queues.deliveries, delivery.job, delivery.place);
  const work = new Job(queues.byName[queue], name, data, { ...opts, ...delivery?.owing }, opts.jobId);
  queueJob(multi, queues.byName[queue], work, delivery?.placeOfWork);
}

/** Queues on the transaction what the index does for all admissions to one queue. */
function index({ bound }: Queues, multi: IRedisTransaction, admissions: readonly Admission[]): void {
  const { queue, job } = admissions[0]!;
  const sets = (['parked', `waiting:${queue}`, 'later'] as const).map((set) => standingKey(job.data.tenant, set));
  const facets = admissions.map((admission) => facetKeysOf(admission.job.data));
  const each = admissions.flatMap(({ job: { opts } }, n) => {
    const waitsIn = opts.delay ? KEY_OF.delayed : opts.priority ? KEY_OF.prioritized : KEY_OF.wait;
    return [opts.jobId, memberOf(opts.jobId), deliveryId(opts.jobId, 0), waitsIn, facets[n]!.length];
  });
  INDEX.queue(
    multi,
    [
      ...(['wait', 'prioritized', 'delayed'] as const).map((set) => keys.set(queue, set)),
      ...sets,
      keys.set(DELIVERIES, 'waiting-children'),
      ...facets.flat(),
    ],
    [bound, keys.job(queue, ''), keys.job(DELIVERIES, ''), ...each],
  );
}

/** Which of the script's keys is the set where a job waits. */
const KEY_OF = { wait: 1, prioritized: 2, delayed: 3 };

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
