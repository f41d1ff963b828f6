import { REVIEW_LIBRARY } from './support/review-library.js';
import { useStack } from './support/start-stack.js';

const { client } = useStack({ with: ['worker'], env: { ERRAND_WORKER_CONCURRENCY: '4' }, library: REVIEW_LIBRARY });

describe('POST /v1/invocations/:id/cancel', () => {
  it('Cancelling stops a running node long before its end, and a second cancel request gets 409', async () => {
    const id = await client.submit({ toolId: 'core:delay', arguments: { ms: 60_000 } });
    await client.until(id, ({ status }) => status === 'running');
    const { status, body } = await client.cancel(id);
    expect(status).toBe(202);
    expect(['running', 'cancelled']).toContain(body.status);
    const ended = await client.untilEnded(id);
    expect(ended).toMatchObject({ status: 'cancelled', error: { type: 'CancelledError' } });
    expect(ended.observation).toContain('CancelledError');
    expect(await client.cancel(id)).toMatchObject({ status: 409, body: { code: 'not_cancellable' } });
  });

  it('A cancelled invocation ends while its node ignores the signal, and drops the late result', async () => {
    const id = await client.submit({ toolId: 'review:deaf', arguments: {} });
    await client.until(id, ({ status }) => status === 'running');
    await client.cancel(id);
    const ended = await client.untilEnded(id);
    expect(ended).toMatchObject({ status: 'cancelled', result: null });
  });

  it('Cancelling ends a delayed invocation at once', async () => {
    const id = await client.submit({ toolId: 'core:echo', arguments: { value: 1 }, options: { delayMs: 60_000 } });
    expect(await client.cancel(id)).toMatchObject({ status: 202, body: { status: 'cancelled', startedAt: null } });
  });

  it('Cancelling ends a suspended invocation at once', async () => {
    const id = await client.submit({ toolId: 'workflow:ask', arguments: {} });
    await client.untilWaiting(id);
    expect(await client.cancel(id)).toMatchObject({ status: 202, body: { status: 'cancelled' } });
    expect((await client.read(id)).steps[0]!.nodes!.map(({ nodeId, status }) => [nodeId, status])).toEqual([
      ['before', 'succeeded'],
      ['ask', 'cancelled'],
    ]);
    expect(await client.answer(id, { result: 1 })).toMatchObject({ status: 409, body: { code: 'conflict' } });
  });

  it('Cancelling ends all steps except the succeeded ones', async () => {
    const calls = [
      { toolId: 'core:echo', arguments: { value: 1 } },
      { toolId: 'core:delay', arguments: { ms: 60_000 } },
      { toolId: 'core:echo', arguments: { value: 2 } },
    ];
    const id = await client.submit({ calls });
    await client.until(id, ({ steps }) => steps[1]!.status === 'running');
    await client.cancel(id);
    const ended = await client.untilEnded(id);
    expect(ended.steps.map(({ status }) => status)).toEqual(['succeeded', 'cancelled', 'cancelled']);
  });

  it('The event stream of a cancelled invocation has one end event', async () => {
    const id = await client.submit({ toolId: 'core:delay', arguments: { ms: 60_000 } });
    await client.until(id, ({ status }) => status === 'running');
    const events = client.events(id);
    await client.cancel(id);
    const told = await events;
    expect(told.filter(({ event }) => event === 'status').at(-1)!.data).toMatchObject({ status: 'cancelled' });
    expect(told.filter(({ event }) => event === 'end')).toHaveLength(1);
  });

  it('A cancel request for an unknown invocation gets 404', async () => {
    expect(await client.cancel('inv_00000000000000000000000000')).toMatchObject({
      status: 404,
      body: { code: 'not_found' },
    });
    expect((await client.cancel('nonsense')).status).toBe(404);
  });
});
