import { newInvocationId } from '@errand/contracts';
import { Worker, type Job } from 'bullmq';
import { idleWorker } from '../../test/idle-worker.js';
import { holdAdmissionOf, placesIn } from '../../test/lanes.js';
import { recordOf, useQueues } from '../../test/use-queues.js';
import { jobIdOf } from '../bullmq/layout.js';
import { DeferredDeliveries } from '../callbacks/deferred-deliveries.js';
import { redeliver } from '../callbacks/deliveries.js';
import {
  cancelInvocation,
  childId,
  giveAnswer,
  preparePush,
  putPush,
  scriptQueue,
  submitInvocations,
} from '../index.js';
import { openConnection } from '../redis/primary-redis.js';
import { deliveryId } from '../redis/job-ids.js';
import { keys, PREFIX } from '../redis/names.js';
import { DELIVERIES, type WorkQueue } from '../redis/queue-names.js';
import type { InvocationRecord } from '../state/record.js';
import { suspendJob, SuspendJob } from '../suspend/suspend-job.js';
import { runChild } from '../consume/run-child-job.js';
import { eventually } from '../../../../test/support/eventually.js';

const kit = useQueues({ each: true });
const TENANT = 'acme';
const TOKEN = 'token';
const RECORD = recordOf({ tenant: TENANT });
const LOCK_MS = 60_000;
/** After this time without a heartbeat, a check puts jobs back. */
const SHORT_LOCK_MS = 500;

type Queue = WorkQueue | typeof DELIVERIES;
const consumerOf = (queue: Queue, lockMs = LOCK_MS) => idleWorker(kit.redis.url, queue, { lockMs });

/** Takes the next job. */
async function take(worker: Worker<InvocationRecord>): Promise<Job<InvocationRecord>> {
  const job = await worker.getNextJob(TOKEN, { block: false });
  if (!job) throw new Error('No job waits');
  return job;
}

const holdAdmission = (queue: Queue) => holdAdmissionOf(kit.queues, queue, RECORD);
const placesOf = (queue: Queue, id: string) => placesIn(kit.queues, queue, id);

async function submit(options = {}, over: Partial<InvocationRecord> = {}, more = {}): Promise<string> {
  const id = newInvocationId();
  const record = { ...RECORD, ...over };
  await submitInvocations(kit.queues, [{ queue: 'invocations', id, record, options, ...more }]);
  return id;
}

const LANE = `fair:lane:0:${TENANT}:`;
const inLane = async (queue: Queue, id: string, key = '') => expect(await placesOf(queue, id)).toEqual([LANE + key]);

describe('Each way in which a job becomes ready ends in the lane of its tenant', () => {
  it('Submissions of one lane stay in the waiting list until one of another lane comes', async () => {
    const ids = [await submit(), await submit()];
    for (const id of ids) expect(await placesOf('invocations', id)).toEqual(['wait']);
    const other = await submit({}, { agent: 'writer' });
    await inLane('invocations', other, 'writer');
    for (const id of ids) await inLane('invocations', id);
    const worker = consumerOf('invocations');
    const started = [jobIdOf(await take(worker)), jobIdOf(await take(worker))];
    expect(new Set(started)).toEqual(new Set([ids[0], other]));
    await inLane('invocations', await submit());
    await inLane('invocations', await submit({ priority: 3 }));
    await inLane('invocations', await submit({}, { agent: 'writer', fairnessKey: 'user-1' }), 'user-1');
  });

  it('A single job stays in the waiting list when one of another lane comes, and starts first', async () => {
    const first = await submit();
    const other = await submit({}, { tenant: 'other' });
    expect(await placesOf('invocations', first)).toEqual(['wait']);
    expect(await placesOf('invocations', other)).toEqual(['fair:lane:0:other:']);
    expect(jobIdOf(await take(consumerOf('invocations')))).toBe(first);
  });

  it('The submission after a hundred takes them all to their lane, and they start in their order', async () => {
    const ids = [];
    for (let n = 0; n < 100; n++) ids.push(await submit());
    expect(await placesOf('invocations', ids[0] ?? '')).toEqual(['wait']);
    ids.push(await submit());
    expect(await kit.queues.redis.llen(keys.set('invocations', 'wait'))).toBe(0);
    const worker = consumerOf('invocations');
    const started = [];
    for (let n = 0; n <= 100; n++) started.push(jobIdOf(await take(worker)));
    expect(started).toEqual(ids);
  });

  it('A retry starts before the jobs in the waiting list, which follow it to the lane', async () => {
    const worker = consumerOf('invocations');
    const ids = [await submit(), await submit(), await submit()];
    await take(worker);
    await worker.getBackend().retryJob(ids[0] ?? '', false, TOKEN);
    for (const id of ids) await inLane('invocations', id);
    const started = [];
    for (let n = 0; n < 3; n++) started.push(jobIdOf(await take(worker)));
    expect(started).toEqual(ids);
  });

  it('A submission with a priority goes to its lane, although nothing waits', async () => {
    await inLane('invocations', await submit({ priority: 3 }));
  });

  it('A delayed submission that is due goes to its lane before the next job is taken', async () => {
    const id = await submit({ delayMs: 1 });
    await holdAdmission('invocations');
    const worker = consumerOf('invocations');
    await eventually(async () => {
      await holdAdmission('invocations');
      await take(worker);
      return !(await placesOf('invocations', id)).includes('delayed');
    });
    await inLane('invocations', id);
  });

  it('A due job goes to its lane, too, when the end of another one takes the next', async () => {
    const worker = consumerOf('invocations');
    await submit();
    const running = await take(worker);
    const id = await submit({ delayMs: 1 });
    await holdAdmission('invocations');
    await holdAdmission('invocations');
    await eventually(
      async () => Number(await kit.queues.redis.zscore(keys.set('invocations', 'delayed'), id)) / 0x1000 <= Date.now(),
    );
    await running.moveToCompleted({ steps: [] }, TOKEN, true);
    await inLane('invocations', id);
  });

  it('A retry at once, and one after a pause, go to the lane', async () => {
    const worker = consumerOf('invocations');
    const id = await submit();
    const job = await take(worker);
    await holdAdmission('invocations');
    await worker.getBackend().retryJob(id, false, TOKEN);
    await inLane('invocations', id);
    await take(worker);
    const again = await take(worker);
    expect(jobIdOf(again)).toBe(id);
    await job.moveToDelayed(Date.now(), TOKEN);
    await holdAdmission('invocations');
    await take(worker);
    await inLane('invocations', id);
  });

  it('A job that is delayed again takes no other job past the lanes', async () => {
    const worker = consumerOf('invocations');
    const id = await submit();
    await take(worker);
    const due = await submit({ delayMs: 1 });
    const delayed = keys.set('invocations', 'delayed');
    await eventually(async () => Number(await kit.queues.redis.zscore(delayed, due)) / 0x1000 < Date.now());
    await worker.getBackend().moveToDelayed(id, Date.now(), 60_000, TOKEN, { fetchNext: true });
    expect(await placesOf('invocations', id)).toEqual(['delayed']);
    expect(await placesOf('invocations', due)).toEqual(['delayed']);
  });

  it('A woken job goes to the lane', async () => {
    const worker = consumerOf('invocations');
    const id = await submit();
    const { data: record } = await take(worker);
    const owned = { id, token: TOKEN, record };
    await suspendJob(kit.queues.redis, 'invocations', owned, new SuspendJob(undefined, 'answer'));
    await giveAnswer(kit.queues, { reach: TENANT, id, field: '0' }, { result: 1 } as never);
    await holdAdmission('invocations');
    await take(worker);
    await inLane('invocations', id);
  });

  it('A job of a dead process goes to the lane', async () => {
    const worker = consumerOf('invocations', SHORT_LOCK_MS);
    const id = await submit();
    await take(worker);
    const { redis } = kit.queues;
    await redis.del(keys.lock('invocations', id));
    await eventually(async () => {
      // The next check may follow at once. It needs consumers that have had answers for the time of a lock.
      await redis.del(`${keys.set('invocations', 'stalled')}-check`);
      await redis.set(keys.pulse('invocations'), Date.now() - 2 * SHORT_LOCK_MS, 'PX', SHORT_LOCK_MS);
      await worker.getBackend().moveStalledJobsToWait();
      return !(await placesOf('invocations', id)).includes('active');
    });
    await inLane('invocations', id);
  });

  it.each(['default', 'gpu'])(
    'The script of a step goes to the lane of its invocation, with the label %s',
    async (label) => {
      const queue = scriptQueue(label);
      // A job of another lane waits.
      await kit.queues.redis.lpush(keys.set(queue, 'wait'), 'other');
      const invocationId = newInvocationId();
      const stop = new AbortController();
      const record = { ...RECORD, agent: 'writer', parent: { invocationId, step: 0 } };
      const run = runChild(kit.queues, kit.notifications, record, stop.signal, { label }).catch(() => {});
      const id = childId(invocationId, 0);
      await eventually(async () => (await placesOf(queue, id)).length > 0);
      await inLane(queue, id, 'writer');
      stop.abort();
      await run;
    },
  );

  it('A delivery goes to the lane at the end of its invocation, and again at a redelivery', async () => {
    const worker = consumerOf('invocations');
    const id = await submit({}, {}, { callback: { url: 'https://hooks.example/' } });
    const job = await take(worker);
    await job.moveToCompleted({ steps: [] }, TOKEN, false);
    await inLane(DELIVERIES, deliveryId(id, 0));
    await redeliver(kit.queues, id, 0);
    await inLane(DELIVERIES, deliveryId(id, 1));
  });

  it('A delivery that was deferred goes to the lane when its receiver is free', async () => {
    const worker = consumerOf('invocations');
    const deliveries = consumerOf(DELIVERIES);
    const id = await submit({}, {}, { callback: { url: 'https://hooks.example/' } });
    await (await take(worker)).moveToCompleted({ steps: [] }, TOKEN, false);
    const delivery = jobIdOf(await take(deliveries));
    expect(delivery).toBe(deliveryId(id, 0));
    const receiver = 'hooks.example';
    const deferred = new DeferredDeliveries(kit.queues.redis, { dueAfter: () => 1 }, () => {});
    await deferred.defer({ id: delivery, token: TOKEN, receiver, estimate: { limit: 1, averageMs: 1e6 } });
    await deferred.resume(receiver, 1);
    await holdAdmission(DELIVERIES);
    await take(deliveries);
    await inLane(DELIVERIES, delivery);
  });

  it('A push delivery goes to the lane with its first status, and with each later one', async () => {
    const id = await submit();
    const configuration = { id: 'one', version: '1.0' as const, url: 'https://hooks.example/' };
    await putPush(kit.queues, { tenant: TENANT, invocationId: id }, configuration);
    const [lane] = await kit.queues.redis.keys(`{errand}:deliveries:${LANE}`);
    expect(await kit.queues.redis.zcard(lane ?? '')).toBe(1);
    const invocationId = newInvocationId();
    const prepared = await preparePush(kit.queues, { tenant: TENANT, invocationId }, configuration);
    await submitInvocations(kit.queues, [{ queue: 'invocations', id: invocationId, record: RECORD, pushes: prepared }]);
    await holdAdmission(DELIVERIES);
    await take(consumerOf(DELIVERIES));
    await inLane(DELIVERIES, Object.values(prepared)[0] ?? '');
  });
});

describe('Jobs in lanes', () => {
  it('A cancel finds a job in the middle of its lane, and leaves no trace of it', async () => {
    await submit();
    const ids = [await submit(), await submit(), await submit()];
    expect(await cancelInvocation(kit.queues, TENANT, ids[1] ?? '')).toBe('cancelled');
    expect(await placesOf('invocations', ids[1] ?? '')).toEqual([]);
    const worker = consumerOf('invocations');
    await take(worker);
    expect([jobIdOf(await take(worker)), jobIdOf(await take(worker))]).toEqual([ids[0], ids[2]]);
    expect(
      (await kit.queues.redis.keys('{errand}:invocations:fair:*')).filter((key) => !key.endsWith(':mean')),
    ).toEqual([]);
  });

  it('A job that was removed is passed over', async () => {
    await submit({}, { tenant: 'other' });
    const ids = [await submit(), await submit()];
    await kit.queues.redis.del(keys.job('invocations', ids[0] ?? ''));
    const worker = consumerOf('invocations');
    await take(worker);
    expect(jobIdOf(await take(worker))).toBe(ids[1]);
  });

  it('The methods of a queue of BullMQ count, list, find, pause, resume and remove them', async () => {
    const queue = kit.queues.byName.invocations;
    const ids = [await submit(), await submit(), await submit({ priority: 2 })];
    expect(await queue.getWaitingCount()).toBe(3);
    expect((await queue.getJobs(['waiting'])).map(({ id }) => id)).toEqual(ids);
    expect((await queue.getJobs(['waiting'], 1, 1)).map(({ id }) => id)).toEqual([ids[1]]);
    expect(await queue.getJobState(ids[2] ?? '')).toBe('waiting');
    await queue.pause();
    expect(await consumerOf('invocations').getNextJob(TOKEN, { block: false })).toBeUndefined();
    await kit.queues.redis.del(keys.set('invocations', 'marker'));
    await queue.resume();
    expect(await kit.queues.redis.zcard(keys.set('invocations', 'marker'))).toBe(1);
    await queue.drain();
    expect(await queue.getWaitingCount()).toBe(0);
    expect(await kit.queues.redis.exists(ids.map((id) => keys.job('invocations', id)))).toBe(0);
  });

  it('More due jobs than one script takes are all taken to their lanes, and none goes before', async () => {
    const worker = consumerOf('invocations');
    const submission = () => ({
      queue: 'invocations' as const,
      id: newInvocationId(),
      record: RECORD,
      options: { delayMs: 1 },
    });
    for (let n = 0; n < 15; n++) await submitInvocations(kit.queues, Array.from({ length: 100 }, submission));
    const delayed = keys.set('invocations', 'delayed');
    await eventually(
      async () => Number((await kit.queues.redis.zrange(delayed, '-1', '-1', 'WITHSCORES'))[1]) / 0x1000 < Date.now(),
    );
    await take(worker);
    expect(await kit.queues.redis.llen(keys.set('invocations', 'wait'))).toBe(0);
    expect(await kit.queues.redis.zcard(delayed)).toBe(500);
    await take(worker);
    expect(await kit.queues.redis.zcard(delayed)).toBe(0);
    expect(await kit.queues.redis.llen(keys.set('invocations', 'wait'))).toBe(0);
    expect(await kit.queues.byName.invocations.getWaitingCount()).toBe(1_498);
  });
});

describe('During an upgrade', () => {
  it('Jobs of an older version, with and without a priority, are taken first', async () => {
    const [ours, other] = [await submit(), await submit({}, { tenant: 'other' })];
    const { redis } = kit.queues;
    const old = { name: 'old', data: JSON.stringify(RECORD), opts: '{}', timestamp: 1 };
    for (const id of ['old-1', 'old-2', 'old-urgent']) await redis.hset(keys.job('invocations', id), old);
    await redis.rpush(keys.set('invocations', 'wait'), 'old-2', 'old-1');
    await redis.zadd(keys.set('invocations', 'prioritized'), 1, 'old-urgent');
    const worker = consumerOf('invocations');
    const order: string[] = [];
    for (let n = 0; n < 5; n++) order.push(jobIdOf(await take(worker)));
    expect(order).toEqual(['old-1', 'old-2', ours, 'old-urgent', other]);
  });

  it('A worker of an older version beside a new one takes what is in the waiting list, and nothing is lost', async () => {
    const ids = [];
    for (let n = 0; n < 30; n++) ids.push(await submit({}, { tenant: n % 2 ? 'acme' : 'other' }));
    const taken: string[] = [];
    const connection = openConnection(kit.redis.url, 'patient');
    const older = new Worker('invocations', async (job) => void taken.push(jobIdOf(job)), {
      connection,
      prefix: PREFIX,
    });
    older.on('error', () => {});
    await kit.serve('invocations', async ({ id }) => {
      taken.push(id);
      return { steps: [{ status: 'succeeded', result: 1 }] };
    });
    await eventually(() => taken.length >= ids.length);
    await older.close();
    connection.disconnect();
    expect(taken.toSorted()).toEqual(ids.toSorted());
  });
});
