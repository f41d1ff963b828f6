import { newInvocationId, ToolError } from '@errand/contracts';
import { recordOf, succeed, useQueues } from '../../test/use-queues.js';
import {
  AttemptFailed,
  SuspendJob,
  submitInvocation,
  type Subscription,
  type Outcome,
  type Queues,
  NotificationHub,
} from '../index.js';
import { notifyProcesses } from '../redis/channels.js';
import { keys } from '../redis/names.js';
import { drainOf } from '../redis/notification-names.js';
import { PATIENCE_MS } from '../../../../test/support/eventually.js';

const kit = useQueues();
const { serve } = kit;
let queues: Queues;
let notifications: NotificationHub;
beforeAll(() => {
  ({ queues, notifications } = kit);
});

const rings = (subscription: Subscription) => subscription.next(AbortSignal.timeout(PATIENCE_MS));
const silent = (subscription: Subscription) => subscription.next(AbortSignal.abort()).then((isNotified) => !isNotified);
const subscribers = () => queues.redis.client('LIST', 'TYPE', 'PUBSUB') as Promise<string>;

/**
 * Runs a job whose attempts have these outcomes in order. Each call of the returned function lets the next attempt
 * continue.
 */
async function runByHand(tries: readonly (() => Promise<Outcome>)[]): Promise<() => void> {
  const opened: (() => void)[] = [];
  const gates = tries.map(() => new Promise<void>((resolve) => opened.push(resolve)));
  await serve('invocations', async ({ attempt }) => {
    await gates[attempt - 1];
    return tries[attempt - 1]!();
  });
  return () => opened.shift()!();
}

it('A subscriber is notified when a job begins, waits for a retry, suspends and ends, and a waiter only when it ends', async () => {
  const goOn = await runByHand([
    () => Promise.reject(new AttemptFailed(new ToolError('ServiceError', 'away'), 0)),
    () => Promise.reject(new SuspendJob(undefined, 'answer')),
    succeed,
  ]);
  const id = newInvocationId();
  const [subscription, endSubscription] = [notifications.listen(id), notifications.listen(id, 'end')];
  await submitInvocation(queues, 'invocations', id, recordOf(), { attempts: 3 });
  expect(await rings(subscription)).toBe(true);
  goOn();
  // The job was scheduled for a retry and has begun again.
  await notifications.until(id, AbortSignal.timeout(PATIENCE_MS), async () =>
    (await queues.redis.hget(keys.job('invocations', id), 'ats')) === '2' ? true : undefined,
  );
  await rings(subscription);
  goOn();
  await kit.until(id, 'waiting_external');
  expect(await rings(subscription)).toBe(true);
  expect(await silent(endSubscription)).toBe(true);
  await (await queues.byName.invocations.getJob(id))!.promote();
  await kit.until(id, 'running');
  goOn();
  expect(await rings(endSubscription)).toBe(true);
  expect(await rings(subscription)).toBe(true);
  subscription.close();
  endSubscription.close();
});

it('Every subscriber is notified after a lost connection is restored', async () => {
  const endSubscription = notifications.listen(newInvocationId(), 'end');
  await queues.redis.client('KILL', 'TYPE', 'PUBSUB');
  expect(await rings(endSubscription)).toBe(true);
  expect(await queues.redis.pubsub('NUMSUB', keys.notifications)).toEqual([keys.notifications, 1]);
  endSubscription.close();
});

it('A message with several lines notifies of each', async () => {
  const [first, second, third] = [newInvocationId(), newInvocationId(), newInvocationId()];
  const subscriptions = [notifications.listen(first), notifications.listen(second, 'end'), notifications.listen(third)];
  await queues.redis.publish(keys.notifications, `${first}\nended ${second} 1 2 1 {}\n${third}`);
  for (const subscription of subscriptions) expect(await rings(subscription)).toBe(true);
  expect(subscriptions.map(({ outcome }) => outcome)).toEqual([undefined, '1 2 1 {}', undefined]);
  for (const subscription of subscriptions) subscription.close();
});

it('A process that wants no notifications of invocations receives only the others', async () => {
  const hub = await NotificationHub.open(kit.redis.url, ['{errand}'], 'control');
  try {
    const heard: string[] = [];
    hub.hearAll((name) => heard.push(name));
    const drain = hub.listen(drainOf('prc_1'));
    await serve('invocations', succeed);
    await kit.until(await kit.submit(), 'succeeded');
    await notifyProcesses(queues.redis, drainOf('prc_1'));
    expect(await rings(drain)).toBe(true);
    expect(heard).toEqual([drainOf('prc_1')]);
  } finally {
    hub.close();
  }
});

it('One process uses one Redis subscription for all its listeners', async () => {
  const subscriptions = Array.from({ length: 50 }, () => notifications.listen(newInvocationId()));
  expect((await subscribers()).trim().split('\n')).toHaveLength(1);
  for (const subscription of subscriptions) subscription.close();
});
