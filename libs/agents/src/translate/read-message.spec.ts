import { readMessage, type ReadMessage } from './read-message.js';

const call = (id: unknown, args: unknown = '{}', name: unknown = 'core__echo') => ({
  id,
  type: 'function',
  function: { name, arguments: args },
});
const chat = (...calls: unknown[]) => ({ role: 'assistant', content: null, tool_calls: calls });
const use = (id: string, input: unknown) => ({ type: 'tool_use', id, name: 'core__echo', input });

function read(message: unknown): ReadMessage {
  const outcome = readMessage(message);
  if ('fault' in outcome) throw new Error(outcome.fault.message);
  return outcome;
}

function faultsOf(message: unknown) {
  return read(message).calls.map(({ faults }) => faults);
}

function faultOf(message: unknown) {
  const outcome = readMessage(message);
  return 'fault' in outcome ? outcome.fault : undefined;
}

describe('The shape of a message', () => {
  it.each<[string, unknown]>([
    ['a text', 'hello'],
    ['null', null],
    ['a number', 1],
    ['an empty object', {}],
    ['an object with other fields', { content: 'hi' }],
    ['a list of texts', ['hi']],
    ['a list of tool calls', [call('a')]],
    ['a list of content blocks', [use('a', {})]],
    ['a conversation', [{ role: 'user', content: 'hi' }, chat(call('a'))]],
    [
      'the items of earlier rounds',
      [
        { type: 'function_call', call_id: 'a' },
        { type: 'function_call_output', call_id: 'a' },
      ],
    ],
    ['a completion without a choice', { choices: [] }],
    ['a choice without a message', { choices: [{}] }],
    ['a message with the calls of two APIs', { ...chat(call('a')), content: [use('b', {})] }],
  ])('A refusal of %s names the three shapes', (_what, message) => {
    expect(faultOf(message)?.message).toMatch(/OpenAI chat: .*OpenAI Responses: .*Anthropic: /);
  });

  it.each<[string, unknown, string, RegExp]>([
    ['a message of a user', { ...chat(call('a')), role: 'user' }, '/role', /only 'assistant'/],
    ['two choices', { choices: [{}, {}] }, '/choices', /2 choices/],
    ['a part of a stream', { choices: [{ delta: {} }] }, '/choices/0/delta', /part of a stream/],
    [
      'the old function_call',
      { role: 'assistant', content: null, function_call: { name: 'a' } },
      '/function_call',
      /no id/,
    ],
    ['tool_calls as an object', { role: 'assistant', tool_calls: {} }, '/tool_calls', /must be a list/],
    ['1,001 calls', chat(...Array.from({ length: 1_001 }, (_, n) => call(`c${n}`))), '', /1001 calls; .* 1000/],
  ])('A refusal of %s says what is wrong, and where', (_what, message, path, reason) => {
    expect(faultOf(message)).toEqual({ path, message: expect.stringMatching(reason) });
  });

  it.each<[string, unknown]>([
    ['an empty list of output items', []],
    ['a message with a text', { role: 'assistant', content: 'Done.' }],
    [
      'a message with null in place of absent fields',
      { role: 'assistant', content: null, tool_calls: null, function_call: null },
    ],
    ['an empty list of calls', { role: 'assistant', content: 'Done.', tool_calls: [] }],
    ['a message of blocks without tool_use', { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] }],
    ['a response with a text', { type: 'message', role: 'assistant', content: [], stop_reason: 'end_turn' }],
  ])('%s has no calls', (_what, message) => {
    expect(read(message).calls).toEqual([]);
  });
});

describe('The calls of a message', () => {
  it('1,000 calls are read in order', () => {
    const { calls } = read(chat(...Array.from({ length: 1_000 }, (_, n) => call(`c${n}`, `{"n":${n}}`))));
    expect(calls.map(({ arguments: args }) => args['n'])).toEqual(calls.map((_, n) => n));
  });

  it.each<[string, unknown, number | undefined, RegExp]>([
    ['text that is cut off', '{"value": "hi', 11, /line 1, column 11: The string/],
    ['a list', '[1]', 1, /must be a JSON object, not a list/],
    ['null', 'null', 1, /not null/],
    ['nothing', '', 1, /are empty; write \{\}/],
    ['a number', 5, undefined, /must be a JSON object, not a number/],
    ['no field', undefined, undefined, /not absent/],
  ])('Arguments that are %s are a fault with its place', (_what, args, column, message) => {
    const place = column === undefined ? {} : { line: 1, column };
    const given = chat({
      id: 'a',
      type: 'function',
      function: { name: 'x', ...(args !== undefined && { arguments: args }) },
    });
    expect(faultsOf(given)).toEqual([
      [{ kind: 'invalid_parameters', path: '', message: expect.stringMatching(message), ...place }],
    ]);
  });

  it('Names such as __proto__ are ordinary keys of arguments', () => {
    const [own] = read(chat(call('a', '{"__proto__": {"x": 1}, "constructor": 2}'))).calls;
    expect(Object.keys(own?.arguments ?? {})).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(own?.arguments)).toBe(Object.prototype);
  });

  it.each<[string, unknown, RegExp]>([
    ['absent', undefined, /no id/],
    ['empty', '', /no id/],
    ['a number', 7, /no id/],
    ['half of a character', 'a\ud800', /lone surrogate/],
    ['of 5,000 characters', 'x'.repeat(5_000), /more than 4096/],
  ])('An id that is %s is a fault', (_what, id, message) => {
    expect(faultsOf(chat(call(id)))).toEqual([[{ kind: 'invalid_parameters', path: '/callId', message: expect.stringMatching(message) }]]); // prettier-ignore
  });

  it('Each call of an id that occurs twice has a fault', () => {
    expect(faultsOf(chat(call('a'), call('b'), call('a'))).map((faults) => faults.length)).toEqual([1, 0, 1]);
  });

  it('An entry that is not a call is a fault, and is not dropped', () => {
    expect(faultsOf(chat(null, 5, {})).map((faults) => faults.map(({ path }) => path))).toEqual(
      Array.from({ length: 3 }, () => ['/callId', '/toolId', '']),
    );
  });

  it('A call within which the message ends is truncated, although its arguments are an object', () => {
    const cut = {
      role: 'assistant',
      content: [use('a', { x: 1 }), use('b', { path: '/' })],
      stop_reason: 'max_tokens',
    };
    expect(faultsOf(cut)).toEqual([[], [expect.objectContaining({ kind: 'truncated' })]]);
    const item = { type: 'function_call', call_id: 'a', name: 'x', arguments: '{}', status: 'incomplete' };
    expect(faultsOf({ status: 'incomplete', output: [item] })).toEqual([
      [expect.objectContaining({ kind: 'truncated' })],
    ]);
  });

  it('A call of a custom tool is a fault, and a call for another program is a warning', () => {
    const custom = { type: 'custom_tool_call', call_id: 'a', name: 'x', input: 'text' };
    const computer = { type: 'computer_call', call_id: 'b', action: {} };
    const { calls, warnings } = read([custom, computer]);
    expect(calls).toEqual([expect.objectContaining({ callId: 'a', isCustom: true, faults: [expect.objectContaining({ path: '' })] })]); // prettier-ignore
    expect(warnings).toEqual(['The call b is a computer_call, which Errand does not run']);
  });
});
