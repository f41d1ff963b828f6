import { join } from 'node:path';
import { createRedisBackend, type BackendFactory, type IRedisClient, RedisQueueBackend } from 'bullmq';
import { moveStalledJobsToWait, moveToFinished } from 'bullmq/dist/cjs/scripts/index.js';
import type { Redis } from 'ioredis';
import { BlockingWait } from '../redis/blocking-wait.js';
import { loadScript, scriptOf, type LuaScript } from '../redis/lua-script.js';
import { keysOf } from '../redis/names.js';
import type { QueueName, WorkQueue } from '../redis/queue-names.js';
import type { PrimaryRedis } from '../redis/primary-redis.js';
import type { InvocationRecord } from '../state/record.js';
import { notedOf, NOTHING_NOTED } from '../stats/noted-record.js';
import { changedKey, memberOf, OPEN_SETS, statusSetKey, type StatusSet } from '../state/search-index.js';
import { waiterArgs, waiterKeys } from '../suspend/waiters.js';
import { scriptWithEvents, writesBullmqEvents } from './bull-events.js';
import { asFunction, jobIdOf } from './layout.js';
import type { LockKeeper } from './lock-keeper.js';
import { PLAIN_OPTIONS } from './plain-options.js';
import { runFairly } from '../fair/fair-commands.js';
import { rulesArgs, USUAL_RULES } from '../fair/fair-rules.js';
import { showRing } from '../fair/show-ring.js';

/** The numbers of KEYS and ARGV of BullMQ's script. Those of Errand come after them. */
const BULL_KEYS = moveToFinished.keys;
const BULL_ARGS = 9;

const FINISH = loadScript<unknown>(join(__dirname, 'finish-job.lua'), {
  constants: { 'bullmq.keys': BULL_KEYS, 'bullmq.args': BULL_ARGS },
  functions: asFunction(moveToFinished),
});
/** Of a process that takes no jobs. */
const NO_RULES = rulesArgs(USUAL_RULES, 0);

/** Which parts of a BullMQ backend Errand replaces for a queue. */
export interface BackendUse {
  /** The jobs are invocations or their scripts: the step that ends a job changes the search index and resumes waiters. */
  isIndexed: boolean;
  /** Of a worker: keeps the locks that its commands need. */
  locks?: LockKeeper;
  /** Of a worker: ARGV with its rules between tenants, from `rulesArgs`. */
  fair?: (() => (string | number)[]) | undefined;
}

/**
 * BullMQ's backend for Redis with replaced methods. A worker waits on a blocking connection of Errand (`BlockingWait`). `moveToCompleted`,
 * `moveToFailed`, `moveToDelayed` and `retryJob` take a lapsed lock again. `execCommand` replaces scripts: `moveToFinished` becomes one step
 * with all else that the end of a job causes, and `moveStalledJobsToWait` first checks that live consumers had time to renew their locks. The
 * scripts that add, take or retry jobs become one step with the rules between tenants. Errand renews locks itself (`skipLockRenewal`), so
 * `extendLocks` is never called.
 */
export function errandBackend({
  isIndexed,
  locks,
  fair = () => NO_RULES,
}: BackendUse): BackendFactory<RedisQueueBackend> {
  return (queue, options, connections) => {
    const backend = createRedisBackend(queue, options, { ...connections, withBlockingConnection: false });
    if (connections?.withBlockingConnection)
      waitOnOwnConnection(backend, queue as WorkQueue, options.connection as PrimaryRedis);
    const asHolder = <T>(id: string, token: string | undefined, act: () => Promise<T>) =>
      locks ? locks.asHolder(id, token ?? '', act) : act();
    const endOf = (job: EndingJob) => (isIndexed ? backendOfEnd(backend, queue as QueueName, job, fair) : backend);

    const bullmq = RedisQueueBackend.prototype;
    backend.moveToCompleted = (...given) =>
      asHolder(jobIdOf(given[0]), given[3], () => bullmq.moveToCompleted.apply(endOf(given[0]), given));
    backend.moveToFailed = (...given) =>
      asHolder(jobIdOf(given[0]), given[3], () => bullmq.moveToFailed.apply(endOf(given[0]), given));
    const moveToDelayed = backend.moveToDelayed.bind(backend);
    // BullMQ's script would take the next job without the rules between tenants.
    backend.moveToDelayed = (id, now, delay, token, more = {}) =>
      asHolder(id, token, () => moveToDelayed(id, now, delay, token, { ...more, fetchNext: false }));
    const retryJob = backend.retryJob.bind(backend);
    backend.retryJob = (...given) => asHolder(given[0], given[2], () => retryJob(...given));

    const execCommand = backend.execCommand.bind(backend);
    backend.execCommand = (client: IRedisClient, command: string, given: (string | number)[]) => {
      if (locks && command === moveStalledJobsToWait.name) return locks.checkStalled(client, given);
      const run = runFairly(client, command, given, fair()) ?? runWithoutEvents(client, command, given);
      return run ?? execCommand(client, command, given);
    };
    showRing(backend, keysOf(options.connection).job(queue as QueueName, ''));
    readPlainJobs(backend);
    return backend;
  };
}

/**
 * A view of the backend for one end of a job: its `moveToFinished` runs Errand's script, which needs more of the job than its id. Two runs of
 * one job can end in the same process, after a lost lock. Each end has a view of its own, so that neither changes how the other is stored.
 */
function backendOfEnd(
  backend: RedisQueueBackend,
  queue: QueueName,
  job: EndingJob,
  fair: () => readonly (string | number)[],
): RedisQueueBackend {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an object with this prototype
  const view = Object.create(backend) as RedisQueueBackend;
  view.execCommand = (client: IRedisClient, command: string, given: (string | number)[]) =>
    command === moveToFinished.name
      ? finish(client, queue, job, given, fair())
      : backend.execCommand(client, command, given);
  return view;
}

const WITHOUT_EVENTS = new Map<string, { keys: number; script: LuaScript<unknown> } | undefined>();

/** Runs a command of BullMQ whose script would write events. Returns undefined for any other, and in a transaction, which only records. */
function runWithoutEvents(
  client: IRedisClient,
  command: string,
  given: readonly unknown[],
): Promise<unknown> | undefined {
  if (writesBullmqEvents() || !('status' in client)) return undefined;
  if (!WITHOUT_EVENTS.has(command)) {
    const found = scriptWithEvents(command);
    WITHOUT_EVENTS.set(command, found && { keys: found.keys, script: scriptOf(found.content) });
  }
  const known = WITHOUT_EVENTS.get(command);
  const args = given.flat().map((arg) => (arg ?? '') as string);
  return known?.script.run(client as unknown as Redis, args.slice(0, known.keys), args.slice(known.keys));
}

/** BullMQ's blocking connection may not come back after a failover. */
function waitOnOwnConnection(backend: RedisQueueBackend, queue: WorkQueue, redis: PrimaryRedis): void {
  const keys = keysOf(redis);
  const wait = new BlockingWait(() => redis.sibling('blocking'));
  backend.waitForJob = async (seconds) => (await wait.waitFor(keys.set(queue, 'marker'), seconds)) ?? null;
  backend.disconnectBlocking = async () => wait.interrupt();
  backend.reconnectBlocking = async () => {};
  const close = backend.close.bind(backend);
  backend.close = (force) => {
    wait.close();
    return close(force);
  };
}

/** Plain jobs are stored without `delay` and `priority`, which BullMQ would read as no number, and without the options that all have. */
function readPlainJobs(backend: RedisQueueBackend): void {
  const getJobData = backend.getJobData.bind(backend);
  backend.getJobData = async (id) => {
    const job = await getJobData(id);
    if (!job) return undefined;
    const opts = Object.keys(job.opts).length === 0 ? { ...PLAIN_OPTIONS } : job.opts;
    return { ...job, opts, delay: job.delay || 0, priority: job.priority || 0 };
  };
}

interface EndingJob {
  id?: string;
  name: string;
  data: unknown;
}

/** @param given BullMQ's KEYS and ARGV. An undefined argument is sent as an empty one. */
function finish(
  client: IRedisClient,
  queue: QueueName,
  job: EndingJob,
  given: readonly unknown[],
  rules: readonly (string | number)[],
): Promise<unknown> {
  const keys = keysOf(client);
  const { id = '', name } = job;
  const record = job.data as InvocationRecord;
  const { tenant, parent, idempotency } = record;
  const { tools, agent } = parent ? NOTHING_NOTED : notedOf(record);
  // An open invocation is in one of these sets, most often in that of its queue.
  const open = [`waiting:${queue}` as const, ...OPEN_SETS.filter((set) => set !== `waiting:${queue}`)];
  const named = (some: readonly StatusSet[]) => some.map((set) => statusSetKey(keys, tenant, set));
  return FINISH.run(
    client as unknown as Redis,
    [
      ...(given.slice(0, BULL_KEYS) as string[]),
      keys.runs(queue),
      keys.runs(name),
      ...named(['succeeded', 'failed', 'cancelled']),
      ...waiterKeys(keys, id),
      ...named(open),
      changedKey(keys, tenant),
      keys.changeClock,
      ...(idempotency === undefined ? [] : [keys.idempotency(tenant, idempotency)]),
    ],
    [
      ...given.slice(BULL_KEYS).map((arg) => (arg ?? '') as string),
      parent ? '' : memberOf(id),
      ...waiterArgs(keys),
      queue,
      tenant,
      name,
      tools,
      agent,
      ...rules,
    ],
  );
}
