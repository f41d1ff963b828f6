import type { Problem } from './support/client.js';
import { useStack } from './support/start-stack.js';
import { eventually } from './support/eventually.js';

const { client } = useStack({ with: ['worker'] });

const problem = (body: unknown, headers?: Record<string, string>) =>
  client.post<Problem>('/v1/invocations', body, headers);

describe('POST /v1/invocations', () => {
  it('A call is accepted at once with 202 and links to its invocation', async () => {
    const { status, headers, body } = await client.post('/v1/invocations', {
      toolId: 'core:echo',
      arguments: { value: 'hi' },
    });
    expect(status).toBe(202);
    expect(body).toMatchObject({
      id: expect.stringMatching(/^inv_/),
      agent: null,
      error: null,
      links: { self: `/v1/invocations/${body.id}` },
    });
    expect(headers.get('location')).toBe(`/v1/invocations/${body.id}`);
    expect((await client.untilEnded(body.id)).result).toBe('hi');
  });

  it('Prefer: wait returns 200 with the finished invocation', async () => {
    const { status, body } = await client.post(
      '/v1/invocations',
      { toolId: 'core:math', arguments: { op: 'add', a: 2, b: 3 } },
      { prefer: 'wait=20' },
    );
    expect(status).toBe(200);
    expect(body).toMatchObject({
      status: 'succeeded',
      result: 5,
      progress: 1,
      observation: 'Observation: Tool core:math executed successfully. Result: 5',
    });
    expect(body.steps).toEqual(body.calls);
  });

  it('Prefer: wait returns 202 if the invocation takes longer', async () => {
    const { status, body } = await client.post(
      '/v1/invocations',
      { toolId: 'core:delay', arguments: { ms: 1500 } },
      { prefer: 'wait=0.2' },
    );
    expect(status).toBe(202);
    expect(['queued', 'running']).toContain(body.status);
    expect((await client.untilEnded(body.id)).status).toBe('succeeded');
  });

  it('An ACTION block in a text runs', async () => {
    const text = 'I will add.\n<ACTION><core:math><op>multiply</op><a>6</a><b>7</b></core:math></ACTION>';
    const { status, body } = await client.post('/v1/invocations', { text }, { prefer: 'wait=20' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ responseText: expect.stringContaining('I will add.'), result: 42 });
  });

  it('The response lists what the parser repaired', async () => {
    const ended = await client.invoke({
      text: '<ACTION><core:echo><value>a <b>bold</b> word</value></core:echo></ACTION><ACTION><core:echo/></ACTION>',
    });
    expect(ended.warnings).toContainEqual({ message: expect.any(String), line: 1, column: expect.any(Number) });
  });

  it('A chain runs in order, and later steps get results of earlier steps with their types', async () => {
    const text =
      '<|[REQUEST_TOOL]|>command1:「始」core:math「末」,op1:「始」add「末」,a1:「始」2「末」,b1:「始」3「末」,' +
      'command2:「始」core:math「末」,op2:「始」power「末」,a2:「始」{{steps.1.result}}「末」,b2:「始」2「末」<|[END_TOOL]|>';
    const ended = await client.invoke({ text });
    expect(ended).toMatchObject({ status: 'succeeded', result: [5, 25] });
    expect(ended.steps.map((step) => step.status)).toEqual(['succeeded', 'succeeded']);
    expect(ended.observation).toContain('(step 2 of 2)');
  });

  it('A chain stops at its first failure', async () => {
    const call = (toolId: string, args: object) => ({ toolId, arguments: args });
    const ended = await client.invoke({
      calls: [
        call('core:echo', { value: 1 }),
        call('core:math', { op: 'divide', a: 1, b: 0 }),
        call('core:echo', { value: 2 }),
      ],
    });
    expect(ended.status).toBe('failed');
    expect(ended.steps.map((step) => step.status)).toEqual(['succeeded', 'failed', 'cancelled']);
    expect(ended.error!.type).toBe('NodeError');
    expect(ended.steps[0]!.result).toBe(1);
  });

  it('Calls with the mode parallel run at the same time', async () => {
    const echo = (value: number) => ({ toolId: 'core:echo', arguments: { value } });
    const ended = await client.invoke({ calls: [1, 2, 3].map(echo), options: { mode: 'parallel' } });
    expect(ended.result).toEqual([1, 2, 3]);
    const endless = { toolId: 'core:delay', arguments: { ms: 600_000, value: 1 } };
    const id = await client.submit({ calls: [endless, endless, endless], options: { mode: 'parallel' } });
    // No step ends, and so the last one can begin only beside the others.
    await eventually(async () => (await client.read(id)).steps.every(({ status }) => status === 'running'));
    expect((await client.cancel(id)).status).toBe(202);
    expect((await client.untilEnded(id)).status).toBe('cancelled');
  });

  it('A call takes the result of another invocation', async () => {
    const slow = await client.post('/v1/invocations', {
      toolId: 'core:delay',
      arguments: { ms: 300, value: { n: 20 } },
    });
    const ended = await client.invoke({
      toolId: 'core:math',
      arguments: { op: 'add', a: `{{job:${slow.body.id}.n}}`, b: 1 },
    });
    expect(ended).toMatchObject({ status: 'succeeded', result: 21 });
  });

  it('A call that refers to an unknown invocation is refused', async () => {
    const { status, body } = await problem({
      toolId: 'core:echo',
      arguments: { value: '{{job:inv_00000000000000000000000000.x}}' },
    });
    expect(status).toBe(422);
    expect(body.code).toBe('invalid_parameters');
  });

  it('Workflows and services run like other tools', async () => {
    const greeting = await client.invoke({ toolId: 'workflow:greet', arguments: { name: 'Ada' } });
    expect(greeting.status).toBe('succeeded');
    expect(greeting.steps[0]!.nodes!.length).toBeGreaterThan(1);
    const now = await client.invoke({ toolId: 'system:get_current_time', arguments: {} });
    expect(now.status).toBe('succeeded');
  });

  it('A text without a block gets the status no_action', async () => {
    const { status, body } = await client.post<unknown>('/v1/invocations', { text: 'Nothing to do.' });
    expect(status).toBe(200);
    expect(body).toEqual({ status: 'no_action', responseText: 'Nothing to do.', calls: [] });
  });

  it('An unknown tool is refused with its position, a suggestion and an observation for the model', async () => {
    const { status, headers, body } = await problem({
      text: 'So:\n<ACTION><core:ecoh><value>1</value></core:ecoh></ACTION>',
    });
    expect(status).toBe(422);
    expect(headers.get('content-type')).toMatch(/^application\/problem\+json/);
    expect(body.code).toBe('unknown_tool');
    expect(body.errors![0]).toMatchObject({ line: 2, suggestion: 'core:echo' });
    expect(body.observation).toBe("Observation: Error - Unknown tool 'core:ecoh', did you mean 'core:echo'?");
  });

  it('Invalid arguments are refused with all their errors', async () => {
    const { status, body } = await problem({ toolId: 'core:math', arguments: { op: 'root', a: 'two', bb: 3 } });
    expect(status).toBe(422);
    expect(body.code).toBe('invalid_parameters');
    expect(body.errors!.map((error) => error.path).toSorted()).toEqual(['/a', '/b', '/bb', '/op']);
  });

  it.each([
    ['a submission without any form', {}],
    ['a submission with two forms', { text: 'x', toolId: 'core:echo' }],
    ['an unknown field', { txt: 'x' }],
    ['a field of the wrong type', { toolId: 'core:echo', arguments: [] }],
    ['a session without a name', { toolId: 'core:echo', arguments: { value: 1 }, session: '' }],
    ['a session with half a character', { toolId: 'core:echo', arguments: { value: 1 }, session: 'a\ud800' }],
    ['a bad option', { toolId: 'core:echo', arguments: { value: 1 }, options: { attempts: 0 } }],
  ])('The API refuses %s with 400', async (_what, body) => {
    expect(await problem(body)).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  });

  it('The error about an unknown field suggests the nearest field', async () => {
    const { body } = await problem({ toolId: 'core:echo', argments: {} });
    expect(body.errors![0]).toMatchObject({ path: '/argments', suggestion: 'arguments' });
  });

  it('An unknown agent is refused', async () => {
    expect(await problem({ toolId: 'core:echo', arguments: { value: 1 }, agent: 'nobody' })).toMatchObject({
      status: 422,
    });
  });

  it.each(['__proto__', 'constructor', 'prototype', 'hasOwnProperty'])(
    'The parameter %s is refused as unknown',
    async (name) => {
      const { status, body } = await problem(`{"toolId":"core:echo","arguments":{"value":1,"${name}":{"a":1}}}`);
      expect(status).toBe(422);
      expect(body.errors).toEqual([expect.objectContaining({ path: `/${name}` })]);
    },
  );

  it('A body that is not JSON, not an object, too deep or too large is refused', async () => {
    expect(await problem('{"text":')).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    expect(await problem('[]')).toMatchObject({ status: 400 });
    expect(await problem('"text"')).toMatchObject({ status: 400 });
    const deep = `{"toolId":"core:echo","arguments":{"value":${'['.repeat(50_000)}${']'.repeat(50_000)}}}`;
    expect(await problem(deep)).toMatchObject({ status: 400 });
    expect(await problem({ text: 'x'.repeat(1_100_000) })).toMatchObject({
      status: 413,
      body: { code: 'payload_too_large' },
    });
    expect((await problem('text=x', { 'content-type': 'text/plain' })).status).toBe(415);
  });

  it('An Idempotency-Key creates one invocation and is refused for another body', async () => {
    const send = (value: number) =>
      client.post('/v1/invocations', { toolId: 'core:echo', arguments: { value } }, { 'idempotency-key': 'e2e-1' });
    const ids = new Set((await Promise.all(Array.from({ length: 20 }, () => send(1)))).map(({ body }) => body.id));
    expect(ids.size).toBe(1);
    expect(await send(2)).toMatchObject({ status: 409, body: { code: 'conflict' } });
  });

  it('A call that exceeds its time limit fails with TimeoutError', async () => {
    const ended = await client.invoke({ toolId: 'core:delay', arguments: { ms: 30_000 }, options: { timeoutMs: 100 } });
    expect(ended).toMatchObject({ status: 'failed', error: { type: 'TimeoutError' } });
  });
});
