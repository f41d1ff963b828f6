import { eventOf, FrontEnd, postRun, typesOf, type RunEvent } from './support/agui-agent.js';
import { useScriptedModel } from './support/scripted-model.js';
import { useStack } from './support/start-stack.js';
import { turnLibrary } from './support/turn-library.js';

const model = useScriptedModel();
const stack = useStack({ with: ['worker'], library: turnLibrary() });

const act = (text: string, ...calls: string[]) => `${text}\n<ACTION>${calls.join('')}</ACTION>`;
const echo = (value: string) => `<core:echo><value>${value}</value></core:echo>`;
const paint = (color: string) => `<change_background><color>${color}</color></change_background>`;
const at = (agent = 'guide') => `${stack.url}/agui/${agent}`;
const frontEnd = (threadId: string, agent?: string) => FrontEnd.of(at(agent), threadId);
const textOf = (events: readonly RunEvent[]) =>
  events.flatMap(({ type, ['delta']: delta }) => (type === 'TEXT_MESSAGE_CONTENT' ? [delta] : [])).join('');

const PAINT = {
  name: 'change_background',
  description: 'Changes the background of the page',
  parameters: { type: 'object', properties: { color: { type: 'string' } }, required: ['color'] },
};

describe('A run of the published client', () => {
  it('A message begins a turn, and its text arrives as one message', async () => {
    model.current.restart([{ text: ['Hello', ', Ada.'] }]);
    const agent = frontEnd('hello');
    const events = await agent.say('Hi');
    expect(typesOf(events).filter((type) => type !== 'TEXT_MESSAGE_CONTENT')).toEqual([
      'RUN_STARTED',
      'STATE_SNAPSHOT',
      'STEP_STARTED',
      'TEXT_MESSAGE_START',
      'TEXT_MESSAGE_END',
      'STEP_FINISHED',
      'RUN_FINISHED',
    ]);
    expect(textOf(events)).toBe('Hello, Ada.');
    const invocationId = agent.response?.headers.get('errand-invocation');
    expect(eventOf(events, 'RUN_STARTED')).toMatchObject({
      threadId: 'hello',
      protocolVersion: '1.0',
      metadata: { errand: { invocationId } },
    });
    expect(events.at(-1)).toMatchObject({
      result: 'Hello, Ada.',
      outcome: { type: 'success' },
      usage: [expect.anything()],
    });
    expect(agent.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(await stack.client.read(invocationId ?? '')).toMatchObject({ session: 'hello', status: 'succeeded' });
  });

  it('A second message continues the conversation without sending it again', async () => {
    model.current.restart(['One.', 'Two.']);
    const agent = frontEnd('continued');
    await agent.say('First');
    await agent.say('Second');
    expect(model.current.requests[1]?.messages.slice(1).map(({ content }) => content)).toEqual([
      'First',
      'One.',
      'Second',
    ]);
  });

  it('The call of a server tool has its result in the run', async () => {
    model.current.restart([act('I look.', echo('one')), 'It says one.']);
    const agent = frontEnd('server-tool');
    const events = await agent.say('Look');
    const calls = events.filter(({ type }) => type.startsWith('TOOL_CALL'));
    expect(typesOf(calls)).toEqual(['TOOL_CALL_START', 'TOOL_CALL_ARGS', 'TOOL_CALL_END', 'TOOL_CALL_RESULT']);
    expect(calls[0]).toMatchObject({ toolCallName: 'core:echo' });
    expect(calls[3]).toMatchObject({ content: 'one', role: 'tool', toolCallId: calls[0]?.['toolCallId'] });
    expect(agent.messages).toMatchObject([
      { role: 'user' },
      {
        role: 'assistant',
        content: 'I look.',
        toolCalls: [{ function: { name: 'core:echo', arguments: '{"value":"one"}' } }],
      },
      { role: 'tool', content: 'one' },
      { role: 'assistant', content: 'It says one.' },
    ]);
  });

  it('A client tool ends the run, and its answer begins the next one', async () => {
    model.current.restart([act('I paint.', paint('red')), 'It is red.']);
    const agent = frontEnd('paint');
    const first = await agent.say('Paint it red', { tools: [PAINT] });
    const start = eventOf(first, 'TOOL_CALL_START');
    const toolCallId = String(start?.['toolCallId']);
    expect(start).toMatchObject({ toolCallName: 'change_background' });
    expect(typesOf(first)).not.toContain('TOOL_CALL_RESULT');
    expect(first.at(-1)).toMatchObject({
      type: 'RUN_FINISHED',
      outcome: { type: 'success', pendingToolCallIds: [toolCallId] },
    });
    const second = await agent.answer({ [toolCallId]: 'done' });
    expect(typesOf(second).filter((type) => type.startsWith('TOOL_CALL'))).toEqual([]);
    expect(textOf(second)).toBe('It is red.');
    expect(second.at(-1)).toMatchObject({ outcome: { type: 'success' }, result: 'It is red.' });
    expect(model.current.requests[1]?.last).toContain('Result: done');
  });
});

describe('The requests of the seeds', () => {
  it('The two phases work to the letter', async () => {
    model.current.restart([act('', paint('blue')), 'It is blue.']);
    const first = await postRun(at(), {
      threadId: 'seeds',
      runId: 'run-1',
      messages: [{ role: 'user', content: 'Make the page blue' }],
      tools: [PAINT],
      state: {},
      forwardedProps: {},
    });
    expect(typesOf(first.events).filter((type) => !/^(STATE|STEP)_/.test(type))).toEqual([
      'RUN_STARTED',
      'TOOL_CALL_START',
      'TOOL_CALL_ARGS',
      'TOOL_CALL_END',
      'RUN_FINISHED',
    ]);
    const toolCallId = eventOf(first.events, 'TOOL_CALL_END')?.['toolCallId'];
    const answer = { role: 'tool', tool_id: toolCallId, tool_name: 'change_background', content: '{"success":true}' };
    const second = await postRun(at(), {
      threadId: 'seeds',
      runId: 'run-2',
      messages: [answer],
      state: {},
      forwardedProps: {},
    });
    expect(typesOf(second.events).filter((type) => !/^(STATE|STEP)_/.test(type))).toEqual([
      'RUN_STARTED',
      'TEXT_MESSAGE_START',
      ...second.events.filter(({ type }) => type === 'TEXT_MESSAGE_CONTENT').map(({ type }) => type),
      'TEXT_MESSAGE_END',
      'RUN_FINISHED',
    ]);
    const roles = model.current.requests[1]?.messages.map(({ role }) => role);
    expect(roles?.filter((role) => role === 'user')).toHaveLength(2);
    expect(model.current.requests[1]?.last).toContain('{"success":true}');
  });
});
