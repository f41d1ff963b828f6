import { useQueues } from '../../test/use-queues.js';
import { cancelInvocation, JournalWriter, type Queues } from '../index.js';

const kit = useQueues();
const { submit } = kit;
let queues: Queues;
beforeAll(() => {
  ({ queues } = kit);
});

it('A step with `effects: "once"` begins once, unless its earlier outcome is known', async () => {
  const id = await submit();
  await queues.redis.hset(`{errand}:invocations:${id}`, 'ats', '1');
  const journal = new JournalWriter(queues, 'invocations', id, 1);
  expect([await journal.beginOnce('0'), await journal.beginOnce('0'), await journal.beginOnce('1')]).toEqual([
    true,
    false,
    true,
  ]);
  await journal.clearOnce('0');
  expect(await journal.beginOnce('0')).toBe(true);
  await cancelInvocation(queues, 'default', id);
});
