import { newInvocationId } from '@errand/contracts';
import { recordOf, succeed, useQueues } from '../../test/use-queues.js';
import {
  cancelInvocation,
  JournalWriter,
  readJournal,
  submitInvocation,
  SupersededError,
  type Queues,
} from '../index.js';

const kit = useQueues();
const { serve, submit, until } = kit;
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

it('An operation may begin again from the write of its outcome on, and a superseded attempt cannot allow it', async () => {
  const id = newInvocationId();
  await queues.redis.hset(`{errand}:invocations:${id}`, 'ats', '2');
  const journal = new JournalWriter(queues, 'invocations', id, 2);
  await journal.beginOnce('0');
  const late = new JournalWriter(queues, 'invocations', id, 1);
  await expect(late.clearOnce('0')).rejects.toThrow(SupersededError);
  await expect(late.write([['0/a', 1]], '0')).rejects.toThrow(SupersededError);
  expect([...(await readJournal(queues, id))]).toEqual([['once:0', 'true']]);
  await journal.write([['0/a', 1]], '0');
  expect([...(await readJournal(queues, id))]).toEqual([['0/a', '1']]);
  expect(await journal.beginOnce('0')).toBe(true);
});

it('The journal accepts writes of the current attempt and rejects those of a superseded one', async () => {
  const id = newInvocationId();
  await submitInvocation(queues, 'invocations', id, recordOf());
  const seen: unknown[] = [];
  await serve('invocations', async (work) => {
    const writer = new JournalWriter(queues, 'invocations', id, work.attempt);
    await writer.write([['0/a', { nodeId: 'a' }]]);
    const late = new JournalWriter(queues, 'invocations', id, work.attempt - 1);
    seen.push(await late.write([['0/a', 'overwritten']]).catch((error: unknown) => error));
    return succeed();
  });
  await until(id, 'succeeded');
  expect(seen[0]).toBeInstanceOf(SupersededError);
  expect(JSON.parse((await readJournal(queues, id)).get('0/a')!)).toEqual({ nodeId: 'a' });
});

it('The journal resets the count of deaths on progress, but not when a step only begins', async () => {
  const id = newInvocationId();
  const deaths = () => queues.redis.hget(`{errand}:invocations:${id}`, 'stc');
  await queues.redis.hset(`{errand}:invocations:${id}`, 'ats', '1', 'stc', '1');
  const writer = new JournalWriter(queues, 'invocations', id, 1);
  await writer.writeState('0', { status: 'running' });
  await writer.beginOnce('0');
  expect(await deaths()).toBe('1');
  await writer.write([['0/a', { nodeId: 'a' }]]);
  expect(await deaths()).toBe('0');
  await queues.redis.hset(`{errand}:invocations:${id}`, 'stc', '1');
  await writer.writeState('0', { status: 'succeeded' }, { ended: true });
  expect(await deaths()).toBe('0');
});

it('The journal accepts 10,000 fields in one write', async () => {
  const id = newInvocationId();
  await queues.redis.hset(`{errand}:invocations:${id}`, 'ats', '1');
  const fields = Array.from({ length: 10_000 }, (_, n) => [`0/${n}`, n] as const);
  await new JournalWriter(queues, 'invocations', id, 1).write(fields);
  expect((await readJournal(queues, id)).size).toBe(10_000);
});
