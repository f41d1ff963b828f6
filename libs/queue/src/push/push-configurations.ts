import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { canonicalJson } from '@errand/contracts';
import { addPrioritizedJob } from 'bullmq/dist/cjs/scripts/index.js';
import { jobTemplateOf } from '../bullmq/job-template.js';
import { asFunction } from '../bullmq/layout.js';
import { DELIVERY_OPTIONS } from '../enqueue/job-options.js';
import type { Queues } from '../redis/connect.js';
import { loadScript } from '../redis/lua-script.js';
import { FIELD } from '../redis/job-fields.js';
import { pushId } from '../redis/job-ids.js';
import { keysOf } from '../redis/names.js';
import { DELIVERIES, QUEUE_NAMES } from '../redis/queue-names.js';
import type { DeliveryRecord, Push } from '../state/record.js';

/** The highest number of push configurations of an invocation. Each stores every status until it is delivered. */
export const MAX_PUSHES = 20;

/** A push configuration with its receiver. */
export interface PushConfiguration extends Push {
  url: string;
}

const PUT = loadScript<-1 | 0 | 1>(join(__dirname, 'put-push.lua'), { functions: asFunction(addPrioritizedJob) });
const REMOVE = loadScript<0 | 1>(join(__dirname, 'remove-push.lua'));

/**
 * Stores a push configuration of an invocation: a delivery that sends the present status and each later one. An earlier configuration with
 * the same id is replaced; an equal one stays as it is.
 * @returns `full` if the invocation has `MAX_PUSHES` others, `missing` if it does not exist
 */
export async function putPush(
  queues: Queues,
  { tenant, invocationId }: { tenant: string; invocationId: string },
  configuration: PushConfiguration,
): Promise<'stored' | 'full' | 'missing'> {
  const earlier = (await readPushes(queues, invocationId)).find(({ id }) => id === configuration.id);
  if (earlier && canonicalJson(earlier) === canonicalJson(configuration)) return 'stored';
  const { url, ...push } = configuration;
  const record: DeliveryRecord = { tenant, invocationId, callback: { url }, push };
  const template = jobTemplateOf(queues.deliveries, DELIVERY_OPTIONS);
  const id = newPushId(invocationId);
  const job = await jobKeyOf(queues, invocationId);
  if (job === undefined) return 'missing';
  const reply = await PUT.run(
    queues.redis,
    [...template.keys, job],
    [id, Date.now(), JSON.stringify(record), template.options, push.id, MAX_PUSHES],
  );
  return reply === 1 ? 'stored' : reply === 0 ? 'missing' : 'full';
}

/**
 * Stores the push delivery of an invocation that is enqueued next, with the result as its `pushes`. The first status is that of the enqueuing.
 * A delivery whose invocation is never enqueued ends by itself.
 */
export async function preparePush(
  queues: Queues,
  { tenant, invocationId }: { tenant: string; invocationId: string },
  { url, ...push }: PushConfiguration,
): Promise<Record<string, string>> {
  const keys = keysOf(queues.redis);
  const jobId = newPushId(invocationId);
  const record: DeliveryRecord = { tenant, invocationId, callback: { url }, push };
  const { ageSeconds } = queues.retention;
  await queues.deliveries.add(DELIVERIES, record, { ...DELIVERY_OPTIONS, jobId, delay: ageSeconds * 1_000 });
  await queues.redis.hset(keys.job(DELIVERIES, jobId), FIELD.suspended, 'status');
  return { [push.id]: jobId };
}

/** Removes the deliveries of `preparePush` whose invocation was refused. */
export async function discardPushes({ deliveries }: Queues, pushes: Readonly<Record<string, string>>): Promise<void> {
  await Promise.all(Object.values(pushes).map((id) => deliveries.remove(id)));
}

/** The push configurations of an invocation, by id. */
export async function readPushes(queues: Queues, invocationId: string): Promise<PushConfiguration[]> {
  const keys = keysOf(queues.redis);
  const job = await jobKeyOf(queues, invocationId);
  const text = job === undefined ? null : await queues.redis.hget(job, FIELD.pushes);
  const ids = Object.values(JSON.parse(text ?? '{}') as Record<string, string>);
  const records = await Promise.all(ids.map((id) => queues.redis.hget(keys.job(DELIVERIES, id), 'data')));
  return records
    .flatMap((record) => (record === null ? [] : toConfiguration(JSON.parse(record) as DeliveryRecord)))
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

/** Ends the delivery of a configuration. A message that is on its way is still sent. False if there is no such configuration. */
export async function removePush(queues: Queues, invocationId: string, id: string): Promise<boolean> {
  const job = await jobKeyOf(queues, invocationId);
  return job !== undefined && (await REMOVE.run(queues.redis, [job], [id])) === 1;
}

function newPushId(invocationId: string): string {
  return pushId(invocationId, randomBytes(9).toString('base64url'));
}

function toConfiguration({ push, callback: { url } }: DeliveryRecord): PushConfiguration[] {
  return push ? [{ ...push, url }] : [];
}

/** The key of the job of an invocation; undefined if it does not exist. */
async function jobKeyOf({ redis }: Queues, id: string): Promise<string | undefined> {
  const keys = keysOf(redis);
  const names = QUEUE_NAMES.map((queue) => keys.job(queue, id));
  const found = await Promise.all(names.map((name) => redis.hexists(name, 'timestamp')));
  return names.find((_, n) => found[n] === 1);
}
