import { chat, echo, toolCall, toolUse, type Refused } from './support/native-calls.js';
import { useStack } from './support/start-stack.js';

/** Refused messages of model APIs, over HTTP. Nothing of them runs, so that no worker is needed. */
const stack = useStack();

async function refusal(message: unknown, more: object = {}): Promise<Refused> {
  const { status, body } = await stack.client.post<Refused>('/v1/invocations', { message, ...more });
  expect({ status, messages: Array.isArray(body.messages) }).toEqual({ status: 422, messages: true });
  return body;
}

describe('A refused message', () => {
  it('The refusal names each wrong call by its id, and the correct calls are answered that nothing ran', async () => {
    const body = await refusal(
      chat(echo('good', 'hi'), toolCall('bad', 'core__ecko', {}), toolCall('cut', 'core__echo', '{"value": }')),
    );
    expect(body).toMatchObject({
      code: 'unknown_tool',
      errors: [
        {
          call: 1,
          callId: 'bad',
          suggestion: 'core:echo',
          message: expect.stringMatching(/^Call bad: Unknown tool 'core__ecko'/),
        },
        {
          call: 2,
          callId: 'cut',
          line: 1,
          column: 11,
          message: expect.stringMatching(/^Call cut: .*line 1, column 11/),
        },
      ],
    });
    expect(body.observation?.split('\n')).toEqual([
      expect.stringMatching(/^Observation: Error - Call bad: Unknown tool/),
      expect.stringMatching(
        /^Observation: Error - Call cut: Invalid parameters for core__echo: The arguments are not valid JSON/,
      ),
    ]);
    expect(body.messages).toEqual([
      { role: 'tool', tool_call_id: 'good', content: expect.stringMatching(/nothing ran, .*\(Call bad, Call cut\)/) },
      {
        role: 'tool',
        tool_call_id: 'bad',
        content: expect.stringMatching(/^Observation: Error - Unknown tool 'core__ecko'/),
      },
      { role: 'tool', tool_call_id: 'cut', content: expect.stringMatching(/^Observation: Error - Invalid parameters/) },
    ]);
  });

  it('Arguments that do not fit the tool are refused with their paths, as in calls', async () => {
    const body = await refusal(chat(toolCall('a', 'core__math', { op: 'add', a: 'x', b: 1, __proto__x: 1 })));
    expect(body.errors.map(({ path, callId }) => [path, callId])).toEqual(
      expect.arrayContaining([
        ['/a', 'a'],
        ['/__proto__x', 'a'],
      ]),
    );
    const inherited = await refusal(
      chat(toolCall('b', 'constructor', {}), toolCall('c', '__proto__', '{"__proto__": 1}')),
    );
    expect(inherited.errors.map(({ message }) => message)).toEqual([
      expect.stringMatching(/Unknown tool 'constructor'/),
      expect.stringMatching(/Unknown tool '__proto__'/),
    ]);
  });

  it('The same id twice, and a call without an id, refuse the message', async () => {
    const twice = await refusal(chat(echo('a', 1), echo('a', 2)));
    expect(twice.errors.map(({ path, callId }) => [path, callId])).toEqual([
      ['/callId', 'a'],
      ['/callId', 'a'],
    ]);
    expect(twice.messages.map(({ tool_call_id: id }) => id)).toEqual(['a']);
    const without = await refusal(chat(toolCall(undefined, 'core__echo', { value: 1 }), echo('b', 2)));
    expect(without.detail).toMatch(/^Call number 1: The call has no id/);
    expect(without.messages.map(({ tool_call_id: id }) => id)).toEqual(['b']);
  });

  it('A value of no shape is refused with the three shapes, also null', async () => {
    for (const message of ['text', null, 7, {}, [1]]) {
      const { detail, messages } = await refusal(message);
      expect(detail).toMatch(/OpenAI chat: .*OpenAI Responses: .*Anthropic: /);
      expect(messages).toEqual([]);
    }
  });

  it('Every other 422 has the messages, too', async () => {
    const message = { role: 'assistant', content: [toolUse('a', 'core__echo', { value: 1 })] };
    const answered = [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', is_error: true, content: expect.stringMatching(/^Observation: Error - /) }] }]; // prettier-ignore
    expect((await refusal(message, { agent: 'nobody' })).messages).toEqual(answered);
    expect((await refusal(message, { callback: { url: 'http://10.0.0.1/' } })).messages).toEqual(answered);
  });

  it('A reference to a missing invocation is refused by the id of its call', async () => {
    const job = { value: '{{job:inv_00000000000000000000000000}}' };
    const { errors, messages } = await refusal(chat(echo('good', 1), toolCall('bad', 'core__echo', job)));
    expect(errors).toMatchObject([{ call: 1, callId: 'bad' }]);
    expect(messages.map(({ content }) => content)).toEqual([
      expect.stringMatching(/Nothing ran. Another call of the message is wrong/),
      expect.stringMatching(/^Observation: Error - There is no invocation/),
    ]);
  });

  it('A thousand wrong calls give a message each and a bounded observation', async () => {
    const wrong = Array.from({ length: 1_000 }, (_, n) => toolCall(`call_${n}`, 'core__math', { wrong: n }));
    const { messages, errors, observation = '' } = await refusal(chat(...wrong));
    expect([messages.length, errors.length]).toEqual([1_000, 100]);
    expect(observation).toMatch(/Observation: Error - 980 more calls are wrong\.$/);
  });

  it('A second form beside the message is refused', async () => {
    const { status, body } = await stack.client.post('/v1/invocations', { message: chat(echo('a', 1)), text: 'x' });
    expect([status, body.code]).toEqual([400, 'invalid_request']);
  });
});
