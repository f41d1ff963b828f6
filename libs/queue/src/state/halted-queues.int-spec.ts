import { newInvocationId } from '@errand/contracts';
import { idleWorker } from '../../test/idle-worker.js';
import { recordOf, succeed, useQueues } from '../../test/use-queues.js';
import { explainRow, explainWait, readInvocation, scriptQueue, submitInvocation, type WorkQueue } from '../index.js';
import { childId } from '../redis/job-ids.js';
import { keys } from '../redis/names.js';
import { eventually } from '../../../../test/support/eventually.js';
import { readImpact } from './read-impact.js';

let end: () => void;
let ended: Promise<void>;
beforeEach(() => {
  ended = new Promise((resolve) => (end = resolve));
});
// Before the consumers close: they wait for their jobs.
afterEach(() => end());
const kit = useQueues({ each: true });

/** An invocation that runs until the end of the test. */
async function begin(): Promise<string> {
  await kit.serve('invocations', async () => {
    await ended;
    return succeed();
  });
  const id = await kit.submit();
  await kit.until(id, 'running');
  return id;
}

/** Gives a node of a running invocation a script, as a worker does. */
async function addScript(id: string, queue: WorkQueue): Promise<string> {
  const child = childId(id, 0, 'call:1');
  await kit.queues.redis.hset(keys.children(id), child, queue);
  await kit.queues
    .of(queue)
    .add('studio:render', recordOf({ parent: { invocationId: id, step: 0 } }), { jobId: child });
  return child;
}

const read = async (id: string) => (await readInvocation(kit.queues, 'default', id))!;
/** The reason on the page of the invocation and in its row. */
const reasonsOf = async (id: string) => {
  const invocation = await read(id);
  return [(await explainWait(kit.queues, invocation))?.waitingFor, await explainRow(kit.queues, invocation)];
};
const become = (id: string, reason: string | undefined) =>
  eventually(async () => (await reasonsOf(id)).every((each) => each === reason), `the reason is ${reason}`);

describe('A running invocation whose script no script-runner has', () => {
  it.each([
    ['scripts', 'a script-runner: none is alive'],
    [scriptQueue('gpu'), "a script-runner that offers 'gpu': none is alive"],
  ] as const)('A script in the queue %s waits for a runner, also after its runner has died', async (queue, reason) => {
    const id = await begin();
    await become(id, undefined);
    await kit.queues.redis.sadd(keys.labels, 'gpu');
    await addScript(id, queue);
    await become(id, reason);
    // It takes the job, but never renews its lock and sends no heartbeat.
    const runner = idleWorker(kit.redis.url, queue, { lockMs: 1_000 });
    await runner.getNextJob('token', { block: false });
    await become(id, undefined);
    await become(id, reason);
    await kit.serve(queue, () => ended.then(succeed));
    await become(id, undefined);
  });

  it('A script that runs is no wait, although its runner takes no further job', async () => {
    const id = await begin();
    await addScript(id, 'scripts');
    await idleWorker(kit.redis.url, 'scripts').getNextJob('token', { block: false });
    await become(id, undefined);
  });

  it('While each queue starts its jobs, nothing more is read of a running invocation', async () => {
    const id = await begin();
    // The end of a script reads its job.
    await kit.serve('scripts', () => ended.then(succeed));
    await addScript(id, 'scripts');
    await become(id, undefined);
    const invocation = await read(id);
    await kit.queues.redis.config('RESETSTAT');
    await explainWait(kit.queues, invocation);
    await explainRow(kit.queues, invocation);
    expect(await kit.queues.redis.info('commandstats')).not.toContain('cmdstat_hgetall');
  });
});

describe('A row of a queued invocation', () => {
  it('A queued invocation says in its row that no process takes jobs of its queue', async () => {
    const id = await kit.submit();
    await become(id, 'a worker: none is alive');
    await submitInvocation(kit.queues, 'scripts', `${id}.0`, recordOf());
    expect(await explainRow(kit.queues, { ...(await read(id)), id: `${id}.0` })).toBe('a script-runner: none is alive');
  });
});

describe('The impact of a cancel', () => {
  const nodeWith = (over: object) => ({
    nodeId: 'call',
    type: 'core:tool',
    startedAt: null,
    finishedAt: null,
    ...over,
  });
  const runningIn = async (id: string, over: object) =>
    (await readImpact(kit.queues, { ...(await read(id)), steps: [{ ...(await read(id)).steps[0]!, ...over }] }))
      .running;
  const running = { status: 'running' } as const;

  it('A suspended step or node does not run, and neither does a script that no runner has', async () => {
    const id = await begin();
    const waiting = { for: 'time', until: null } as const;
    expect(await runningIn(id, {})).toEqual([{ step: 0, where: 'worker' }]);
    expect(await runningIn(id, { waiting: { for: 'runner', label: 'gpu', until: null } })).toEqual([]);
    expect(await runningIn(id, { nodes: [nodeWith({ ...running, waiting })] })).toEqual([]);
    expect(await runningIn(id, { nodes: [nodeWith(running)] })).toEqual([{ step: 0, nodeId: 'call', where: 'worker' }]);
    await addScript(id, 'scripts');
    expect(await runningIn(id, { nodes: [nodeWith(running)] })).toEqual([]);
    await idleWorker(kit.redis.url, 'scripts').getNextJob('token', { block: false });
    expect(await runningIn(id, { nodes: [nodeWith(running)] })).toEqual([
      { step: 0, nodeId: 'call', where: 'script-runner' },
    ]);
  });

  it('Of many waiters, 1,000 are named and the others are counted', async () => {
    const id = await begin();
    const ids = Array.from({ length: 1_500 }, () => newInvocationId());
    await kit.queues.redis.sadd(keys.waiters(id), ...ids);
    const { waiters, moreWaiters } = await readImpact(kit.queues, await read(id));
    expect([waiters.length, new Set([...waiters, ...ids]).size, moreWaiters]).toEqual([1_000, 1_500, 500]);
    await kit.queues.redis.srem(keys.waiters(id), ...ids.slice(1));
    expect(await readImpact(kit.queues, await read(id))).toMatchObject({ waiters: ids.slice(0, 1) });
    expect(await readImpact(kit.queues, await read(id))).not.toHaveProperty('moreWaiters');
  });
});
