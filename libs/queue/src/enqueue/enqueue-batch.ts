import { join } from 'node:path';
import { addDelayedJob, addParentJob, addPrioritizedJob, addStandardJob } from 'bullmq/dist/cjs/scripts/index.js';
import type { Redis } from 'ioredis';
import type { JobTemplate } from '../bullmq/job-template.js';
import { asFunction } from '../bullmq/layout.js';
import { KeyList } from '../redis/key-list.js';
import { loadScript } from '../redis/lua-script.js';
import type { QueueBounds } from '../redis/connect.js';
import { deliveryId } from '../redis/job-ids.js';
import { keysOf, type Keys } from '../redis/names.js';
import { DELIVERIES, type QueueName } from '../redis/queue-names.js';
import type { InvocationRecord } from '../state/record.js';
import { planTurns } from '../sessions/order-of-turns.js';
import { notedInPlan } from '../stats/noted-record.js';
import { changedKey, indexKeysOf, memberOf, statusSetKey } from '../state/search-index.js';

const ENQUEUE = loadScript<number[]>(join(__dirname, 'enqueue.lua'), {
  functions: [addStandardJob, addDelayedJob, addPrioritizedJob, addParentJob].map(asFunction).join(''),
});

/** Jobs without delay, priority and delivery need no script of BullMQ. */
interface PlainTemplate {
  /** PLAIN_OPTIONS as JSON, or '' for jobs that do not store them. */
  options: string;
}

/** What the jobs of several invocations have in common. */
export interface JobKind {
  queue: QueueName;
  tenant: string;
  /** The lane in which the jobs wait. */
  lane: string;
  priority: number;
  template: JobTemplate | PlainTemplate;
  /** The jobs have a delay or a priority. */
  isLater: boolean;
  /** The delay of the jobs in ms; 0 for none. */
  delayMs: number;
}

/** An invocation in the form in which it is stored. */
export interface PreparedJob {
  kind: JobKind;
  id: string;
  /** The name of the job. */
  name: string;
  /** The time of acceptance, in ms since 1970. */
  at: number;
  record: InvocationRecord;
  /** The record as JSON. */
  data: string;
  /** The data of its delivery as JSON, if it has a callback. */
  deliveryData?: string | undefined;
  /** The idempotency key under which it was submitted, and the value that points to the job. */
  claim?: { key: string; value: string } | undefined;
  /** Its push deliveries as JSON: configuration id → job id. */
  pushes?: string | undefined;
  /** A request waits for its end. */
  isAwaited?: boolean | undefined;
  /** The text that it came as, as JSON, if that is kept. */
  source?: string | undefined;
}

/** What all batches of a process share. */
export interface BatchSettings {
  bounds: QueueBounds;
  /** The template of the deliveries. */
  deliveries: JobTemplate;
  claimSeconds: number;
  /** How long a session is kept after its last turn. */
  sessionSeconds: number;
}

/**
 * Runs the script that adds jobs to their queues, in one command.
 * @returns for each job 1 (it exists), 0 (the queue is full), or BullMQ's error code (below 0)
 */
export function enqueueBatch(redis: Redis, jobs: readonly PreparedJob[], settings: BatchSettings): Promise<number[]> {
  const { keys: names, args } = planBatch(keysOf(redis), jobs, settings);
  return ENQUEUE.run(redis, names, args);
}

/** KEYS and ARGV of the script: a plan as JSON, the options of each kind, and the data of each job and its delivery. */
function planBatch(
  keys: Keys,
  jobs: readonly PreparedJob[],
  { bounds, deliveries, claimSeconds, sessionSeconds }: BatchSettings,
): { keys: string[]; args: (string | Buffer)[] } {
  const list = new KeyList();
  const numbered = (names: readonly string[]) => list.numbersOf(names);
  const planTemplate = (queue: QueueName | typeof DELIVERIES, { script, keys: names }: JobTemplate) => ({
    add: script,
    keys: numbered(names),
    jobs: keys.job(queue, ''),
  });
  const planPlain = (queue: QueueName) => ({ isPlain: true, keys: [], jobs: keys.job(queue, '') });
  const hasDeliveries = jobs.some(({ deliveryData }) => deliveryData !== undefined);
  const kinds = [...new Set(jobs.map(({ kind }) => kind))];
  const plan = {
    bounds,
    now: Date.now(),
    claimSeconds,
    sessionSeconds,
    clock: list.numberOf(keys.changeClock),
    ...(hasDeliveries && { deliveries: planTemplate(DELIVERIES, deliveries) }),
    kinds: kinds.map(({ queue, tenant, lane, priority, template, isLater, delayMs }) => ({
      ...('keys' in template ? planTemplate(queue, template) : planPlain(queue)),
      queue,
      delayMs,
      lane,
      priority,
      ...countedSets(keys, queue, delayMs, bounds, list),
      changed: list.numberOf(changedKey(keys, tenant)),
      statusSet: list.numberOf(statusSetKey(keys, tenant, isLater ? 'later' : `waiting:${queue}`)),
    })),
    jobs: jobs.map(({ kind, id, name, at, record, deliveryData, claim, pushes, isAwaited, source }) => ({
      kind: kinds.indexOf(kind) + 1,
      id,
      member: memberOf(id),
      name,
      // A text, because Lua is slow at formatting numbers.
      at: String(at),
      indexSets: numbered(indexKeysOf(keys, record)),
      turns: planTurns(keys, id, record, list),
      ...(deliveryData !== undefined && {
        delivery: deliveryId(id, 0),
        deliveries: list.numberOf(keys.deliveryIndex(kind.tenant, 'deliveries')),
      }),
      ...(claim && { key: list.numberOf(claim.key), claim: claim.value }),
      ...(pushes !== undefined && { pushes }),
      ...(isAwaited === true && { awaited: true }),
      ...(source !== undefined && { source: list.numberOf(keys.source(id)) }),
      ...notedInPlan(record),
    })),
  };
  const data = jobs.flatMap(({ data: own, deliveryData, source }) => [own, deliveryData ?? [], source ?? []].flat());
  const options = [hasDeliveries ? deliveries.options : '', ...kinds.map(({ template }) => template.options)];
  return { keys: list.keys, args: [JSON.stringify(plan), ...options, ...data] };
}

/** The sets whose sizes are compared with a bound. An invocation with a delay has another bound than one that is ready. */
function countedSets(
  keys: Keys,
  queue: QueueName,
  delayMs: number,
  { waiting }: QueueBounds,
  list: KeyList,
): { counted?: number[] } {
  if (delayMs > 0) return { counted: [list.numberOf(keys.submittedLater(queue))] };
  if (waiting === 0) return {};
  return { counted: list.numbersOf([keys.set(queue, 'wait'), keys.set(queue, 'prioritized')]) };
}
