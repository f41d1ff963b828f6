import type { Invocation, StoredNode } from '@errand/contracts';
import { workflow } from '../libs/engine/test/workflow-kit.js';
import { useStack } from './support/start-stack.js';

const PLUGIN = `
name: desk
displayName: Desk
version: 1.0.0
description: People who answer, and nodes that misbehave.
nodes: { entry: nodes/index.js }
tools:
  - id: desk:approve
    displayName: Approve
    description: Asks a person.
    parameters: { type: object, properties: { what: { type: string } }, required: [what] }
    output: { type: object, properties: { ok: { type: boolean } }, required: [ok] }
    implementation: { type: external }
  - id: desk:hurry
    displayName: Hurry
    description: Asks a person who must be quick.
    parameters: { type: object, properties: {} }
    implementation: { type: external, timeoutMs: 300 }
  - id: desk:deaf
    displayName: Deaf
    description: Does not hear that it is to stop.
    parameters: { type: object, properties: {} }
    implementation: { type: node, nodeType: desk:deaf }
`;

const NODES = `
const calls = new Map();
const slot = { dataFlowType: 'WILDCARD' };
module.exports = { nodes: [
  { type: 'desk:deaf', description: 'd', inputs: {}, outputs: { value: slot },
    run: () => new Promise((resolve) => setTimeout(() => resolve({ value: 'late' }), 3000)) },
  { type: 'desk:count', description: 'Gives how often this node was run for this invocation.', inputs: { value: slot }, outputs: { count: slot },
    run: (inputs, { invocationId, nodeId }) => {
      const key = invocationId + nodeId;
      calls.set(key, (calls.get(key) ?? 0) + 1);
      return { count: calls.get(key) + Date.now() / 1e15 };
    } },
  { type: 'desk:divide', description: 'd', inputs: { a: slot, by: slot }, outputs: { result: slot },
    run: ({ a, by }) => { if (by === 0) throw new Error('by zero'); return { result: a / by }; } },
] };`;

const node = (id: string, type: string, inputValues: StoredNode['inputValues'] = {}): StoredNode => ({
  id,
  type,
  inputValues,
});
const outputs = { outputs: ['result'] };
const callsTool: StoredNode = {
  ...node('call', 'core:tool', { arguments: { what: 'a ship' } }),
  configValues: { toolId: 'desk:approve' },
};

const WORKFLOWS = {
  'workflows/ask.json': workflow(
    [node('before', 'desk:count'), node('ask', 'core:external', { prompt: 'May I?' }), node('after', 'core:echo')],
    ['before.count > ask.prompt', 'ask.result > after.value', 'after.value > out.result'],
    outputs,
  ),
  'workflows/two.json': workflow(
    [node('one', 'core:external'), node('other', 'core:external'), node('join', 'core:join', { separator: '+' })],
    ['one.result > join.parts', 'other.result > join.parts', 'join.text > out.result'],
    outputs,
  ),
  'workflows/call.json': workflow([callsTool], ['call.result > out.result'], outputs),
  'workflows/chain.json': workflow(
    [node('first', 'desk:count'), node('broken', 'desk:divide', { a: 10, by: 0 }), node('last', 'core:echo')],
    ['first.count > broken.a', 'broken.result > last.value', 'last.value > out.result'],
    outputs,
  ),
  'workflows/nap.json': workflow(
    [node('nap', 'core:wait', { ms: 3_000, value: 'rested' })],
    ['nap.value > out.result'],
    outputs,
  ),
};

const { client } = useStack({
  with: ['worker'],
  env: { ERRAND_WORKER_CONCURRENCY: '4' },
  library: { 'plugins/desk/plugin.yaml': PLUGIN, 'plugins/desk/nodes/index.js': NODES, ...WORKFLOWS },
});

describe('the library of this test', () => {
  it('has no problems', async () => {
    expect((await client.get<{ items: object[] }>('/v1/tools/problems')).body.items).toEqual([]);
  });
});

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

describe('an external tool', () => {
  it('parks, says what it waits for, and takes an answer that fits, once', async () => {
    const id = await client.submit({ toolId: 'desk:approve', arguments: { what: 'the plan' } });
    const waiting = await client.untilWaiting(id);
    expect(waiting.steps[0]).toMatchObject({
      status: 'waiting_external',
      waiting: { for: 'answer', until: null, prompt: { what: 'the plan' } },
    });
    expect(waiting.observation).toMatch(
      /desk:approve waits .*the plan.*POST \/v1\/invocations\/inv_\w+\/steps\/0\/result/,
    );
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

  it('takes an answer that comes before it asks: while it is queued, behind others, or just about to park', async () => {
    const ask = { toolId: 'desk:approve', arguments: { what: 'x' } };
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

  it('fails with the error that it is answered', async () => {
    const id = await client.submit({ toolId: 'desk:approve', arguments: { what: 'x' } });
    await client.untilWaiting(id);
    await client.answer(id, { error: { message: 'the desk is closed' } });
    expect(await client.untilEnded(id)).toMatchObject({
      status: 'failed',
      error: { type: 'NodeError', message: 'the desk is closed' },
    });
  });

  it('is given up at its deadline, and at that of the invocation', async () => {
    expect((await client.invoke({ toolId: 'desk:hurry', arguments: {} })).error!.type).toBe('TimeoutError');
    const options = { timeoutMs: 200 };
    const ended = await client.invoke({ toolId: 'desk:approve', arguments: { what: 'x' }, options });
    expect(ended).toMatchObject({ status: 'failed', error: { type: 'TimeoutError' } });
  });

  it('parks a sequence in the middle, and each of several side by side', async () => {
    const ask = { toolId: 'desk:approve', arguments: { what: 'x' } };
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

  it('holds no slot: many wait, and others run', async () => {
    const ids = await Promise.all(
      Array.from({ length: 40 }, () => client.submit({ toolId: 'desk:approve', arguments: { what: 'x' } })),
    );
    await Promise.all(ids.map((id) => client.untilWaiting(id)));
    expect((await client.invoke({ toolId: 'core:echo', arguments: { value: 1 } })).status).toBe('succeeded');
    await Promise.all(ids.map((id) => client.answer(id, { result: { ok: true } })));
    const ends = await Promise.all(ids.map((id) => client.untilEnded(id)));
    expect(new Set(ends.map(({ status }) => status))).toEqual(new Set(['succeeded']));
  });

  it('says what is wrong with an answer', async () => {
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
      toolId: 'desk:approve',
      arguments: { what: 'x' },
      options: { delayMs: 60_000 },
    });
    expect((await client.answer(asked, { result: { ok: true }, nodeId: 'x' })).status).toBe(409);
    await client.cancel(asked);
    expect((await client.answer(asked, { result: { ok: true } })).status).toBe(409);
  });
});

describe('a node that waits for somebody', () => {
  it('goes on where it was: what was before it does not run again', async () => {
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

  it('is named where there are several', async () => {
    const id = await client.submit({ toolId: 'workflow:two', arguments: {} });
    await client.until(id, ({ steps }) => steps[0]!.nodes?.filter(({ waiting }) => waiting).length === 2);
    const unnamed = await client.answer(id, { result: 'a' });
    expect(unnamed).toMatchObject({ status: 400, body: { errors: [{ path: '/nodeId' }] } });
    expect((await client.answer(id, { result: 'a', nodeId: 'onne' })).body.detail).toContain("did you mean 'one'?");
    await client.answer(id, { result: 'a', nodeId: 'one' });
    await client.answer(id, { result: 'b', nodeId: 'other' });
    expect((await client.untilEnded(id)).result).toBe('a+b');
  });

  it('as the tool of a node waits under the name of the call', async () => {
    const id = await client.submit({ toolId: 'workflow:call', arguments: {} });
    const waiting = await client.untilWaiting(id);
    expect(waiting.steps[0]!.nodes!.find((each) => each.waiting)).toMatchObject({
      type: 'desk:approve',
      waiting: { prompt: { what: 'a ship' } },
    });
    expect((await client.answer(id, { result: {}, nodeId: 'call' })).status).toBe(422);
    expect((await client.answer(id, { result: { ok: true }, nodeId: 'call' })).status).toBe(202);
    expect((await client.untilEnded(id)).result).toEqual({ ok: true });
  });

  it('for a time is running, parked or not', async () => {
    const id = await client.submit({ toolId: 'workflow:nap', arguments: {} });
    const statuses = (await client.events(id))
      .filter(({ event }) => event === 'status')
      .map(({ data }) => data['status']);
    expect(statuses).not.toContain('waiting_external');
    expect(await client.read(id)).toMatchObject({ status: 'succeeded', result: 'rested', steps: [{ attempts: 1 }] });
  });
});

describe('POST /v1/invocations/:id/retry', () => {
  const fail = async () => client.invoke({ toolId: 'workflow:chain', arguments: {}, metadata: { who: 'me' } });
  const nodeOf = ({ steps }: Invocation, id: string) => steps[0]!.nodes!.find(({ nodeId }) => nodeId === id)!;

  it('goes on from the failed node, with other inputs, and keeps what succeeded', async () => {
    const failed = await fail();
    expect(failed).toMatchObject({ status: 'failed', error: { type: 'NodeError' } });
    const { status, headers, body } = await client.retry(failed.id, { steps: { broken: { inputs: { by: 2 } } } });
    expect(status).toBe(202);
    expect(body.id).not.toBe(failed.id);
    expect(headers.get('location')).toBe(`/v1/invocations/${body.id}`);
    const ended = await client.untilEnded(body.id);
    expect(ended).toMatchObject({
      status: 'succeeded',
      metadata: { who: 'me' },
      retryOf: { invocationId: failed.id, steps: { broken: { inputs: { by: 2 } } } },
    });
    expect(nodeOf(ended, 'first').result).toEqual(nodeOf(failed, 'first').result);
    expect(ended.result).toBe((nodeOf(failed, 'first').result as { count: number }).count / 2);
    expect((await client.read(failed.id)).status).toBe('failed');
  });

  it('runs what depends on a changed node again, though it had succeeded', async () => {
    const failed = await fail();
    const { body } = await client.retry(failed.id, {
      steps: { first: { inputs: { value: 1 } }, broken: { inputs: { by: 5 } } },
    });
    const ended = await client.untilEnded(body.id);
    expect(ended.status).toBe('succeeded');
    expect(nodeOf(ended, 'first').result).not.toEqual(nodeOf(failed, 'first').result);
  });

  it('without changes tries the same again', async () => {
    const { body } = await client.retry((await fail()).id);
    expect(await client.untilEnded(body.id)).toMatchObject({
      status: 'failed',
      retryOf: expect.not.objectContaining({ steps: {} }),
    });
  });

  it('of a sequence keeps the steps that succeeded, with other arguments for the one that failed', async () => {
    const failed = await client.invoke({
      calls: [
        { toolId: 'core:random', arguments: {} },
        { toolId: 'core:math', arguments: { op: 'divide', a: 8, b: 0 } },
        { toolId: 'core:echo', arguments: { value: '{{steps.2.result}}' } },
      ],
    });
    const { body } = await client.retry(failed.id, { steps: { '1': { inputs: { b: 4 } } } });
    const ended = await client.untilEnded(body.id);
    expect(ended.result).toEqual([failed.steps[0]!.result, 2, 2]);
    expect(ended.steps[1]!.arguments).toMatchObject({ op: 'divide', a: 8, b: 4 });
    expect((await client.retry(ended.id)).status).toBe(409);
  });

  it('of a cancelled one asks nobody twice', async () => {
    const id = await client.submit({ toolId: 'workflow:two', arguments: {} });
    await client.until(id, ({ steps }) => steps[0]!.nodes?.filter(({ waiting }) => waiting).length === 2);
    await client.answer(id, { result: 'a', nodeId: 'one' });
    await client.until(id, ({ steps }) =>
      steps[0]!.nodes!.some(({ nodeId, status }) => nodeId === 'one' && status === 'succeeded'),
    );
    await client.cancel(id);
    const { body } = await client.retry(id);
    await client.until(body.id, ({ steps }) => steps[0]!.nodes?.some(({ waiting }) => waiting) ?? false);
    await client.answer(body.id, { result: 'b' });
    expect((await client.untilEnded(body.id)).result).toBe('a+b');
  });

  it('refuses what does not exist or does not fit, with the nearest that does', async () => {
    const failed = await fail();
    const wrong = await client.retry(failed.id, { steps: { brokn: { inputs: {} }, broken: { inputs: { bye: 1 } } } });
    expect(wrong.status).toBe(422);
    expect(wrong.body.errors).toMatchObject([
      { path: '/steps/brokn', suggestion: 'broken' },
      { path: '/steps/broken/inputs/bye', suggestion: 'by' },
    ]);
    expect((await client.retry(failed.id, { steps: { broken: { input: {} } } })).status).toBe(422);
    const sum = await client.invoke({ toolId: 'core:math', arguments: { op: 'divide', a: 1, b: 0 } });
    expect(await client.retry(sum.id, { steps: { '0': { inputs: { b: 'four' } } } })).toMatchObject({
      status: 422,
      body: { code: 'invalid_parameters', errors: [{ path: '/steps/0/inputs/b' }] },
    });
    expect((await client.retry(sum.id, { stepps: {} })).status).toBe(400);
    expect((await client.retry('inv_00000000000000000000000000')).status).toBe(404);
    const running = await client.submit({ toolId: 'core:delay', arguments: { ms: 60_000 } });
    expect(await client.retry(running)).toMatchObject({ status: 409, body: { code: 'conflict' } });
    await client.cancel(running);
  });
});
