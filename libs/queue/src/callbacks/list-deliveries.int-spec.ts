import { newInvocationId } from '@errand/contracts';
import { recordOf, succeed, useQueues } from '../../test/use-queues.js';
import { eventually } from '../../../../test/support/eventually.js';
import { consumeDeliveries, listDeliveries, redeliver, RetentionCleaner } from '../index.js';
import { enqueueInvocation } from '../enqueue/enqueue-invocations.js';

const test = useQueues({ each: true });

/** Enqueues an invocation with a callback to this host. */
async function submitTo(host: string, tenant = 'default'): Promise<string> {
  const id = newInvocationId();
  const callback = { url: `http://${host}/hook` };
  await enqueueInvocation(test.queues, { queue: 'invocations', id, record: recordOf({ tenant }), callback });
  return id;
}

/** Sends each delivery: hosts that begin with `dead` refuse it. */
async function deliver(): Promise<void> {
  const options = { concurrency: 10, perReceiver: () => 10, scheduleMs: [], lockMs: 30_000, stalledMs: 30_000 };
  const attempt = { at: new Date().toISOString(), durationMs: 1 };
  const consumer = consumeDeliveries(
    test.redis.url,
    test.queues,
    { ...options, onError: () => {} },
    async ({ callback }) =>
      callback.url.includes('//dead')
        ? { verdict: 'refused', attempt: { ...attempt, statusCode: 410, error: '410' } }
        : { verdict: 'delivered', attempt },
  );
  test.keep(consumer);
  await consumer.ready();
}

const list = async (query: Parameters<typeof listDeliveries>[2] = {}, tenant = 'default') =>
  (await listDeliveries(test.queues, tenant, query, { limit: 100 })).items;
const idsOf = (items: readonly { invocationId: string }[]) => items.map(({ invocationId }) => invocationId);

describe('The list of deliveries', () => {
  it('The list has the deliveries of the tenant, newest first, and finds them by receiver and time', async () => {
    const first = await submitTo('one.example:81');
    const second = await submitTo('two.example');
    const other = await submitTo('one.example:81', 'acme');
    expect(await list()).toMatchObject([
      { invocationId: second, index: 0, status: 'waiting', receiver: 'two.example' },
      { invocationId: first, status: 'waiting', receiver: 'one.example:81', url: 'http://one.example:81/hook' },
    ]);
    expect(idsOf(await list({ receiver: 'one.example:81' }))).toEqual([first]);
    expect(idsOf(await list({ status: 'failed' }))).toEqual([]);
    expect(idsOf(await list({ from: Date.now() + 1_000 }))).toEqual([]);
    expect(idsOf(await list({}, 'acme'))).toEqual([other]);
  });

  it('Pages of the list have each delivery once', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 7; n++) ids.push(await submitTo('one.example'));
    const seen: string[] = [];
    for (let after: string | undefined, n = 0; n < 10; n++) {
      const page = await listDeliveries(test.queues, 'default', {}, { limit: 3, after });
      seen.push(...idsOf(page.items));
      if (page.next === undefined) break;
      after = page.next;
    }
    expect(seen).toEqual(ids.toReversed());
  });

  it('A dead delivery is found by its status until it is repeated', async () => {
    const dead = await submitTo('dead.example');
    const alive = await submitTo('alive.example');
    await test.serve('invocations', succeed);
    await deliver();
    const failed = await eventually(async () => {
      const found = await list({ status: 'failed' });
      return found.length > 0 && found;
    }, 'a delivery has failed');
    expect(failed).toMatchObject([{ invocationId: dead, status: 'failed', attempts: [{ statusCode: 410 }] }]);
    await eventually(async () => (await list({ status: 'delivered' })).length === 1, 'the other one is delivered');
    expect(idsOf(await list({ status: 'delivered' }))).toEqual([alive]);
    await redeliver(test.queues, dead, 0);
    const again = await eventually(async () => {
      const [found] = await list({ status: 'failed' });
      return found?.index === 1 && found;
    }, 'the redelivery has failed, too');
    expect(again).toMatchObject({ invocationId: dead, index: 1 });
    expect((await list({ receiver: 'dead.example' })).map(({ index }) => index)).toEqual([1, 0]);
  });

  it('Retention removes the entries of an invocation with it', async () => {
    await submitTo('dead.example');
    await test.serve('invocations', succeed);
    await deliver();
    await eventually(async () => (await list({ status: 'failed' })).length === 1, 'the delivery has failed');
    const cleaner = new RetentionCleaner(test.queues, () => {});
    await cleaner.sweep(Date.now() + 7_200_000);
    expect(await test.queues.redis.keys('{errand}:index:default:deliveries*')).toEqual([]);
  });
});
