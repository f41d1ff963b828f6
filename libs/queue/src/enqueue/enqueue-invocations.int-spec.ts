import { writeBullmqEvents } from '../bullmq/bull-events.js';
import { newInvocationId } from '@errand/contracts';
import { Queue, type JobsOptions } from 'bullmq';
import { startRedis, type TestRedis } from '../../../../test/support/start-redis.js';
import {
  connectQueues,
  QueueFullError,
  submitInvocations,
  type InvocationRecord,
  type NewInvocation,
  type Queues,
} from '../index.js';
import type { SubmissionRules } from '../redis/connect.js';
import { deliveryId } from '../redis/job-ids.js';
import { FIELD } from '../redis/job-fields.js';
import { keys } from '../redis/names.js';
import { DELIVERY_OPTIONS, jobOptions } from './job-options.js';

let redis: TestRedis;
let queues: Queues;
const opened: Queues[] = [];
beforeEach(async () => {
  redis = await startRedis();
  queues = open();
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((one) => one.close()));
  await redis.stop();
});

function open(bound = 0, rules: SubmissionRules = {}): Queues {
  const bounds = { waiting: bound, delayed: 0 };
  const one = connectQueues(redis.url, { ageSeconds: 3_600, count: 1_000 }, bounds, undefined, rules);
  opened.push(one);
  return one;
}

afterEach(() => writeBullmqEvents(false));

/** Enqueues one invocation: `taken`, or `full` if the queue holds its bound. */
async function enqueue(into: Queues, invocation: NewInvocation): Promise<'taken' | 'full'> {
  const [accepted] = await submitInvocations(into, [invocation]);
  return accepted instanceof QueueFullError ? 'full' : 'taken';
}

const NAME = 'test:tool';
const AT = 1_700_000_000_000;

function newInvocation(over: Partial<NewInvocation> = {}): NewInvocation {
  const call = { toolId: NAME, version: '1.0.0', digest: 'd', kind: 'node', arguments: { n: 1 } } as const;
  const record: InvocationRecord = { tenant: 'default', mode: 'sequence', calls: [call], metadata: { ä: '"\u0000' } };
  return { queue: 'invocations', id: newInvocationId(AT), record, options: {}, ...over };
}

/**
 * A job as stored in Redis, without its lane, and without the `jobId` and `timestamp` in its options: BullMQ repeats them there, Errand does
 * not.
 */
async function storedJob(id: string) {
  const { opts, [FIELD.lane]: lane, ...hash } = await queues.redis.hgetall(keys.job('invocations', id));
  const { jobId: _, timestamp: __, ...options } = JSON.parse(opts ?? '{}') as JobsOptions;
  return { hash, options, lane };
}

it.each([
  ['at once', {}, 'waiting'],
  ['later', { delayMs: 60_000 }, 'delayed'],
  ['by its priority', { priority: 3 }, 'waiting'],
] as const)('A job that runs %s is stored exactly as BullMQ stores it', async (_, given, set) => {
  writeBullmqEvents(true);
  const ours = newInvocation({ options: given });
  const theirs = newInvocation();
  await enqueue(queues, ours);
  await queues.byName.invocations.add(NAME, theirs.record, { jobId: theirs.id, timestamp: AT, ...jobOptions(given) });
  const { lane, ...ourJob } = await storedJob(ours.id);
  const { lane: _lane, ...theirJob } = await storedJob(theirs.id);
  expect(ourJob).toEqual(theirJob);
  expect(lane).toBe('0:default:');
  expect(await queues.byName.invocations.getJobCounts()).toMatchObject({ [set]: 2 });
});

it('A plain job is stored as BullMQ stores it, without the fields delay, priority and opts, and read with them', async () => {
  const [ours, theirs] = [newInvocation(), newInvocation()];
  await enqueue(queues, ours);
  const { invocations } = queues.byName;
  await invocations.add(NAME, theirs.record, { jobId: theirs.id, timestamp: AT, ...jobOptions({}) });
  const [{ hash }, stored] = await Promise.all([storedJob(ours.id), storedJob(theirs.id)]);
  expect({ ...hash, delay: '0', priority: '0' }).toEqual(stored.hash);
  const fields = await queues.redis.hkeys(keys.job('invocations', ours.id));
  expect(fields.toSorted()).toEqual(['data', 'name', 'timestamp']);
  const opts = { attempts: 1_000_000, backoff: { type: 'errand' }, stackTraceLimit: 0 };
  const read = { id: ours.id, delay: 0, priority: 0, timestamp: AT, opts };
  expect(await invocations.getJob(ours.id)).toMatchObject(read);
  const [listed] = await invocations.getJobs(['waiting'], 0, 0, true);
  expect(listed).toMatchObject(read);
});

it('Jobs of one request that differ in tool, flags and index fields are each stored as they are', async () => {
  const calling = (...tools: string[]) => ({
    calls: tools.map((toolId) => ({ toolId, version: '1.0.0', digest: 'd', kind: 'node' as const, arguments: {} })),
  });
  const made = [
    { over: calling('test:a') },
    { over: { ...calling('test:a'), agent: 'ada' } },
    { over: calling('test:a'), isAwaited: true },
    { over: calling('test:a', 'test:b') },
    { over: calling('test:a', 'test:b', 'test:a') },
    { over: { ...calling('test:a'), session: 'one\ntwo' } },
    { over: { ...calling('test:a'), session: 'one\ntwo' }, source: { text: 'a text', protocol: 'auto' as const } },
    { over: { ...calling('test:a'), tenant: 'acme' } },
    { over: calling('test:a'), options: { priority: 2 } },
    { over: calling('test:a') },
  ].map(({ over, ...more }) => {
    const { record, ...plain } = newInvocation();
    return { ...plain, ...more, record: { ...record, ...over } };
  });
  await submitInvocations(queues, made);
  const stored = await Promise.all(made.map(({ id }) => queues.redis.hgetall(keys.job('invocations', id))));
  const names = [
    'test:a',
    'test:a',
    'test:a',
    'test:a → test:b',
    'test:a → test:b → test:a',
    ...Array(5).fill('test:a'),
  ];
  expect(stored.map(({ name }) => name)).toEqual(names);
  expect(stored.map(({ data }) => JSON.parse(data ?? ''))).toEqual(made.map(({ record }) => record));
  expect(stored.map((job) => job[FIELD.awaited] ?? '')).toEqual(['', '', '1', ...Array(7).fill('')]);
  const lanes = ['', '0:default:ada', '', '', '', '', '', '0:acme:', '0:default:', ''];
  expect(stored.map((job) => job[FIELD.lane] ?? '')).toEqual(lanes);
  const noted = (await queues.redis.lrange(keys.statsLog, 0, -1)).map((entry) =>
    entry.replace(/^\d+ /, '').split(' - '),
  );
  const accepted = { kind: 'accepted', queue: 'invocations', tenant: 'default', tools: ['test:a'] };
  const several = { ...accepted, tools: ['test:a', 'test:b'] };
  const entries = noted.map(([count, json]) => ({ count: Number(count), ...JSON.parse(json ?? '') }));
  expect(entries).toHaveLength(4);
  expect(entries).toEqual(
    expect.arrayContaining([
      { ...accepted, count: 6 },
      { ...accepted, count: 1, agent: 'ada' },
      { ...several, count: 2 },
      { ...accepted, count: 1, tenant: 'acme' },
    ]),
  );
  const members = async (tenant: string, set: string) =>
    (await queues.redis.zrange(keys.index(tenant, set), '0', '-1')).map((member) =>
      made.findIndex(({ id }) => id === `inv_${member}`),
    );
  expect(await members('default', 'tool:test:a')).toEqual([0, 1, 2, 3, 4, 5, 6, 8, 9]);
  expect(await members('default', 'tool:test:b')).toEqual([3, 4]);
  expect(await members('default', 'agent:ada')).toEqual([1]);
  expect(await members('default', 'session:one\ntwo')).toEqual([5, 6]);
  expect(await members('default', 'later')).toEqual([8]);
  expect(await members('default', 'changed')).toEqual([0, 1, 2, 3, 4, 5, 6, 8, 9]);
  expect(await members('acme', 'tool:test:a')).toEqual([7]);
  expect(await queues.redis.exists(...made.map(({ id }) => keys.source(id)))).toBe(1);
});

it("BullMQ's own queue reads a plain job", async () => {
  const ours = newInvocation();
  await enqueue(queues, ours);
  const queue = new Queue('invocations', { connection: { url: redis.url }, prefix: '{errand}' });
  const job = await queue.getJob(ours.id);
  expect(job).toMatchObject({ id: ours.id, name: NAME, data: ours.record, timestamp: AT });
  expect(await queue.getJobState(ours.id)).toBe('waiting');
  await queue.close();
});

it('A process that may meet older workers stores the options of plain jobs', async () => {
  const worker = open(0, { storesPlainOptions: true });
  const [ours, theirs] = [newInvocation(), newInvocation()];
  await enqueue(worker, ours);
  await queues.byName.invocations.add(NAME, theirs.record, { jobId: theirs.id, timestamp: AT, ...jobOptions({}) });
  expect((await storedJob(ours.id)).options).toEqual((await storedJob(theirs.id)).options);
});

it('A job that runs at once is added without events of BullMQ, which nobody reads', async () => {
  await enqueue(queues, newInvocation());
  expect(await queues.redis.exists(keys.set('invocations', 'events'))).toBe(0);
});

it('A batch of plain jobs needs one command for each job, and few for all of them', async () => {
  const commandsOf = async (count: number) => {
    await queues.redis.config('RESETSTAT');
    await Promise.all(Array.from({ length: count }, () => enqueue(queues, newInvocation())));
    const counts = [...(await queues.redis.info('commandstats')).matchAll(/^cmdstat_[^:]+:calls=(\d+)/gm)];
    return counts.reduce((sum, [, calls]) => sum + Number(calls), 0);
  };
  await Promise.all([enqueue(queues, newInvocation()), enqueue(queues, newInvocation())]);
  const one = await commandsOf(1);
  // HSET for each further job.
  expect(await commandsOf(50)).toBe(one + 49);
});

it('Jobs of one batch wait in their order, also those of other tools and those with callbacks', async () => {
  const { record } = newInvocation();
  const other = { record: { ...record, calls: record.calls.map((call) => ({ ...call, toolId: 'test:other' })) } };
  const kinds = [{}, other, { callback: { url: 'https://example.com/' } }, {}, other, {}];
  const many = kinds.map((over) => newInvocation(over));
  await Promise.all(many.map((one) => enqueue(queues, one)));
  const waiting = await queues.byName.invocations.getJobs(['waiting'], 0, -1, true);
  expect(waiting.map(({ id }) => id)).toEqual(many.map(({ id }) => id));
});

it('An invocation that comes twice in one batch is stored once', async () => {
  const one = newInvocation();
  expect(await Promise.all([enqueue(queues, one), enqueue(queues, one)])).toEqual(['taken', 'taken']);
  expect(await queues.byName.invocations.getJobCounts()).toMatchObject({ waiting: 1 });
});

it('A paused queue takes plain jobs without waking a consumer', async () => {
  await queues.byName.invocations.pause();
  await enqueue(queues, newInvocation());
  expect(await queues.redis.exists(keys.set('invocations', 'marker'))).toBe(0);
  expect(await queues.byName.invocations.getJobCounts()).toMatchObject({ waiting: 1 });
});

it('A plain job and its delivery are stored as the scripts of BullMQ store them, apart from the fields delay, priority and opts', async () => {
  const callback = { url: 'https://example.com/' };
  const submit = async () => {
    const invocation = newInvocation({ callback });
    await enqueue(queues, invocation);
    return invocation.id;
  };
  const plain = await submit();
  // BullMQ's scripts add what has to write events. Another process knows nothing of plain kinds.
  writeBullmqEvents(true);
  const whole = await submit();
  const storedOf = async (id: string) => {
    const delivery = deliveryId(id, 0);
    const found = await Promise.all([
      queues.redis.hgetall(keys.job('invocations', id)),
      queues.redis.hgetall(keys.job('deliveries', delivery)),
      queues.redis.smembers(`${keys.job('deliveries', delivery)}:dependencies`),
      queues.redis.zscore(keys.set('deliveries', 'waiting-children'), delivery),
    ]);
    return JSON.parse(JSON.stringify(found).replaceAll(id.slice(4), 'id')) as [
      Record<string, string>,
      Record<string, string>,
      string[],
      string,
    ];
  };
  const withoutOptions = (job: Record<string, string>) => {
    const { opts: _, [FIELD.lane]: _lane, parent = '{}', ...fields } = job;
    return { ...fields, parent: JSON.parse(parent) as object };
  };
  const [[job, delivery, children, score], [theirJob, theirDelivery, ...others]] = [
    await storedOf(plain),
    await storedOf(whole),
  ];
  expect(withoutOptions({ delay: '0', priority: '0', ...job })).toEqual(withoutOptions(theirJob));
  expect(withoutOptions({ delay: '0', ...delivery })).toEqual(withoutOptions(theirDelivery));
  expect([children, score]).toEqual(others);
  expect([job['opts'], delivery['opts'], delivery['priority']]).toEqual([undefined, undefined, '1']);
});

it('A process that may meet older workers stores the options of deliveries', async () => {
  const worker = open(0, { storesPlainOptions: true });
  const ours = newInvocation({ callback: { url: 'https://example.com/' } });
  await enqueue(worker, ours);
  const opts = await queues.redis.hget(keys.job('deliveries', deliveryId(ours.id, 0)), 'opts');
  expect(JSON.parse(opts ?? '')).toEqual(DELIVERY_OPTIONS);
});

it('A job with a callback is the child of its delivery, like in a BullMQ flow', async () => {
  const ours = newInvocation({ callback: { url: 'https://example.com/' } });
  await enqueue(queues, ours);
  const delivery = deliveryId(ours.id, 0);
  const { hash } = await storedJob(ours.id);
  const job = await queues.byName.invocations.getJob(ours.id);
  expect(hash.parentKey).toBe(keys.job('deliveries', delivery));
  expect(job!.parent).toEqual({ id: delivery, queueKey: '{errand}:deliveries', rdof: true });
  expect(await (await queues.deliveries.getJob(delivery))!.getDependencies()).toMatchObject({
    unprocessed: [keys.job('invocations', ours.id)],
  });
  expect((await queues.deliveries.getJob(delivery))!.data).toEqual({
    tenant: 'default',
    invocationId: ours.id,
    callback: { url: 'https://example.com/' },
  });
});

it('Invocations of one tick of the event loop are enqueued by one command', async () => {
  await enqueue(queues, newInvocation());
  await queues.redis.config('RESETSTAT');
  await Promise.all(Array.from({ length: 5 }, () => enqueue(queues, newInvocation())));
  expect(await queues.redis.info('commandstats')).toContain('cmdstat_evalsha:calls=1,');
  expect(await queues.byName.invocations.getJobCounts()).toMatchObject({ waiting: 6 });
});

it('Each invocation of a batch is accepted or refused by itself, in order, up to the bound of the queue', async () => {
  const bounded = open(3);
  await enqueue(bounded, newInvocation());
  const five = Array.from({ length: 5 }, (_, n) => newInvocation({ options: n === 1 ? { delayMs: 60_000 } : {} }));
  expect(await Promise.all(five.map((one) => enqueue(bounded, one)))).toEqual([
    'taken',
    // It has a delay, and another bound.
    'taken',
    'taken',
    'full',
    'full',
  ]);
  expect(await enqueue(bounded, five[0]!)).toBe('taken');
  expect(await queues.redis.exists(five.slice(3).map(({ id }) => keys.job('invocations', id)))).toBe(0);
  expect(await queues.byName.invocations.getJobCounts()).toMatchObject({ waiting: 3, delayed: 1 });
});

it('Submissions that exceed one batch are all accepted in their order', async () => {
  const many = Array.from({ length: 250 }, () => newInvocation());
  await Promise.all(many.map((one) => enqueue(queues, one)));
  const waiting = await queues.byName.invocations.getJobs(['waiting']);
  expect(waiting.map(({ id }) => id)).toEqual(many.map(({ id }) => id));
});

it('A record that cannot be stored is refused alone, and a full Redis refuses all', async () => {
  const circle: Record<string, unknown> = {};
  circle.circle = circle;
  const bad = newInvocation({ record: { ...newInvocation().record, metadata: circle as never } });
  const both = await Promise.allSettled([enqueue(queues, bad), enqueue(queues, newInvocation())]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
  await queues.redis.config('SET', 'maxmemory', '1');
  const none = await Promise.allSettled([enqueue(queues, newInvocation()), enqueue(queues, newInvocation())]);
  expect(none.map((each) => each.status === 'rejected' && String(each.reason))).toEqual(
    Array(2).fill(expect.stringContaining('OOM')),
  );
  expect(await queues.byName.invocations.getJobCounts()).toMatchObject({ waiting: 1 });
});

it('Enqueueing continues after Redis loses its cached scripts', async () => {
  await enqueue(queues, newInvocation());
  await queues.redis.script('FLUSH');
  expect(await enqueue(queues, newInvocation())).toBe('taken');
});
