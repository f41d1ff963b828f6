import { newInvocationId } from '@errand/contracts';
import { recordOf, useQueues } from '../../test/use-queues.js';
import { cancelInvocation, claimKeys, submitInvocations, type KeyClaim, type Queues } from '../index.js';

const kit = useQueues();
const { serve, until } = kit;
let queues: Queues;
beforeAll(() => {
  ({ queues } = kit);
});

const claim = async (over: Partial<KeyClaim> = {}) =>
  (
    await claimKeys(queues, [{ tenant: 'default', key: 'k', body: { a: 1, b: 2 }, id: newInvocationId(), ...over }])
  )[0]!;
const keyOf = async () => (await queues.redis.keys('{errand}:idempotency:default:*'))[0]!;
afterEach(async () => {
  await queues.redis.del(await queues.redis.keys('{errand}:idempotency:*'));
});

it('A key gives one id to concurrent requests with the same body and rejects another body', async () => {
  const claims = await Promise.all(Array.from({ length: 50 }, () => claim()));
  const ids = new Set(claims.map((claimed) => claimed !== 'other body' && claimed.id));
  expect(ids.size).toBe(1);
  expect(claims.filter((claimed) => claimed !== 'other body' && claimed.isNew)).toHaveLength(1);
  expect(await claim({ body: { b: 2, a: 1 }, id: 'x' })).toMatchObject({ id: [...ids][0], wasEnqueued: false });
  expect(await claim({ body: { a: 2 } })).toBe('other body');
  expect(await claim({ body: { a: 2 }, tenant: 'other', id: 'x' })).toMatchObject({ id: 'x', isNew: true });
});

it('A key expires within one hour if nothing is enqueued, else one day after its invocation ends', async () => {
  const first = await claim();
  if (first === 'other body') throw new Error('the key was free');
  expect(await queues.redis.ttl(await keyOf())).toBeLessThanOrEqual(3_600);
  const { id } = first;
  await submitInvocations(queues, [{ queue: 'invocations', id, record: recordOf(), claim: first.claim }]);
  expect(await queues.redis.ttl(await keyOf())).toBeGreaterThan(365 * 86_400);
  expect(await claim()).toMatchObject({ id, isNew: false, wasEnqueued: true });
  await serve('invocations', async () => ({ steps: [{ status: 'succeeded', result: 1 }] }));
  await until(id, 'succeeded');
  expect(await queues.redis.ttl(await keyOf())).toBeGreaterThan(86_300);
  expect(await queues.redis.ttl(await keyOf())).toBeLessThanOrEqual(86_400);
});

it('A key also expires one day after its invocation is cancelled', async () => {
  const first = await claim();
  if (first === 'other body') throw new Error('the key was free');
  await submitInvocations(queues, [{ queue: 'invocations', id: first.id, record: recordOf(), claim: first.claim }]);
  await cancelInvocation(queues, 'default', first.id);
  expect(await queues.redis.ttl(await keyOf())).toBeLessThanOrEqual(86_400);
});

it('The body that the items of a batch share is read once, however many items have a key', async () => {
  let reads = 0;
  const body = {
    get items() {
      reads += 1;
      return ['x'];
    },
  };
  const claims = Array.from({ length: 1_000 }, (_, n) => ({
    tenant: 'default',
    key: `k ${n}`,
    body,
    id: newInvocationId(),
  }));
  const claimed = await claimKeys(queues, claims);
  expect(claimed.every((one) => one !== 'other body' && one.isNew)).toBe(true);
  expect(reads).toBe(1);
});
