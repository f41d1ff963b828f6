import { newInvocationId, type TurnEvent } from '@errand/contracts';
import { beginAttempt, MAIN, turnOf } from '../../test/sessions.js';
import { recordOf, suspendOnce, useQueues } from '../../test/use-queues.js';
import { EventWriter, giveAnswer, readEvents, readLastEvent, submitInvocation, TurnWriter } from '../index.js';
import { FIELD } from '../redis/job-fields.js';
import { keys } from '../redis/names.js';

const kit = useQueues({ each: true });

const textOf = (delta: string): TurnEvent => ({ event: 'text', round: 0, messageId: 'm', delta });

async function beginTurn(): Promise<{ id: string; write: (...deltas: string[]) => Promise<void> }> {
  const id = newInvocationId();
  await submitInvocation(kit.queues, 'invocations', id, turnOf(MAIN));
  const writer = new TurnWriter(kit.queues, await beginAttempt(kit.queues, id, MAIN));
  return { id, write: (...deltas) => writer.commit({ events: deltas.map(textOf) }) };
}

const deltasOf = async (id: string, after?: number, count?: number) =>
  (await readEvents(kit.queues, id, after, count)).map(({ number, event }) => [
    number,
    'delta' in event && event.delta,
  ]);
const hasStream = async (id: string) => (await kit.queues.redis.exists(keys.events(id))) === 1;

describe('The first events of a turn', () => {
  it('The job of a turn holds its first events, which are read like any others', async () => {
    const { id, write } = await beginTurn();
    expect(await readEvents(kit.queues, id)).toEqual([]);
    expect(await readLastEvent(kit.queues, id)).toBeUndefined();
    await write('one', 'line\nbreak');
    await write('three');
    expect(await hasStream(id)).toBe(false);
    expect(await deltasOf(id)).toEqual([
      [1, 'one'],
      [2, 'line\nbreak'],
      [3, 'three'],
    ]);
    expect(await deltasOf(id, 1, 1)).toEqual([[2, 'line\nbreak']]);
    expect(await deltasOf(id, 3)).toEqual([]);
    expect(await readLastEvent(kit.queues, id)).toMatchObject({ number: 3, event: textOf('three') });
  });

  it('More events than the job holds move to the stream and keep their numbers', async () => {
    const { id, write } = await beginTurn();
    const deltas = Array.from({ length: 30 }, (_, n) => `${n} ${'x'.repeat(100)}`);
    for (const delta of deltas) await write(delta);
    expect(await hasStream(id)).toBe(true);
    expect(await kit.queues.redis.hexists(keys.job('invocations', id), FIELD.heldEvents)).toBe(0);
    expect(await deltasOf(id)).toEqual(deltas.map((delta, n) => [n + 1, delta]));
    expect(await readLastEvent(kit.queues, id)).toMatchObject({ number: 30, event: textOf(deltas[29] ?? '') });
  });

  it('A large first event goes to the stream', async () => {
    const { id, write } = await beginTurn();
    await write('x'.repeat(10_000));
    expect(await hasStream(id)).toBe(true);
    expect(await deltasOf(id)).toEqual([[1, 'x'.repeat(10_000)]]);
  });

  it('Events that were emitted before a step of a turn come first, and are stored with it', async () => {
    const id = newInvocationId();
    await submitInvocation(kit.queues, 'invocations', id, turnOf(MAIN));
    const attempt = await beginAttempt(kit.queues, id, MAIN);
    const events = new EventWriter(kit.queues, id, () => {});
    events.emit({ event: 'log', line: 'emitted', stream: 'node', step: 0 }, ['0:text.0', 'm']);
    const emitted = await events.take();
    expect(await readEvents(kit.queues, id)).toEqual([]);
    await new TurnWriter(kit.queues, attempt).commit({ emitted, events: [textOf('stored')] });
    await events.flush();
    expect(await readEvents(kit.queues, id)).toMatchObject([
      { number: 1, event: { event: 'log', line: 'emitted' } },
      { number: 2, event: textOf('stored') },
    ]);
    expect(await kit.queues.redis.hget(keys.state(id), '0:text.0')).toBe('"m"');
  });
});

describe('The events of the calls of a turn', () => {
  const waitAndAnswer = async (id: string) => {
    await kit.until(id, 'waiting_external');
    const waited = { hasStream: await hasStream(id), events: await readEvents(kit.queues, id) };
    await giveAnswer(kit.queues, { reach: 'default', id, field: '0' }, { answer: { result: 1 } });
    await kit.until(id, 'succeeded');
    const statuses = (await readEvents(kit.queues, id)).map(({ number, event }) => [
      number,
      event.event === 'status' && event.status,
    ]);
    return { ...waited, statuses };
  };
  const STATUSES = [
    [1, 'waiting_external'],
    [2, 'running'],
  ];

  it('Calls of a turn that wait for an answer have no stream, and a reader sees the same events', async () => {
    await kit.serve('invocations', suspendOnce(undefined, 'answer'));
    const id = newInvocationId();
    const parentTurn = { invocationId: newInvocationId(), step: 0, round: 0 };
    await submitInvocation(kit.queues, 'invocations', id, recordOf({ parentTurn }));
    const { hasStream: streamed, events, statuses } = await waitAndAnswer(id);
    expect(streamed).toBe(false);
    expect(events).toMatchObject([{ number: 1, event: { event: 'status', status: 'waiting_external' } }]);
    expect(statuses).toEqual(STATUSES);
  });

  it('Any other invocation stores its first event in a stream', async () => {
    await kit.serve('invocations', suspendOnce(undefined, 'answer'));
    const { hasStream: streamed, statuses } = await waitAndAnswer(await kit.submit());
    expect(streamed).toBe(true);
    expect(statuses).toEqual(STATUSES);
  });
});
