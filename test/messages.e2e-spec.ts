import type { Problem } from './support/client.js';
import { GATE } from './support/gate-library.js';
import { chat, echo, invokeMessage, toolCall, toolUse, type Answered, type Refused } from './support/native-calls.js';
import { useStack } from './support/start-stack.js';
import { messageOf, WebhookReceiver } from './support/webhook-receiver.js';

/** Messages of model APIs as submissions, over HTTP. */
const TOOLS = `
name: native
displayName: Native
version: 1.0.0
description: Tools for native calls.
tools:
  - id: native:ask
    displayName: Ask
    description: Asks a person.
    parameters: { type: object, properties: { question: { type: string } }, required: [question] }
    implementation: { type: external }
`;
const stack = useStack({
  with: ['worker'],
  library: { ...GATE, 'plugins/native/plugin.yaml': TOOLS },
  env: { ERRAND_CALLBACK_ALLOW: '127.0.0.1' },
});

const invoke = (message: unknown, more?: object) => invokeMessage(stack.client, message, more);

describe('A message of a model API', () => {
  it('The calls of an OpenAI message run, and their answers are tool messages in order', async () => {
    const invocation = await invoke(
      chat(echo('a', 'hi'), toolCall('b', 'core:math', { op: 'power', a: 2, b: 10 }), echo('c', { x: [1] })),
    );
    expect(invocation.responseText).toBe('I will.');
    expect(invocation.steps.map(({ callId, toolId }) => [callId, toolId])).toEqual([
      ['a', 'core:echo'],
      ['b', 'core:math'],
      ['c', 'core:echo'],
    ]);
    expect(invocation.messages).toEqual([
      { role: 'tool', tool_call_id: 'a', content: 'hi' },
      { role: 'tool', tool_call_id: 'b', content: '1024' },
      { role: 'tool', tool_call_id: 'c', content: '{"x":[1]}' },
    ]);
  });

  it('The output of the Responses API is answered by function_call_output items', async () => {
    const output = [{ type: 'function_call', call_id: 'a', name: 'core__echo', arguments: '{"value":null}' }];
    const { messages } = await invoke({ object: 'response', status: 'completed', output });
    expect(messages).toEqual([{ type: 'function_call_output', call_id: 'a', output: 'null' }]);
  });

  it('A message of Anthropic is answered by one message of the user, in which a failed call is an error', async () => {
    const blocks = [
      toolUse('a', 'core__echo', { value: 'hi' }),
      toolUse('b', 'core__math', { op: 'divide', a: 1, b: 0 }),
    ];
    const { status, messages } = await invoke({ role: 'assistant', content: blocks });
    expect({ status, messages }).toEqual({
      status: 'succeeded',
      messages: [
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'a', content: 'hi' },
            {
              type: 'tool_result',
              tool_use_id: 'b',
              content: expect.stringMatching(
                /^Observation: Error - Tool core:math failed\. Error type: NodeError\. .*zero/,
              ),
              is_error: true,
            },
          ],
        },
      ],
    });
  });

  it('A single call that fails has its Observation as the answer', async () => {
    const { status, messages } = await invoke(chat(toolCall('a', 'core__math', { op: 'divide', a: 1, b: 0 })));
    expect(status).toBe('failed');
    expect(messages).toEqual([
      { role: 'tool', tool_call_id: 'a', content: expect.stringMatching(/^Observation: Error/) },
    ]);
  });

  it('Native calls run at the same time: the first may wait for the second', async () => {
    const open = `${stack.folder}/opened`;
    const hold = toolCall('a', 'gate__hold', { open });
    // The folder exists, so that this call ends at once. It writes the file for which the first call waits.
    const opens = toolCall('b', 'gate__hold', { open: stack.folder, left: open });
    const { status, messages } = await invoke(chat(hold, opens));
    expect([status, messages?.map(({ content }) => content)]).toEqual(['succeeded', ['done', 'done']]);
  });

  it('The options of the caller have precedence: a sequence stops at its first failure', async () => {
    const message = chat(toolCall('a', 'core__math', { op: 'divide', a: 1, b: 0 }), echo('b', 'hi'));
    const { status, messages } = await invoke(message, { options: { mode: 'sequence', onError: 'stop' } });
    expect(status).toBe('failed');
    expect(messages?.map(({ content }) => content)).toEqual([
      expect.stringMatching(/^Observation: Error - Tool core:math failed/),
      expect.stringMatching(/^Observation: Error - Tool core:echo was not run, because the invocation ended before/),
    ]);
  });

  it('A result above maxResultChars is cut in its message, also an image as base64', async () => {
    const image = { content: [{ type: 'image', mimeType: 'image/png', data: 'iVBORw0KGgo'.repeat(20_000) }] };
    const { messages } = await invoke(chat(echo('a', image), echo('b', 'y'.repeat(300))), {
      options: { maxResultChars: 250 },
    });
    const [first, second] = (messages ?? []).map(({ content }) => String(content));
    expect(first?.slice(0, 40)).toBe(JSON.stringify(image).slice(0, 40));
    expect(first).toMatch(
      / \[cut at \d+ of 220,\d+ characters; read more: tool core:read-result, invocation inv_\w+, path \/0, offset \d+\]$/,
    );
    expect(second).toMatch(/\[cut at 250 of 300 characters/);
  });

  it('1,000 calls run in one invocation', async () => {
    const { status, messages } = await invoke(chat(...Array.from({ length: 1_000 }, (_, n) => echo(`call_${n}`, n))));
    expect(status).toBe('succeeded');
    expect(messages?.map(({ tool_call_id: id, content }) => [id, content])).toEqual(
      Array.from({ length: 1_000 }, (_, n) => [`call_${n}`, `${n}`]),
    );
  });

  it.each([
    ['OpenAI', { role: 'assistant', content: 'Done.', tool_calls: [] }],
    ['Responses', [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Done.' }] }]],
    ['Anthropic', { type: 'message', role: 'assistant', content: [{ type: 'text', text: 'Done.' }] }],
  ])('A message of %s without calls is no_action, with no messages', async (_api, message) => {
    const { status, body } = await stack.client.post('/v1/invocations', { message });
    expect({ status, body }).toEqual({
      status: 200,
      body: { status: 'no_action', responseText: 'Done.', calls: [], messages: [] },
    });
  });

  it('The same key and message run once, and another message under the key is refused', async () => {
    const headers = { 'idempotency-key': 'message-1' };
    const send = (value: string) => stack.client.post('/v1/invocations', { message: chat(echo('a', value)) }, headers);
    const first = await send('hi');
    await stack.client.untilEnded(first.body.id);
    const second = await send('hi');
    expect([second.body.id, (second.body as Answered).messages?.length]).toEqual([first.body.id, 1]);
    expect((await send('other')).status).toBe(409);
  });

  it('A batch takes messages, and a refused item has its messages', async () => {
    const items = [
      { message: chat(echo('a', 'hi')) },
      { message: chat(toolCall('b', 'core__ecko', {})) },
      { message: chat() },
    ];
    const { body } = await stack.client.post<{ items: Record<string, unknown>[] }>('/v1/invocations/batch', { items });
    expect(body.items).toMatchObject([
      { status: 'queued', steps: [{ callId: 'a' }] },
      { code: 'unknown_tool', messages: [{ tool_call_id: 'b' }] },
      { status: 'no_action', messages: [] },
    ]);
  });

  it('The items of a list have no messages', async () => {
    await invoke(chat(echo('a', 'hi')));
    const { body } = await stack.client.get<{ items: object[] }>('/v1/invocations?limit=100');
    expect(body.items.filter((item) => 'messages' in item)).toEqual([]);
  });
});

describe('The messages of an invocation', () => {
  it('The messages of an invocation are read in each form, and in its own by default', async () => {
    const { id } = await invoke({ role: 'assistant', content: [toolUse('a', 'core__echo', { value: 'hi' })] });
    const read = async (query: string) => (await stack.client.get(`/v1/invocations/${id}/messages${query}`)).body;
    const own = [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'hi' }] }];
    expect(await read('')).toEqual({ format: 'anthropic', messages: own });
    expect(await read('?format=openai')).toMatchObject({
      messages: [{ role: 'tool', tool_call_id: 'a', content: 'hi' }],
    });
    expect(await read('?format=responses')).toMatchObject({
      messages: [{ type: 'function_call_output', output: 'hi' }],
    });
    expect(await read('?format=opnai')).toMatchObject({
      status: 400,
      detail: expect.stringMatching(/did you mean 'openai'/),
    });
  });

  it('Calls that came without ids have messages with ids of at most 40 characters', async () => {
    const { id } = await stack.client.invoke({ calls: [{ toolId: 'core:echo', arguments: { value: 1 } }, { toolId: 'core:echo', arguments: { value: 2 } }] }); // prettier-ignore
    const { body } = await stack.client.get<Refused>(`/v1/invocations/${id}/messages`);
    const ids = body.messages.map((message) => message.tool_call_id);
    expect(new Set(ids).size).toBe(2);
    for (const each of ids) expect(each).toMatch(/^[\w-]{1,40}$/);
  });

  it('An invocation that waits has no messages until its call is answered by id', async () => {
    const { status, body } = await stack.client.post('/v1/invocations', {
      message: chat(toolCall('call/1', 'native__ask', { question: 'Well?' }), echo('b', 'hi')),
    });
    expect([status, 'messages' in body]).toEqual([202, false]);
    const waiting = await stack.client.untilWaiting(body.id);
    expect('messages' in waiting).toBe(false);
    const early = await stack.client.get<Problem>(`/v1/invocations/${body.id}/messages`);
    expect([early.status, early.body.code, early.body.detail]).toEqual([
      409,
      'conflict',
      expect.stringMatching(/waits for an answer/),
    ]);
    const answer = (id: string) =>
      stack.client.post<Problem>(`/v1/invocations/${body.id}/calls/${id}/result`, { result: 'Yes' });
    expect((await answer('call%2f2')).body).toMatchObject({
      status: 404,
      detail: expect.stringMatching(/did you mean 'call\/1'/),
    });
    expect((await answer('__proto__')).status).toBe(404);
    expect((await answer('call%2F1')).status).toBe(202);
    const ended = (await stack.client.untilEnded(body.id)) as Answered;
    expect(ended.messages?.map(({ content }) => content)).toEqual(['Yes', 'hi']);
  });

  it('A cancelled invocation answers each call', async () => {
    const id = await stack.client.submit({
      message: chat(toolCall('a', 'native__ask', { question: 'Well?' }), echo('b', 'hi')),
    });
    await stack.client.untilWaiting(id);
    await stack.client.cancel(id);
    const ended = (await stack.client.untilEnded(id)) as Answered;
    expect(ended.messages?.map(({ content }) => content)).toEqual([expect.stringMatching(/CancelledError/), 'hi']);
  });

  it('A retry keeps the ids of the calls', async () => {
    const { id } = await invoke(chat(toolCall('a', 'core__math', { op: 'divide', a: 1, b: 0 })));
    const { body } = await stack.client.retry(id, { steps: { 0: { inputs: { b: 2 } } } });
    const { messages } = (await stack.client.untilEnded(body.id)) as Answered;
    expect(messages).toEqual([{ role: 'tool', tool_call_id: 'a', content: '0.5' }]);
  });

  it('The end event of the stream has the messages', async () => {
    const id = await stack.client.submit({ message: chat(echo('a', 'hi')) });
    const events = await stack.client.events(id);
    expect(events.at(-1)).toMatchObject({ event: 'end', data: { invocation: { messages: [{ tool_call_id: 'a' }] } } });
  });

  it('The callback has the messages, unless they are too long for it', async () => {
    const receiver = await WebhookReceiver.start();
    const callback = { url: receiver.url };
    await stack.client.submit({ message: chat(echo('a', 'hi')), callback });
    const [short] = await receiver.until(1);
    expect(short && messageOf(short).data.messages).toEqual([{ role: 'tool', tool_call_id: 'a', content: 'hi' }]);
    const long = Array.from({ length: 60 }, (_, n) => echo(`c${n}`, 'x'.repeat(7_000)));
    await stack.client.submit({ message: chat(...long), callback });
    const [, cut] = await receiver.until(2);
    receiver.stop();
    expect(cut && messageOf(cut).data).toMatchObject({ truncated: true, status: 'succeeded' });
    expect(cut && 'messages' in messageOf(cut).data).toBe(false);
  });

  it('An unknown invocation has neither messages nor calls', async () => {
    const id = 'inv_00000000000000000000000000';
    expect((await stack.client.get(`/v1/invocations/${id}/messages`)).status).toBe(404);
    expect((await stack.client.post(`/v1/invocations/${id}/calls/a/result`, { result: 1 })).status).toBe(404);
  });
});
