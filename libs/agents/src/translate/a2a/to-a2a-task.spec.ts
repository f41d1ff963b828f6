import type { Invocation, Round, Step, Status } from '@errand/contracts';
import { toA2aTask } from './to-a2a-task.js';
import { MESSAGE_ID, turnOf } from './turn-of.js';

const STEP: Step = {
  index: 0,
  toolId: 'agent:clerk',
  version: '1.0.0',
  arguments: { message: 'Hello' },
  status: 'succeeded',
  startedAt: null,
  finishedAt: null,
  attempts: 1,
};

const round = (index: number, text: string, over: Partial<Round> = {}): Round => ({
  index,
  status: 'succeeded',
  text,
  calls: [],
  startedAt: '2026-11-01T00:00:00.000Z',
  finishedAt: null,
  ...over,
});

function invocation(status: Status, step: Partial<Step> = {}, over: Partial<Invocation> = {}): Invocation {
  const steps = [{ ...STEP, ...step }];
  return {
    id: 'inv_1',
    status,
    createdAt: '2026-11-01T00:00:00.000Z',
    startedAt: '2026-11-01T00:00:01.000Z',
    finishedAt: null,
    agent: null,
    session: 'ses_1',
    responseText: null,
    metadata: null,
    calls: steps,
    steps,
    result: null,
    error: null,
    observation: null,
    progress: null,
    links: {},
    ...over,
  };
}

const readable = (text: string) => text.split('<ACTION>', 1)[0] ?? '';
const taskOf = (given: Invocation, over: object = {}) => toA2aTask(turnOf(given), { readable, ...over });

it.each([
  ['queued', 'TASK_STATE_SUBMITTED'],
  ['running', 'TASK_STATE_WORKING'],
  ['waiting_external', 'TASK_STATE_INPUT_REQUIRED'],
  ['succeeded', 'TASK_STATE_COMPLETED'],
  ['failed', 'TASK_STATE_FAILED'],
  ['cancelled', 'TASK_STATE_CANCELED'],
] as const)('A turn that is %s is a task in the state %s', (status, state) => {
  expect(taskOf(invocation(status)).status.state).toBe(state);
});

it('The context is the session and the id is that of the invocation', () => {
  expect(taskOf(invocation('running'))).toMatchObject({ id: 'inv_1', contextId: 'ses_1' });
});

it('A text is a text part of the answer, and any other value is a data part', () => {
  const answer = (result: Invocation['result']) => taskOf(invocation('succeeded', {}, { result })).artifacts;
  expect(answer('Hi')).toEqual([{ artifactId: 'answer', name: 'answer', parts: [{ text: 'Hi' }] }]);
  expect(answer({ n: 1 })[0]?.parts).toEqual([{ data: { n: 1 }, mediaType: 'application/json' }]);
  expect(answer(null)[0]?.parts).toEqual([{ data: null, mediaType: 'application/json' }]);
});

it('A turn that has not succeeded has no answer', () => {
  for (const status of ['queued', 'running', 'waiting_external', 'failed', 'cancelled'] as const)
    expect(taskOf(invocation(status)).artifacts).toEqual([]);
});

it('Files of scripts are artifacts with an address', () => {
  const file = { id: 'inv_2/0/a.csv', name: 'a.csv', contentType: 'text/csv', url: 'https://errand.example/a.csv' };
  const task = toA2aTask(turnOf(invocation('running'), [file]), { readable });
  expect(task.artifacts).toEqual([
    {
      artifactId: 'inv_2/0/a.csv',
      name: 'a.csv',
      parts: [{ url: 'https://errand.example/a.csv', filename: 'a.csv', mediaType: 'text/csv' }],
    },
  ]);
});

it('A failed task has the type and the message of its error', () => {
  const error = { type: 'OutputError', message: 'No JSON' } as const;
  const { status } = taskOf(invocation('failed', {}, { error }));
  expect(status.message).toMatchObject({ role: 'ROLE_AGENT', parts: [{ text: 'OutputError: No JSON' }] });
});

it('A waiting task has the question, its schema and its deadline', () => {
  const waiting = { for: 'answer', invocationId: 'inv_2', step: 1, key: 'k', until: null } as const;
  const asked = (over: object) => taskOf(invocation('waiting_external', { waiting: { ...waiting, ...over } })).status;
  expect(asked({ prompt: 'Which colour?', schema: { type: 'string' } }).message).toEqual({
    messageId: 'inv_1.question.inv_2.1.k',
    contextId: 'ses_1',
    taskId: 'inv_1',
    role: 'ROLE_AGENT',
    parts: [{ text: 'Which colour?' }],
    metadata: { schema: { type: 'string' }, until: null },
  });
  expect(asked({ prompt: { ask: 1 } }).message?.parts).toEqual([{ data: { ask: 1 }, mediaType: 'application/json' }]);
  expect(asked({}).message?.parts).toEqual([{ text: 'The agent waits for an answer.' }]);
});

it('A turn that waits for something else than an answer asks nothing', () => {
  const waiting = { for: 'invocation', invocationId: 'inv_2', until: null } as const;
  expect(taskOf(invocation('running', { waiting })).status.message).toBeUndefined();
});

describe('The history', () => {
  const rounds = [
    round(0, 'Let me see. <ACTION>…', { calls: [] }),
    round(1, 'nonsense', { status: 'refused' }),
    round(2, '<ACTION>…'),
    round(3, 'Done.'),
  ];

  it('It has the message of the user and the text for people of each round', () => {
    const { history } = taskOf(invocation('succeeded', { rounds }));
    expect(history.map(({ messageId, role, parts }) => [messageId, role, parts[0]?.text])).toEqual([
      ['inv_1.m0', 'ROLE_USER', 'Hello'],
      ['inv_1.0.a', 'ROLE_AGENT', 'Let me see.'],
      ['inv_1.3.a', 'ROLE_AGENT', 'Done.'],
    ]);
  });

  it('The message of the user keeps the id that the client gave it', () => {
    const { history } = taskOf(invocation('queued', {}, { metadata: { [MESSAGE_ID]: 'mine' } }));
    expect(history.map(({ messageId }) => messageId)).toEqual(['mine']);
  });

  it('Messages of a list come first, without those of the system', () => {
    const messages = [
      { role: 'user', content: 'One' },
      { role: 'system', content: 'Secret' },
      { role: 'user', content: 2 },
      'x',
      null,
    ];
    const { history } = taskOf(invocation('queued', { arguments: { messages, message: 'Two' } }));
    expect(history.map(({ parts }) => parts[0]?.text)).toEqual(['One', 'Two']);
  });

  it.each([
    [undefined, 3],
    [0, 0],
    [1, 1],
    [3, 3],
    [10, 3],
  ])('With the length %s it has the newest %s messages', (historyLength, count) => {
    const { history } = taskOf(invocation('succeeded', { rounds }), { historyLength });
    expect(history).toHaveLength(count);
    if (count > 0) expect(history.at(-1)?.parts).toEqual([{ text: 'Done.' }]);
  });
});
