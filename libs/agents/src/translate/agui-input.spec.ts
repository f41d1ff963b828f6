import type { AguiInput, AguiInputMessage } from './agui-input.js';
import { clientToolsOf, newMessages, readIntent, stateOf } from './agui-input.js';
import { spellRunInput } from './agui-spellings.js';

const TURN = `inv_${'0'.repeat(39)}`;
const user = (id: string, content: unknown = id): AguiInputMessage => ({ id, role: 'user', content });
const assistant = (id: string): AguiInputMessage => ({ id, role: 'assistant', content: 'text' });
const tool = (toolCallId: string, content = 'ok', more: object = {}): AguiInputMessage => ({
  id: `t-${toolCallId}`,
  role: 'tool',
  toolCallId,
  content,
  ...more,
});
const input = (messages: AguiInputMessage[], more: Partial<AguiInput> = {}): AguiInput => ({
  threadId: 't',
  runId: 'r',
  messages,
  tools: [],
  context: [],
  ...more,
});
const intentOf = (given: AguiInput) => {
  const read = readIntent(given);
  if ('problems' in read) throw new Error(JSON.stringify(read.problems));
  return read.intent;
};
const problemsOf = (given: AguiInput) => {
  const read = readIntent(given);
  return 'problems' in read ? read.problems : [];
};

describe('What the input of a run asks for', () => {
  it('A last message of the user asks for a turn', () => {
    const messages = [user('u1'), assistant('a1'), user('u2')];
    expect(intentOf(input(messages))).toEqual({ kind: 'message', candidates: messages });
  });

  it('The tool messages at the end are answers to calls', () => {
    const answers = [tool('c1'), tool('c2', 'part', { error: 'broke', name: 'change_background' })];
    expect(intentOf(input([user('u1'), assistant('a1'), ...answers]))).toEqual({
      kind: 'answers',
      tools: [
        { toolCallId: 'c1', answer: { result: 'ok' } },
        { toolCallId: 'c2', toolName: 'change_background', answer: { error: { message: 'broke: part' } } },
      ],
      resume: [],
    });
  });

  it('The results of server tools, which a run has sent, do not count as answers', () => {
    const sent = tool('s1', 'sum', { id: `${TURN}.0.t0` });
    expect(intentOf(input([user('u1'), assistant(`${TURN}.0.a`), sent, tool('c1')]))).toMatchObject({
      tools: [{ toolCallId: 'c1' }],
    });
  });

  it('A client that asks again has messages of the run itself at the end, and asks for the same', () => {
    const again = [
      user('u1'),
      assistant(`${TURN}.0.a`),
      tool('s1', 'sum', { id: `${TURN}.0.t0` }),
      assistant(`${TURN}.1.a.2`),
    ];
    expect(intentOf(input(again))).toEqual(intentOf(input([user('u1')])));
  });

  it('The entries of resume are answers to interrupts', () => {
    const resume = [
      { interruptId: 'i1', status: 'resolved' as const, payload: { yes: true } },
      { interruptId: 'i2', status: 'resolved' as const },
      { interruptId: 'i3', status: 'cancelled' as const, payload: 'ignored' },
    ];
    expect(intentOf(input([user('u1')], { resume }))).toEqual({
      kind: 'answers',
      tools: [],
      resume: [
        { interruptId: 'i1', answer: { result: { yes: true } } },
        { interruptId: 'i2', answer: { result: null } },
        { interruptId: 'i3', answer: { error: { message: 'declined' } } },
      ],
    });
  });

  it.each([
    ['no messages', input([]), '/messages'],
    ['a last message of the assistant', input([user('u'), assistant('a')]), '/messages'],
    ['an image', input([user('u', [{ type: 'image', source: {} }])]), '/messages/0/content/0'],
    ['a message above 256 KiB', input([user('u', 'é'.repeat(131_073))]), '/messages/0/content'],
    ['a thread with half of a character', input([user('u')], { threadId: 'a\ud800' }), '/threadId'],
    ['an empty run id', input([user('u')], { runId: '' }), '/runId'],
    ['a state that is a list', input([user('u')], { state: [1] }), '/state'],
    [
      'parameters that are a text',
      input([user('u')], { tools: [{ name: 'x', parameters: 'y' }] }),
      '/tools/0/parameters',
    ],
    ['129 tools', input([user('u')], { tools: Array.from({ length: 129 }, () => ({ name: 'x' })) }), '/tools'],
    [
      '65 entries of context',
      input([user('u')], { context: Array.from({ length: 65 }, () => ({ description: 'd', value: 'v' })) }),
      '/context',
    ],
    ['257 tool messages', input(Array.from({ length: 257 }, (_, n) => tool(`c${n}`))), '/messages'],
    [
      '1,000 entries of resume',
      input([], { resume: Array.from({ length: 1_000 }, (_, n) => ({ interruptId: `i${n}`, status: 'cancelled' })) }),
      '/resume',
    ],
  ])('The input is refused for %s', (_, given, path) => {
    expect(problemsOf(given).map((problem) => problem.path)).toContain(path);
  });

  it('Each bound itself is accepted', () => {
    const many = <T>(length: number, make: (n: number) => T) => Array.from({ length }, (_, n) => make(n));
    expect(problemsOf(input([user('u', 'é'.repeat(131_072))]))).toEqual([]);
    expect(problemsOf(input([user('u')], { tools: many(128, (n) => ({ name: `x${n}` })) }))).toEqual([]);
    expect(problemsOf(input(many(256, (n) => tool(`c${n}`))))).toEqual([]);
  });

  it('Text parts are one text, and half of a character becomes a replacement character', () => {
    const [message] = newMessages(
      [
        user('u', [
          { type: 'text', text: 'a\ud800' },
          { type: 'text', text: 'b' },
        ]),
      ],
      {
        isEmpty: true,
        isKnown: () => false,
      },
    );
    expect(message?.content).toBe('a\uFFFDb');
  });
});

describe('The new messages of a thread', () => {
  const known = (...ids: string[]) => ({ isEmpty: false, isKnown: (id: string) => ids.includes(id) });
  const idsOf = (messages: { id: string }[]) => messages.map(({ id }) => id);

  it('An empty conversation takes all messages of users and systems', () => {
    const messages = [{ id: 's', role: 'developer', content: 'Be brief' }, assistant('hello'), user('u1'), user('u2')];
    expect(newMessages(messages, { isEmpty: true, isKnown: () => false })).toEqual([
      { id: 's', role: 'system', content: 'Be brief' },
      { id: 'u1', role: 'user', content: 'u1' },
      { id: 'u2', role: 'user', content: 'u2' },
    ]);
  });

  it('The messages behind the last known one are new', () => {
    const messages = [user('u1'), assistant('a1'), user('u2'), user('u3')];
    expect(idsOf(newMessages(messages, known('u1', 'a1')))).toEqual(['u2', 'u3']);
    expect(idsOf(newMessages(messages, known('u3')))).toEqual([]);
  });

  it('Without ids, the messages behind the last one of the assistant are new', () => {
    const messages = [user('', 'old'), assistant(''), user('', 'new')];
    expect(newMessages(messages, known()).map(({ content }) => content)).toEqual(['new']);
  });
});

describe('The spelling of older front ends', () => {
  it('tool_id and tool_name are read, and a missing id is empty', () => {
    const body = { messages: [{ role: 'tool', tool_id: 'c1', tool_name: 'paint', content: 'ok' }] };
    expect(spellRunInput(body)).toEqual({
      messages: [{ ...body.messages[0], id: '', toolCallId: 'c1', name: 'paint' }],
    });
  });

  it('toolCallId has precedence, and other values stay for the schema to report', () => {
    expect(spellRunInput({ messages: [{ id: 'm', toolCallId: 'a', tool_id: 'b' }, null, 3] })).toEqual({
      messages: [{ id: 'm', toolCallId: 'a', tool_id: 'b' }, null, 3],
    });
    expect(spellRunInput(null)).toBeNull();
    expect(spellRunInput({ messages: 'x' })).toEqual({ messages: 'x' });
  });
});

describe('The rest of the input', () => {
  it('Tools keep name, description and parameters', () => {
    const parameters = { type: 'object' };
    const tools = [
      { name: 'a', description: 'd', parameters, metadata: {} },
      { name: 'b', description: '' },
    ];
    expect(clientToolsOf(input([], { tools }))).toEqual([{ name: 'a', description: 'd', parameters }, { name: 'b' }]);
  });

  it('An empty state changes nothing', () => {
    expect([stateOf(input([], { state: {} })), stateOf(input([])), stateOf(input([], { state: { a: 1 } }))]).toEqual([
      undefined,
      undefined,
      { a: 1 },
    ]);
  });
});
