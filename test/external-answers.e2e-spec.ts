import { REVIEW_LIBRARY } from './support/review-library.js';
import { useStack } from './support/start-stack.js';
import { eventually } from './support/eventually.js';

const { client } = useStack({ with: ['worker'], env: { ERRAND_WORKER_CONCURRENCY: '4' }, library: REVIEW_LIBRARY });

describe('The library of these tests', () => {
  it('The library of these tests has no problems', async () => {
    expect((await client.get<{ items: object[] }>('/v1/tools/problems')).body.items).toEqual([]);
  });
});

describe('An external tool', () => {
  it('An external tool suspends its invocation, shows its prompt, and takes one valid answer', async () => {
    const id = await client.submit({ toolId: 'review:approve', arguments: { what: 'the plan' } });
    const waiting = await client.untilWaiting(id);
    expect(waiting.steps[0]).toMatchObject({
      status: 'waiting_external',
      waiting: { for: 'answer', until: null, prompt: { what: 'the plan' } },
    });
    expect(waiting.observation).toMatch(/review:approve waits .*the plan.*somebody else answers it/);
    expect(await client.answer(id, { result: { ok: 'perhaps' } })).toMatchObject({
      status: 422,
      body: { code: 'invalid_parameters', errors: [{ path: '/result/ok' }] },
    });
    expect((await client.read(id)).status).toBe('waiting_external');
    expect((await client.answer(id, { result: { ok: true } })).status).toBe(202);
    const ended = await client.untilEnded(id);
    expect(ended).toMatchObject({ status: 'succeeded', result: { ok: true }, steps: [{ attempts: 1 }] });
    expect(ended.steps[0]).not.toHaveProperty('waiting');
    expect((await client.answer(id, { result: { ok: true } })).status).toBe(202);
    expect(await client.answer(id, { result: { ok: false } })).toMatchObject({
      status: 409,
      body: { code: 'conflict' },
    });
  });

  it('An answer to a deduplicated call is refused and names the invocation that was called first', async () => {
    const ask = { toolId: 'review:consent', arguments: {}, session: 'one' };
    const first = await client.submit(ask);
    await client.untilWaiting(first);
    const second = await client.submit(ask);
    // No event reports this wait.
    await eventually(async () => (await client.read(second)).steps[0]!.waiting !== undefined);
    expect(await client.answer(second, { result: 'no' })).toMatchObject({
      status: 409,
      body: { code: 'conflict', detail: expect.stringContaining(first) },
    });
    await client.answer(first, { result: 'yes' });
    expect(await client.untilEnded(second)).toMatchObject({
      result: 'yes',
      steps: [{ deduplicatedFrom: { invocationId: first, step: 0 } }],
    });
  });

  it('An external tool takes an answer before it asks: delayed, behind other calls, or about to suspend', async () => {
    const ask = { toolId: 'review:approve', arguments: { what: 'x' } };
    const delayed = await client.submit({ ...ask, options: { delayMs: 500 } });
    expect((await client.answer(delayed, { result: { ok: 'perhaps' } })).status).toBe(422);
    expect(await client.answer(delayed, { result: { ok: true } })).toMatchObject({
      status: 202,
      body: { status: 'queued' },
    });
    expect((await client.answer(delayed, { result: { ok: true } })).status).toBe(202);
    expect((await client.answer(delayed, { result: { ok: false } })).status).toBe(409);
    const chain = await client.submit({ calls: [{ toolId: 'core:delay', arguments: { ms: 300 } }, ask] });
    expect((await client.answer(chain, { result: { ok: true } }, 1)).status).toBe(202);
    const hasty = await Promise.all(
      Array.from({ length: 60 }, async () => {
        const id = await client.submit(ask);
        expect((await client.answer(id, { result: { ok: true } })).status).toBe(202);
        return id;
      }),
    );
    for (const id of [delayed, ...hasty])
      expect(await client.untilEnded(id)).toMatchObject({ status: 'succeeded', result: { ok: true } });
    expect(await client.untilEnded(chain)).toMatchObject({ result: [null, { ok: true }] });
  });

  it('An external tool fails with the error of its answer', async () => {
    const id = await client.submit({ toolId: 'review:approve', arguments: { what: 'x' } });
    await client.untilWaiting(id);
    await client.answer(id, { error: { message: 'the review is closed' } });
    expect(await client.untilEnded(id)).toMatchObject({
      status: 'failed',
      error: { type: 'NodeError', message: 'the review is closed' },
    });
  });

  it('An external tool fails at its own deadline and at that of the invocation', async () => {
    expect((await client.invoke({ toolId: 'review:hurry', arguments: {} })).error!.type).toBe('TimeoutError');
    const options = { timeoutMs: 200 };
    const ended = await client.invoke({ toolId: 'review:approve', arguments: { what: 'x' }, options });
    expect(ended).toMatchObject({ status: 'failed', error: { type: 'TimeoutError' } });
  });

  it('External tools suspend a sequence in the middle, and each step of parallel calls', async () => {
    const ask = { toolId: 'review:approve', arguments: { what: 'x' } };
    const sequence = await client.submit({
      calls: [
        { toolId: 'core:random', arguments: {} },
        ask,
        { toolId: 'core:echo', arguments: { value: '{{steps.2.result.ok}}' } },
      ],
    });
    const before = (await client.untilWaiting(sequence)).steps;
    expect(before.map(({ status }) => status)).toEqual(['succeeded', 'waiting_external', 'queued']);
    await client.answer(sequence, { result: { ok: true } }, 1);
    expect((await client.untilEnded(sequence)).result).toEqual([before[0]!.result, { ok: true }, true]);

    const parallel = await client.submit({ calls: [ask, ask], options: { mode: 'parallel' } });
    await client.until(parallel, ({ steps }) => steps.every(({ status }) => status === 'waiting_external'));
    await client.answer(parallel, { result: { ok: false } }, 1);
    await client.until(
      parallel,
      ({ steps, status }) => steps[1]!.status === 'succeeded' && status === 'waiting_external',
    );
    await client.answer(parallel, { result: { ok: true } }, 0);
    expect((await client.untilEnded(parallel)).result).toEqual([{ ok: true }, { ok: false }]);
  });

  it('Forty suspended invocations occupy no slot of the worker', async () => {
    const ids = await Promise.all(
      Array.from({ length: 40 }, () => client.submit({ toolId: 'review:approve', arguments: { what: 'x' } })),
    );
    await Promise.all(ids.map((id) => client.untilWaiting(id)));
    expect((await client.invoke({ toolId: 'core:echo', arguments: { value: 1 } })).status).toBe('succeeded');
    await Promise.all(ids.map((id) => client.answer(id, { result: { ok: true } })));
    const ends = await Promise.all(ids.map((id) => client.untilEnded(id)));
    expect(new Set(ends.map(({ status }) => status))).toEqual(new Set(['succeeded']));
  });

  it('The API says what is wrong with an answer', async () => {
    const id = await client.submit({ toolId: 'core:delay', arguments: { ms: 60_000 } });
    await client.until(id, ({ status }) => status === 'running');
    expect(await client.answer(id, { result: 1 })).toMatchObject({
      status: 409,
      body: { detail: 'Step 0 (core:delay) waits for no answer: it is running' },
    });
    expect(await client.answer(id, { result: 1 }, 7)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect((await client.answer(id, { result: 1 }, 'x')).status).toBe(400);
    expect((await client.answer(id, {})).status).toBe(400);
    expect((await client.answer(id, { result: 1, error: { message: 'x' } })).status).toBe(400);
    expect((await client.answer(id, { error: {} })).status).toBe(400);
    expect((await client.answer('inv_00000000000000000000000000', { result: 1 })).status).toBe(404);
    await client.cancel(id);
    const asked = await client.submit({
      toolId: 'review:approve',
      arguments: { what: 'x' },
      options: { delayMs: 60_000 },
    });
    expect(await client.answer(asked, { result: { ok: true }, nodeId: 'x' })).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('leave nodeId out') },
    });
    await client.cancel(asked);
    expect((await client.answer(asked, { result: { ok: true } })).status).toBe(409);
  });
});

describe('A node that waits for an answer', () => {
  it('A suspended workflow continues at its node, and earlier nodes do not run again', async () => {
    const id = await client.submit({ toolId: 'workflow:ask', arguments: {} });
    const waiting = await client.untilWaiting(id);
    const asked = waiting.steps[0]!.nodes!.find(({ nodeId }) => nodeId === 'ask')!;
    expect(asked).toMatchObject({ status: 'waiting_external', waiting: { for: 'answer', until: null } });
    expect(waiting.observation).toContain("Node 'ask' (core:external)");
    expect((await client.answer(id, { result: null, nodeId: 'ask' })).status).toBe(202);
    const ended = await client.untilEnded(id);
    expect(ended).toMatchObject({ status: 'succeeded', result: null, progress: 1 });
    const nodes = new Map(ended.steps[0]!.nodes!.map((each) => [each.nodeId, each]));
    expect(Math.floor((nodes.get('before')!.result as { count: number }).count)).toBe(1);
    expect([...nodes.values()].every(({ status }) => status === 'succeeded')).toBe(true);
    expect((await client.answer(id, { result: null, nodeId: 'ask' })).status).toBe(202);
    expect((await client.answer(id, { result: 1, nodeId: 'ask' })).status).toBe(409);
  });

  it('An answer must name its node if several nodes wait', async () => {
    const id = await client.submit({ toolId: 'workflow:two', arguments: {} });
    await client.until(id, ({ steps }) => steps[0]!.nodes?.filter(({ waiting }) => waiting).length === 2);
    const unnamed = await client.answer(id, { result: 'a' });
    expect(unnamed).toMatchObject({ status: 400, body: { errors: [{ path: '/nodeId' }] } });
    expect((await client.answer(id, { result: 'a', nodeId: 'onne' })).body.detail).toContain("did you mean 'one'?");
    await client.answer(id, { result: 'a', nodeId: 'one' });
    await client.answer(id, { result: 'b', nodeId: 'other' });
    expect((await client.untilEnded(id)).result).toBe('a+b');
  });

  it('A tool that waits inside a node is answered under the id of the node', async () => {
    const id = await client.submit({ toolId: 'workflow:call', arguments: {} });
    const waiting = await client.untilWaiting(id);
    expect(waiting.steps[0]!.nodes!.find((each) => each.waiting)).toMatchObject({
      type: 'review:approve',
      waiting: { prompt: { what: 'a ship' } },
    });
    expect((await client.answer(id, { result: {}, nodeId: 'call' })).status).toBe(422);
    expect((await client.answer(id, { result: { ok: true }, nodeId: 'call' })).status).toBe(202);
    expect((await client.untilEnded(id)).result).toEqual({ ok: true });
  });

  it('A node that waits for a time keeps the status running', async () => {
    const id = await client.submit({ toolId: 'workflow:nap', arguments: {} });
    const statuses = (await client.events(id))
      .filter(({ event }) => event === 'status')
      .map(({ data }) => data['status']);
    expect(statuses).not.toContain('waiting_external');
    expect(await client.read(id)).toMatchObject({ status: 'succeeded', result: 'rested', steps: [{ attempts: 1 }] });
  });
});
