import { newInvocationId, ToolError, type Json } from '@errand/contracts';
import { PATIENCE_MS } from '../../../../test/support/eventually.js';
import { recordOf, useQueues } from '../../test/use-queues.js';
import {
  AttemptFailed,
  endedInvocation,
  enqueueInvocation,
  freshInvocation,
  JournalWriter,
  readInvocation,
  cancelInvocation,
  type Accepted,
  type Outcome,
  type Work,
} from '../index.js';

const kit = useQueues();

const succeedWith = (result: Json): Outcome => ({ steps: [{ status: 'succeeded', result, attempts: 1 }] });

/** Runs an invocation. Returns the outcome in the notification of its end, and both ways to its state. */
async function run(handle: (work: Work) => Promise<Outcome>, isAwaited = true) {
  await kit.serve('invocations', handle);
  const id = newInvocationId();
  const subscription = kit.notifications.listen(id, 'end');
  const record = recordOf({ metadata: { order: '7' } });
  const accepted = (await enqueueInvocation(kit.queues, { queue: 'invocations', id, record, isAwaited })) as Accepted;
  expect(await subscription.next(AbortSignal.timeout(PATIENCE_MS))).toBe(true);
  const { outcome } = subscription;
  const read = await readInvocation(kit.queues, 'default', id);
  return {
    outcome,
    read,
    told: outcome === undefined ? undefined : endedInvocation(freshInvocation(accepted), outcome),
  };
}

it.each<[what: string, result: Json]>([
  ['a text', 'ü "\n\u0000 1 2'],
  ['an object', { a: [1, null, { b: 'c d' }] }],
  ['nothing', null],
])('The notification of an awaited end has the outcome that a read returns: %s', async (_, result) => {
  const { told, read } = await run(async () => succeedWith(result));
  expect(told).toEqual(read);
  expect(told).toMatchObject({ status: 'succeeded', result, startedAt: expect.any(String), metadata: { order: '7' } });
});

it.each<[what: string, handle: (work: Work) => Promise<Outcome>, status: string]>([
  ['failed', () => Promise.reject(new AttemptFailed(new ToolError('NodeError', 'broken'), undefined)), 'failed'],
  ['has a long result', async () => succeedWith('x'.repeat(5_000)), 'succeeded'],
  [
    'has state beside its job',
    async ({ id, attempt }) => {
      await new JournalWriter(kit.queues, 'invocations', id, attempt).writeState('progress', 0.5);
      return succeedWith(1);
    },
    'succeeded',
  ],
  [
    'has a cancel request',
    async ({ id }) => {
      await cancelInvocation(kit.queues, 'default', id);
      return succeedWith(1);
    },
    'cancelled',
  ],
])('The notification has no outcome of an awaited invocation that %s', async (_, handle, status) => {
  const { outcome, read } = await run(handle);
  expect(outcome).toBeUndefined();
  expect(read).toMatchObject({ status });
});

it('The notification has no outcome of an invocation that nobody awaits', async () => {
  expect((await run(async () => succeedWith(1), false)).outcome).toBeUndefined();
});
