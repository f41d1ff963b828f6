import { ToolError } from '@errand/contracts';
import { Redis } from 'ioredis';
import { storedKeys } from '../../test/stored-keys.js';
import { recordOf, TestQueues } from '../../test/use-queues.js';
import {
  cancelInvocation,
  cancelWaiting,
  submitInvocation,
  submitInvocations,
  type InvocationRecord,
  type SubmitOptions,
} from '../index.js';
import { keys } from '../redis/names.js';
import { eventually } from '../../../../test/support/eventually.js';

const idAt = (n: number) => `inv_01900000-0000-7000-8000-${String(n).padStart(12, '0')}`;
const REASON = 'bulk action b';
const LATER = { delayMs: 86_400_000 };
const WAYS: [SubmitOptions, Partial<InvocationRecord>][] = [
  [{}, {}],
  [{ priority: 5 }, {}],
  [LATER, {}],
  [{}, { session: 's', agent: 'a', metadata: { k: 'v' } }],
  [LATER, { idempotency: 'digest', session: 't' }],
  [{}, { calls: [...recordOf().calls, ...recordOf({}, { toolId: 'test:other' }).calls] }],
];
/** The first one waits for a retry. More than one script cancels; the last ones stay. */
const IDS = Array.from({ length: 40 }, (_, n) => idAt(n));
const CANCELLED = IDS.slice(0, 34);

const opened: TestQueues[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) {
    await each.endConsumers();
    await each.close();
  }
});

async function open(): Promise<TestQueues> {
  const kit = new TestQueues();
  await kit.open({});
  opened.push(kit);
  return kit;
}

async function fill(kit: TestQueues): Promise<void> {
  const { queues } = kit;
  await kit.serve('invocations', () => Promise.reject(new ToolError('ServiceError', 'away')));
  const again: SubmitOptions = { attempts: 5, backoff: { type: 'fixed', delayMs: 86_400_000 } };
  await submitInvocation(queues, 'invocations', idAt(0), recordOf(), again);
  await eventually(async () => {
    const job = await queues.byName.invocations.getJob(idAt(0));
    return (await job?.isDelayed()) === true;
  }, 'it waits for a retry');
  await kit.endConsumers();
  for (const [n, id] of IDS.entries()) {
    const [options, over] = WAYS[n % WAYS.length] ?? [{}, {}];
    const callback = n % 5 === 4 ? { url: 'https://example.com/' } : undefined;
    if (n > 0)
      await submitInvocations(queues, [{ queue: 'invocations', id, record: recordOf(over), options, callback }]);
  }
  const far = `>${idAt(90)}`;
  await queues.redis.sadd(keys.waiters(idAt(1)), far);
}

/** What a cancel leaves: all keys, the notifications and the order of changes. */
async function traceOf(cancel: (kit: TestQueues) => Promise<string[]>) {
  const kit = await open();
  await fill(kit);
  const listener = new Redis(kit.redis.url);
  const heard: string[] = [];
  listener.on('pmessage', (_pattern, _channel, message: string) => heard.push(...message.split('\n')));
  await listener.psubscribe('*');
  const outcomes = await cancel(kit);
  await kit.queues.redis.publish('last', 'last');
  await eventually(() => heard.includes('last'), 'all is heard');
  listener.disconnect();
  const changes = await kit.queues.redis.zrange('{errand}:index:default:changed', '0', '-1');
  // A group notes its waiters of other shards before the notifications of its ends.
  const [notes, others] = [true, false].map((isNote) => heard.filter((name) => (name === keys.farWaiters) === isNote));
  return { outcomes, keys: await storedKeys(kit.queues.redis), notes, heard: others, changes };
}

describe('Cancel of waiting invocations in groups', () => {
  it('It leaves the same keys, notifications and order of changes as single cancels', async () => {
    const [single, group] = await Promise.all([
      traceOf(async ({ queues }) => {
        const cancelled = [];
        for (const id of CANCELLED)
          if ((await cancelInvocation(queues, 'default', id, REASON)) === 'cancelled') cancelled.push(id);
        return cancelled;
      }),
      traceOf(async ({ queues }) => [...(await cancelWaiting(queues, 'default', CANCELLED, REASON))]),
    ]);
    expect(group.outcomes.toSorted()).toEqual(CANCELLED);
    expect(group).toEqual({ ...single, outcomes: group.outcomes });
    expect(group.notes).toEqual([keys.farWaiters]);
  });

  it('It leaves those that run, have scripts, have ended, or belong to another tenant', async () => {
    const kit = await open();
    const { queues } = kit;
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    await kit.serve('invocations', async () => held.then(() => ({ steps: [{ status: 'succeeded', result: 1 }] })));
    const running = await kit.submit();
    await kit.until(running, 'running');
    const ended = await kit.submit(LATER);
    await cancelInvocation(queues, 'default', ended);
    const foreign = await kit.submit(LATER, { tenant: 'acme' });
    const waiting = await kit.submit(LATER);
    const withScript = await kit.submit(LATER);
    await queues.redis.hset(keys.children(withScript), 'a-script', 'scripts');
    const ids = [running, ended, foreign, waiting, withScript, idAt(99)];
    expect([...(await cancelWaiting(queues, 'default', ids, REASON))]).toEqual([waiting]);
    release();
    await kit.until(running, 'succeeded');
  });
});
