import { DESK } from './support/desk-library.js';
import { useStack } from './support/start-stack.js';

const { client } = useStack({ with: ['worker'], env: { ERRAND_WORKER_CONCURRENCY: '4' }, library: DESK });

describe('POST /v1/invocations/:id/cancel', () => {
  it('stops a running node long before its end, and says so once', async () => {
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

  it('leaves a node behind that does not hear it, and discards what it still gives', async () => {
    const id = await client.submit({ toolId: 'desk:deaf', arguments: {} });
    await client.until(id, ({ status }) => status === 'running');
    await client.cancel(id);
    const ended = await client.untilEnded(id);
    expect(ended).toMatchObject({ status: 'cancelled', result: null });
  });

  it('ends one that is delayed at once', async () => {
    const id = await client.submit({ toolId: 'core:echo', arguments: { value: 1 }, options: { delayMs: 60_000 } });
    expect(await client.cancel(id)).toMatchObject({ status: 202, body: { status: 'cancelled', startedAt: null } });
  });

  it('ends one that is parked at once', async () => {
    const id = await client.submit({ toolId: 'workflow:ask', arguments: {} });
    await client.untilWaiting(id);
    expect(await client.cancel(id)).toMatchObject({ status: 202, body: { status: 'cancelled' } });
    expect((await client.read(id)).steps[0]!.nodes!.map(({ nodeId, status }) => [nodeId, status])).toEqual([
      ['before', 'succeeded'],
      ['ask', 'cancelled'],
    ]);
    expect(await client.answer(id, { result: 1 })).toMatchObject({ status: 409, body: { code: 'conflict' } });
  });

  it('ends every step of several, those that were done excepted', async () => {
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

  it('is told in the events, the end once', async () => {
    const id = await client.submit({ toolId: 'core:delay', arguments: { ms: 60_000 } });
    await client.until(id, ({ status }) => status === 'running');
    const events = client.events(id);
    await client.cancel(id);
    const told = await events;
    expect(told.filter(({ event }) => event === 'status').at(-1)!.data).toMatchObject({ status: 'cancelled' });
    expect(told.filter(({ event }) => event === 'end')).toHaveLength(1);
  });

  it('knows no other invocation', async () => {
    expect(await client.cancel('inv_00000000000000000000000000')).toMatchObject({
      status: 404,
      body: { code: 'not_found' },
    });
    expect((await client.cancel('nonsense')).status).toBe(404);
  });
});
