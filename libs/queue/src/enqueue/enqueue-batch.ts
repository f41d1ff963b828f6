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
import { notedInPlan, notedOf } from '../stats/noted-record.js';
import { changedKey, indexKeysOf, statusSetKey } from '../state/search-index.js';

const ENQUEUE = loadScript<number[]>(join(__dirname, 'enqueue.lua'), {
  functions: [addStandardJob, addDelayedJob, addPrioritizedJob, addParentJob].map(asFunction).join(''),
});

/** Jobs without delay and priority need no script of BullMQ. */
interface PlainTemplate {
  /** PLAIN_OPTIONS as JSON, or '' for jobs that do not store them. */
  options: string;
}

/** What the jobs of several invocations have in common, also of different tenants. */
export interface JobKind {
  queue: QueueName;
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
  /** The lane in which it waits. */
  lane: string;
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
  /** The template of the deliveries of jobs that need BullMQ's script. */
  deliveries: JobTemplate;
  /** The options (JSON) of the other deliveries. Undefined if they are not stored. */
  deliveryOptions: string | undefined;
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
  { bounds, deliveries, deliveryOptions, claimSeconds, sessionSeconds }: BatchSettings,
): { keys: string[]; args: (string | Buffer)[] } {
  const list = new KeyList();
  const groups = new PlannedGroups(keys, bounds, list);
  const groupOf: number[] = [];
  const ids: string[] = [];
  const times: string[] = [];
  const more: object[] = [];
  const data: string[] = [];
  for (const job of jobs) {
    groupOf.push(groups.numberOf(job));
    ids.push(job.id);
    // A text, because Lua is slow at formatting numbers.
    times.push(String(job.at));
    data.push(job.data);
    if (job.deliveryData !== undefined) data.push(job.deliveryData);
    if (job.source !== undefined) data.push(job.source);
    const own = planMore(keys, job, list);
    if (own) more.push({ job: ids.length, ...own });
  }
  const hasDeliveries = jobs.some(({ deliveryData, kind }) => deliveryData !== undefined && 'keys' in kind.template);
  const plan = {
    bounds,
    now: Date.now(),
    claimSeconds,
    sessionSeconds,
    clock: list.numberOf(keys.changeClock),
    ...(hasDeliveries && { deliveries: planTemplate(keys, DELIVERIES, deliveries, list) }),
    deliveryOptions,
    kinds: groups.kinds,
    groups: groups.planned,
    groupOf,
    ids,
    times,
    more,
  };
  const options = [hasDeliveries ? deliveries.options : '', ...groups.options];
  return { keys: list.keys, args: [JSON.stringify(plan), ...options, ...data] };
}

function planTemplate(keys: Keys, queue: QueueName | typeof DELIVERIES, template: JobTemplate, list: KeyList): object {
  return { add: template.script, keys: list.numbersOf(template.keys), jobs: keys.job(queue, '') };
}

/**
 * The groups of a plan, and the kinds of these groups. The jobs of a group have the same kind, lane and index sets. A kind can have groups of
 * several tenants, so that a batch of many tenants does not repeat it.
 */
class PlannedGroups {
  readonly planned: object[] = [];
  readonly kinds: object[] = [];
  readonly options: (string | Buffer)[] = [];
  private readonly numbers = new Map<string, number>();
  private readonly kindNumbers = new Map<JobKind, Map<string, number>>();

  constructor(
    private readonly keys: Keys,
    private readonly bounds: QueueBounds,
    private readonly list: KeyList,
  ) {}

  /** The number of the group of a job, from 1. */
  numberOf(job: PreparedJob): number {
    const { kind, lane, record } = job;
    const { keys, list } = this;
    const kindNumber = this.kindOf(job);
    const indexSets = list.numbersOf(indexKeysOf(keys, record));
    const name = `${kindNumber} ${indexSets.join()} ${lane}`;
    const known = this.numbers.get(name);
    if (known !== undefined) return known;
    const number = this.planned.push({
      kind: kindNumber,
      lane,
      changed: list.numberOf(changedKey(keys, record.tenant)),
      statusSet: list.numberOf(statusSetKey(keys, record.tenant, kind.isLater ? 'later' : `waiting:${kind.queue}`)),
      indexSets,
    });
    this.numbers.set(name, number);
    return number;
  }

  /** The number of the kind of a job, from 1. Jobs of one kind also have the same name, flags and tools. */
  private kindOf(job: PreparedJob): number {
    const { kind, name, record, isAwaited = false } = job;
    const { tools, agent } = notedOf(record);
    const same = `${isAwaited} ${agent} ${tools} ${name}`;
    let numbers = this.kindNumbers.get(kind);
    if (!numbers) this.kindNumbers.set(kind, (numbers = new Map()));
    const known = numbers.get(same);
    if (known !== undefined) return known;
    const flags = { ...(isAwaited && { awaited: true }), ...notedInPlan(record) };
    const number = this.kinds.push({ ...this.planKind(kind), name, ...flags });
    this.options.push(kind.template.options);
    numbers.set(same, number);
    return number;
  }

  private planKind({ queue, priority, template, delayMs }: JobKind): object {
    const { keys, list } = this;
    return {
      ...('keys' in template
        ? planTemplate(keys, queue, template, list)
        : { isPlain: true, jobs: keys.job(queue, '') }),
      queue,
      delayMs,
      priority,
      ...countedSets(keys, queue, delayMs, this.bounds, list),
    };
  }
}

/** What only some jobs have. Undefined for the others. */
function planMore(
  keys: Keys,
  { id, record, deliveryData, claim, pushes, source }: PreparedJob,
  list: KeyList,
): object | undefined {
  const turns = planTurns(keys, id, record, list);
  const hasMore = turns || claim || deliveryData !== undefined || pushes !== undefined || source !== undefined;
  if (!hasMore) return undefined;
  return {
    turns,
    ...(deliveryData !== undefined && {
      delivery: deliveryId(id, 0),
      deliveries: list.numberOf(keys.deliveryIndex(record.tenant, 'deliveries')),
    }),
    ...(claim && { key: list.numberOf(claim.key), claim: claim.value }),
    pushes,
    ...(source !== undefined && { source: list.numberOf(keys.source(id)) }),
  };
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
