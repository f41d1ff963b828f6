import { join } from 'node:path';
import { timeOfInvocationId, type Callback } from '@errand/contracts';
import { LRUCache } from 'lru-cache';
import { writesBullmqEvents } from '../bullmq/bull-events.js';
import { jobTemplateOf } from '../bullmq/job-template.js';
import { PLAIN_OPTIONS } from '../bullmq/plain-options.js';
import { laneOf, levelOf } from '../fair/lane.js';
import type { Queues } from '../redis/connect.js';
import { sendGathered } from '../redis/gather-writes.js';
import { keysOf, dataKeysOf } from '../redis/names.js';
import { loadScript } from '../redis/lua-script.js';
import { QUEUE_NAMES, type QueueName } from '../redis/queue-names.js';
import type { SourceText } from '../state/source-text.js';
import type { Accepted, DeliveryRecord, InvocationRecord } from '../state/record.js';
import { withSession } from '../sessions/conversation.js';
import { extendRetention } from '../suspend/suspend-job.js';
import { enqueueBatch, type BatchSettings, type JobKind, type PreparedJob } from './enqueue-batch.js';
import { OPEN_CLAIM_SECONDS, claimValue, type IdempotencyClaim } from './idempotency.js';
import { DELIVERY_OPTIONS, jobOptions, type SubmitOptions } from './job-options.js';
import { QueueFullError, refuseDelayed, refuseWaiting } from './queue-full.js';
import { TickBatcher } from './tick-batcher.js';

const FORGET_REFUSED = loadScript<number>(join(__dirname, 'forget-refused.lua'));

/** An accepted submission that is not in its queue yet. */
export interface NewInvocation {
  queue: QueueName;
  id: string;
  record: InvocationRecord;
  options?: SubmitOptions | undefined;
  /** Where to report its end. The delivery is stored in the same step as the job. */
  callback?: Callback | undefined;
  /** The claim of the idempotency key under which it was submitted. */
  claim?: IdempotencyClaim | undefined;
  /** Its push deliveries, from `preparePush`. */
  pushes?: Readonly<Record<string, string>> | undefined;
  /** A request waits for its end. */
  isAwaited?: boolean | undefined;
  /** The text that it came as, if that is kept. */
  source?: SourceText | undefined;
}

/** Enqueues one invocation as `enqueueInvocations` does. */
export async function enqueueInvocation(queues: Queues, invocation: NewInvocation): Promise<Accepted | QueueFullError> {
  const [outcome] = await enqueueInvocations(queues, [invocation]);
  return outcome as Accepted | QueueFullError;
}

/**
 * Enqueues invocations, and returns each as it was accepted, or why its queue takes none, in order. Those that arrive together share one script
 * run, up to 100 of them.
 * @throws LateReplicasError if they are stored, but too few replicas have confirmed that; any error of Redis
 */
export async function enqueueInvocations(
  queues: Queues,
  invocations: readonly NewInvocation[],
): Promise<(Accepted | QueueFullError)[]> {
  const { server } = queues.replicas;
  const outcomes: (Accepted | QueueFullError)[] = invocations.map(acceptedOf);
  const codes = await batcherOf(queues).enqueue(invocations, outcomes as Accepted[]);
  const more: Promise<void>[] = [];
  for (const [n, code] of codes.entries()) {
    const [invocation, accepted] = [invocations[n] as NewInvocation, outcomes[n] as Accepted];
    if (code === 0) more.push(refuse(queues, invocation).then((error) => void (outcomes[n] = error)));
    if (code !== 1) continue;
    announce(queues, accepted);
    if (invocation.options?.delayMs) more.push(keepLonger(queues, invocation.options.delayMs, accepted));
  }
  if (more.length > 0) await Promise.all(more);
  const failure = codes.find((code) => code < 0);
  if (failure !== undefined) throw new Error(`BullMQ refused the job with code ${failure}`);
  if (queues.minReplicas > 0) await queues.replicas.confirm(server);
  return outcomes;
}

function acceptedOf(invocation: NewInvocation): Accepted {
  const { id } = invocation;
  // The time in the id, so that sorting by id sorts by time.
  return { id, record: withSession(id, invocation.record), at: timeOfInvocationId(id) ?? Date.now() };
}

function announce({ events }: Queues, accepted: Accepted): void {
  const tools = accepted.record.calls.map((call) => call.toolId);
  events.emit('accepted', tools, accepted);
}

async function refuse(queues: Queues, { queue, id, options }: NewInvocation): Promise<QueueFullError> {
  await forgetRefused(queues, id);
  return (options?.delayMs ?? 0) > 0 ? refuseDelayed(queues, queue) : refuseWaiting(queues, queue);
}

async function keepLonger(queues: Queues, delayMs: number, { id, record, at }: Accepted): Promise<void> {
  const digests = record.calls.map((call) => call.digest);
  await extendRetention(queues, id, digests, at + delayMs);
}

/** Removes what was stored for the invocation before its submission. */
async function forgetRefused({ redis }: Queues, id: string): Promise<void> {
  const keys = keysOf(redis);
  const data = dataKeysOf(keys, id);
  const jobs = QUEUE_NAMES.map((queue) => keys.job(queue, id));
  await FORGET_REFUSED.run(redis, [...data, ...jobs], [data.length]);
}

/** The record of the job, with the options that later attempts need. */
function recordOf(record: InvocationRecord, { options = {}, claim }: NewInvocation): InvocationRecord {
  const { attempts, backoff } = options;
  if (attempts === undefined && !backoff && !claim) return record;
  const retry = { ...(attempts !== undefined && { attempts }), ...(backoff && { backoff }) };
  return {
    ...record,
    ...((attempts !== undefined || backoff) && { retry }),
    ...(claim && { idempotency: claim.digest }),
  };
}

/** The name of the job, for people. */
function nameOf({ calls }: InvocationRecord): string {
  const [only, ...more] = calls;
  const name = only && more.length === 0 ? only.toolId : calls.map((call) => call.toolId).join(' → ');
  return name.slice(0, 200);
}

function weightOf({ data, source }: PreparedJob): number {
  return data.length + (source?.length ?? 0);
}

/** The most that one script run may take. Other commands run between two of them. */
const BATCH_LIMIT = { items: 100, weight: 1_000_000, weigh: weightOf, enough: 32 };
/** Each delay and priority makes another kind. */
const MAX_KINDS = 1_000;

const BATCHERS = new WeakMap<Queues, EnqueueBatcher>();

function batcherOf(queues: Queues): EnqueueBatcher {
  const batcher = BATCHERS.get(queues) ?? new EnqueueBatcher(queues);
  BATCHERS.set(queues, batcher);
  return batcher;
}

/**
 * Enqueues the invocations of one process. Each is stored together with its delivery, index entries and idempotency key, or not at all.
 * The bound of a queue is exact, also when several processes submit at the same time.
 */
class EnqueueBatcher {
  private readonly kinds = new LRUCache<string, JobKind>({ max: MAX_KINDS });
  private readonly batcher: TickBatcher<PreparedJob, number>;

  constructor(private readonly queues: Queues) {
    const deliveries = jobTemplateOf(queues.deliveries, DELIVERY_OPTIONS, { addToWaitingChildren: true });
    const settings: BatchSettings = {
      bounds: queues.bounds,
      deliveries,
      deliveryOptions: queues.storesPlainOptions ? JSON.stringify(DELIVERY_OPTIONS) : undefined,
      claimSeconds: OPEN_CLAIM_SECONDS,
      sessionSeconds: queues.sessions.ageSeconds,
    };
    const run = (jobs: readonly PreparedJob[]) => {
      const codes = enqueueBatch(queues.redis, jobs, settings);
      if (jobs.length >= BATCH_LIMIT.enough) sendGathered(queues.redis);
      return codes;
    };
    this.batcher = new TickBatcher(run, BATCH_LIMIT);
  }

  /** @returns for each invocation 1, 0 if the queue is full, or BullMQ's error code (below 0) */
  enqueue(invocations: readonly NewInvocation[], accepted: readonly Accepted[]): Promise<number[]> {
    const jobs: PreparedJob[] = [];
    for (const [n, invocation] of invocations.entries()) jobs.push(this.prepare(invocation, accepted[n] as Accepted));
    return this.batcher.doAll(jobs);
  }

  private prepare(invocation: NewInvocation, accepted: Accepted): PreparedJob {
    const keys = keysOf(this.queues.redis);
    const { queue, options = {}, callback, claim, pushes, isAwaited, source } = invocation;
    const { id, at } = accepted;
    const record = recordOf(accepted.record, invocation);
    const { tenant } = record;
    // Fields without a value are written out: objects of one shape are faster to build and to read.
    return {
      kind: this.kindOf(queue, options, callback !== undefined),
      lane: laneOf(record, levelOf(options.priority ?? 0, this.queues.priorityScope)),
      id,
      name: nameOf(record),
      at,
      record,
      data: JSON.stringify(record),
      deliveryData: callback && JSON.stringify({ tenant, invocationId: id, callback } satisfies DeliveryRecord),
      claim: claim && { key: keys.idempotency(tenant, claim.digest), value: claimValue(id, claim) },
      pushes: pushes && JSON.stringify(pushes),
      isAwaited,
      source: source && JSON.stringify(source),
    };
  }

  private kindOf(queue: QueueName, options: SubmitOptions, hasDelivery: boolean): JobKind {
    const { priority = 0, delayMs = 0 } = options;
    const name = `${queue} ${priority} ${delayMs} ${hasDelivery} ${writesBullmqEvents()}`;
    const known = this.kinds.get(name);
    if (known) return known;
    const bullOptions = { ...jobOptions(options), ...(hasDelivery && { removeDependencyOnFailure: true }) };
    const isLater = priority > 0 || delayMs > 0;
    const template =
      isLater || writesBullmqEvents()
        ? jobTemplateOf(this.queues.byName[queue], bullOptions)
        : { options: this.queues.storesPlainOptions ? JSON.stringify(PLAIN_OPTIONS) : '' };
    const kind: JobKind = { queue, priority, template, isLater, delayMs };
    this.kinds.set(name, kind);
    return kind;
  }
}
