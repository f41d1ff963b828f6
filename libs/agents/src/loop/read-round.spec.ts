import type { JsonObject, ToolInterface, ToolLookup } from '@errand/contracts';
import { readRound } from './read-round.js';

const ECHO: ToolInterface = {
  toolId: 'core:echo',
  version: '1.0.0',
  displayName: 'Echo',
  description: '',
  kind: 'node',
  parameters: { type: 'object', properties: { value: {} }, required: ['value'] },
  tags: [],
  aliases: ['core__echo'],
};
const TOOLS: ToolLookup = {
  find: (name) => (name === 'core:echo' || name === 'core__echo' ? ECHO : undefined),
  suggest: () => 'core:echo',
  validate: (_tool, args: JsonObject) => ({
    arguments: args,
    problems: 'value' in args ? [] : [{ path: '', message: "'value' is missing" }],
  }),
};
const call = (id: unknown, name = 'core__echo', args: unknown = '{"value":1}') =>
  ({ id, type: 'function', function: { name, arguments: args } }) as JsonObject;
const text = (value: string) => readRound({ text: value, toolCalls: [] }, TOOLS);
const native = (...toolCalls: JsonObject[]) => readRound({ text: 'One moment.', toolCalls }, TOOLS);
const block = (inner: string) => `Well.\n<ACTION>${inner}</ACTION>`;

describe('The calls of a round in its text', () => {
  it('A text without a block is the answer', () => {
    expect(text('Hello')).toEqual({ kind: 'answer', responseText: 'Hello', warnings: [] });
  });

  it('The calls of a block have the names of their tools', () => {
    expect(text(block('<core:echo><value>x</value></core:echo>'))).toMatchObject({
      kind: 'calls',
      native: false,
      responseText: 'Well.',
      calls: [{ toolId: 'core:echo', arguments: { value: 'x' } }],
    });
  });

  it('A block with an unknown tool is refused with an Observation', () => {
    const read = text(block('<core:ecko><value>x</value></core:ecko>'));
    expect(read).toMatchObject({ kind: 'refused', refusal: { observation: expect.stringContaining('core:ecko') } });
  });

  it('Text behind the block is ignored with a warning', () => {
    const read = text(`${block('<core:echo><value>x</value></core:echo>')}\nBye.`);
    expect(read.warnings).toMatchObject([{ message: expect.stringContaining('Bye.'), line: 3 }]);
  });

  it.each([
    [64, 'calls'],
    [65, 'refused'],
  ])('A block of %i calls has the kind %s', (count, kind) => {
    expect(text(block('<core:echo><value>x</value></core:echo>'.repeat(count))).kind).toBe(kind);
  });
});

describe('The native calls of a round', () => {
  it('Native calls keep their ids and names', () => {
    expect(native(call('a'), call('b'))).toMatchObject({
      kind: 'calls',
      native: true,
      responseText: 'One moment.',
      calls: [
        { toolId: 'core:echo', name: 'core__echo', givenId: 'a' },
        { toolId: 'core:echo', name: 'core__echo', givenId: 'b' },
      ],
    });
  });

  it('Native calls come before a block of the text', () => {
    const read = readRound({ text: block('<core:echo><value>x</value></core:echo>'), toolCalls: [call('a')] }, TOOLS);
    expect(read).toMatchObject({ kind: 'calls', native: true, calls: [{ givenId: 'a' }] });
  });

  it('A call without an id gets one', () => {
    expect(native(call(undefined))).toMatchObject({ kind: 'calls', calls: [{ givenId: 'call_0' }] });
  });

  it('Arguments that are no JSON refuse the message, and each call has an answer', () => {
    const read = native(call('a'), call('b', 'core__echo', '{"value":'));
    expect(read).toMatchObject({
      kind: 'refused',
      refusal: {
        toolCalls: [{ id: 'a' }, { id: 'b' }],
        answers: [
          { callId: 'a', content: expect.stringContaining('nothing ran') },
          { callId: 'b', content: expect.stringContaining('Invalid parameters') },
        ],
      },
    });
  });

  it('Two calls with one id refuse the message', () => {
    expect(native(call('a'), call('a')).kind).toBe('refused');
  });

  it.each([[null], ['text'], [7], [{}], [{ function: 'x' }], [{ id: 'a', function: { name: '__proto__' } }]])(
    'The call %j is refused and nothing is thrown',
    (odd) => {
      expect(readRound({ text: '', toolCalls: [odd as JsonObject] }, TOOLS).kind).toBe('refused');
    },
  );

  it('More than 64 native calls are refused', () => {
    expect(native(...Array.from({ length: 65 }, (_, n) => call(`c${n}`))).kind).toBe('refused');
  });
});
