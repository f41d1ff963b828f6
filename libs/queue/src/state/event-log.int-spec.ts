import { newInvocationId, ToolError } from '@errand/contracts';
import { useQueues } from '../../test/use-queues.js';
import {
  cancelInvocation,
  EventWriter,
  readEvents,
  readInvocation,
  type NotificationHub,
  type Queues,
} from '../index.js';
import { PATIENCE_MS } from '../../../../test/support/eventually.js';

const kit = useQueues();
const { serve, submit, until } = kit;
let queues: Queues;
let notifications: NotificationHub;
beforeAll(() => {
  ({ queues, notifications } = kit);
});

describe('The state of a running invocation', () => {
  const node = (status: string, startedAt: string) => ({ nodeId: status, type: 't', status, startedAt });

  it('A running invocation shows its nodes in order of their start, and none of them stays running after the end', async () => {
    let end: () => void = () => {};
    await serve('invocations', async (work) => {
      const events = new EventWriter(queues, work.id, () => {}, { queue: 'invocations', attempt: work.attempt });
      const event = { event: 'step', index: 0, status: 'running', nodeId: 'b' } as const;
      events.emit(event, ['0/b', node('running', '2026-01-01T00:00:02.000Z')]);
      events.emit(event, ['0/a', node('succeeded', '2026-01-01T00:00:01.000Z')]);
      events.emit({ event: 'progress', value: 0.5 });
      await events.flush();
      await new Promise<void>((resolve) => (end = resolve));
      throw new ToolError('NodeError', 'no');
    });
    const id = await submit();
    const seen = await notifications.until(id, AbortSignal.timeout(PATIENCE_MS), async () => {
      const now = await readInvocation(queues, 'default', id);
      return now?.steps[0]!.nodes ? now : undefined;
    });
    expect(seen).toMatchObject({ progress: 0.5, steps: [{ nodes: [{ status: 'succeeded' }, { status: 'running' }] }] });
    end();
    expect((await until(id, 'failed')).steps[0]!.nodes!.map(({ status }) => status)).toEqual([
      'succeeded',
      'cancelled',
    ]);
  });

  it('A superseded process cannot change the progress of an invocation', async () => {
    const id = await submit();
    await queues.redis.hset(`{errand}:invocations:${id}`, 'ats', '2');
    const late = new EventWriter(queues, id, () => {}, { queue: 'invocations', attempt: 1 });
    late.emit({ event: 'progress', value: 0.9 });
    await late.flush();
    expect((await readInvocation(queues, 'default', id))!.progress).toBeNull();
    await cancelInvocation(queues, 'default', id);
  });
});

describe('The events of an invocation', () => {
  it('Events keep their order and can be read from any position', async () => {
    const id = newInvocationId();
    const writer = new EventWriter(queues, id, (error) => {
      throw error;
    });
    for (let n = 0; n < 50; n++) writer.emit({ event: 'log', line: `line ${n}`, stream: 'stderr', step: 0 });
    await writer.flush();
    const all = await readEvents(queues, id);
    expect(all.map(({ event }) => event.event === 'log' && event.line)).toEqual(
      Array.from({ length: 50 }, (_, n) => `line ${n}`),
    );
    expect(all.map(({ number }) => number)).toEqual(Array.from({ length: 50 }, (_, n) => n + 1));
    expect(await readEvents(queues, id, all[29]!.number)).toEqual(all.slice(30));
  });

  it('Pieces of one text that wait to be stored become one event, and the first one does not wait', async () => {
    const id = newInvocationId();
    const writer = new EventWriter(queues, id, () => {});
    const text = (delta: string, messageId = 'm') => writer.emit({ event: 'text', round: 0, messageId, delta });
    for (const delta of ['One', ' sen', 'ten', 'ce.']) text(delta);
    writer.emit({ event: 'reasoning', round: 0, messageId: 'm', delta: 'Hm' });
    text('Other', 'n');
    text('x'.repeat(16_384), 'n');
    await writer.flush();
    const deltas = (await readEvents(queues, id)).map(({ event }) => 'delta' in event && event.delta.slice(0, 9));
    expect(deltas).toEqual(['One', ' sentence', 'Hm', 'Other', 'xxxxxxxxx']);
  });

  it('An event notifies only the subscribers of its invocation', async () => {
    const id = newInvocationId();
    const subscription = notifications.listen(id);
    const other = notifications.listen(newInvocationId());
    const writer = new EventWriter(queues, id, () => {});
    writer.emit({ event: 'progress', value: 0.5 });
    expect(await subscription.next(AbortSignal.timeout(PATIENCE_MS))).toBe(true);
    const hush = new AbortController();
    hush.abort();
    expect(await other.next(hush.signal)).toBe(false);
    subscription.close();
    other.close();
  });
});
