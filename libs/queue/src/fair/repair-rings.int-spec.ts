import { newInvocationId } from '@errand/contracts';
import { recordOf, useQueues } from '../../test/use-queues.js';
import { repairRings, RetentionCleaner, submitInvocations } from '../index.js';
import { keys } from '../redis/names.js';
import { eventually } from '../../../../test/support/eventually.js';

const kit = useQueues({ each: true });

async function submit(tenant: string, count: number): Promise<void> {
  const record = recordOf({ tenant });
  const fresh = Array.from({ length: count }, () => ({ queue: 'invocations' as const, id: newInvocationId(), record }));
  await submitInvocations(kit.queues, fresh);
}
const found = async () => (await repairRings(kit.queues)).find(({ queue }) => queue === 'invocations');

it('A repair of untouched queues finds nothing to correct', async () => {
  await submit('a', 3);
  await submit('b', 2);
  expect(await found()).toEqual({ queue: 'invocations', waiting: 4, removed: 0, wrong: 0 });
});

it('A repair takes out lanes that are gone, corrects the count, and wakes a consumer', async () => {
  await submit('a', 3);
  await submit('b', 2);
  const { redis, byName } = kit.queues;
  await redis.del(keys.fair('invocations', 'lane:0:b:'), keys.set('invocations', 'marker'));
  expect(await found()).toEqual({ queue: 'invocations', waiting: 2, removed: 2, wrong: 2 });
  expect(await byName.invocations.getWaitingCount()).toBe(3);
  expect(await redis.zcard(keys.set('invocations', 'marker'))).toBe(1);
  await redis.set(keys.fair('invocations', 'left'), 1_000);
  expect(await found()).toMatchObject({ waiting: 2, wrong: -2 });
  expect(await found()).toMatchObject({ waiting: 2, wrong: 0 });
  await redis.del(keys.fair('invocations', 'lane:0:a:'));
  expect(await found()).toMatchObject({ waiting: 0 });
  expect(await redis.keys(keys.fair('invocations', '*'))).toEqual([]);
});

it('The sweep of a process repairs the rings', async () => {
  await submit('a', 3);
  await kit.queues.redis.set(keys.fair('invocations', 'left'), 1_000);
  const cleaner = new RetentionCleaner(kit.queues, () => {});
  cleaner.start();
  await eventually(async () => (await kit.queues.byName.invocations.getWaitingCount()) === 3);
  await cleaner.stop();
});
