import { eventOf, FrontEnd, postRun, typesOf, type RunEvent } from './support/agui-agent.js';
import { useScriptedModel } from './support/scripted-model.js';
import { useStack } from './support/start-stack.js';
import { turnLibrary } from './support/turn-library.js';

const model = useScriptedModel();
const stack = useStack({
  with: ['worker'],
  library: turnLibrary(),
  env: { ERRAND_API_KEYS: 'acme:key-of-acme-1234567890 zeta:key-of-zeta-1234567890' },
});

const KEY = { authorization: 'Bearer key-of-acme-1234567890' };
const OTHER_KEY = { authorization: 'Bearer key-of-zeta-1234567890' };
const at = (agent = 'guide') => `${stack.url}/agui/${agent}`;
const frontEnd = (threadId: string, agent?: string) => FrontEnd.of(at(agent), threadId, KEY);
const textOf = (events: readonly RunEvent[]) =>
  events.flatMap(({ type, ['delta']: delta }) => (type === 'TEXT_MESSAGE_CONTENT' ? [delta] : [])).join('');
const native = (...calls: { id: string; name: string; arguments?: object }[]) => ({
  text: '',
  toolCalls: calls.map(({ id, name, arguments: args = {} }) => ({ id, name, arguments: JSON.stringify(args) })),
});
const TOOLS = ['paint', 'play'].map((name) => ({ name, description: name, parameters: { type: 'object' } }));
const post = (body: object, agent?: string, headers = KEY) => postRun(at(agent), body, headers);
const answer = (threadId: string, runId: string, ...answers: [id: string, content: string, more?: object][]) => ({
  threadId,
  runId,
  messages: answers.map(([toolCallId, content, more], n) => ({
    id: `${runId}.${n}`,
    role: 'tool',
    toolCallId,
    content,
    ...more,
  })),
});
const lastOf = ({ events }: { events: readonly RunEvent[] }) => events.at(-1);
let threads = 0;
const newThread = () => `thread-${++threads}`;

/** A thread in which the agent waits for two client tools. */
async function waitForTwo(): Promise<{ agent: FrontEnd; threadId: string; calls: [string, string] }> {
  const threadId = newThread();
  const ids: [string, string] = [`a-${threadId}`, `b-${threadId}`];
  model.current.restart([native({ id: ids[0], name: 'paint' }, { id: ids[1], name: 'play' }), 'Both are done.']);
  const agent = frontEnd(threadId, 'native');
  const events = await agent.say('Paint and play', { tools: TOOLS });
  expect(events.at(-1)).toMatchObject({ outcome: { type: 'success', pendingToolCallIds: ids } });
  return { agent, threadId, calls: ids };
}

describe('Several client calls', () => {
  it('They are answered in one request', async () => {
    const { agent, calls } = await waitForTwo();
    const events = await agent.answer({ [calls[0]]: 'painted', [calls[1]]: 'played' });
    expect(events.at(-1)).toMatchObject({ outcome: { type: 'success' }, result: 'Both are done.' });
    const tools = model.current.requests[1]?.messages.filter(({ role }) => role === 'tool');
    expect(tools?.map(({ content }) => content)).toEqual(['painted', 'played']);
  });

  it('They are answered in several requests, and a run that leaves some open says which', async () => {
    const { agent, calls } = await waitForTwo();
    const first = await agent.answer({ [calls[1]]: 'played' });
    expect(typesOf(first)).toEqual(['RUN_STARTED', 'RUN_FINISHED']);
    expect(first[1]).toMatchObject({
      outcome: { type: 'success' },
      metadata: { errand: { openToolCallIds: [calls[0]] } },
    });
    const second = await agent.answer({ [calls[0]]: 'painted' });
    expect(textOf(second)).toBe('Both are done.');
    expect(second.at(-1)).toMatchObject({ outcome: { type: 'success' }, result: 'Both are done.' });
  });

  it('Two requests at once that answer one call each leave no turn behind', async () => {
    const { threadId, calls } = await waitForTwo();
    const runs = await Promise.all(
      calls.map((id, n) => post(answer(threadId, `at-once-${n}`, [id, 'done']), 'native')),
    );
    expect(runs.map((run) => lastOf(run)?.type)).toEqual(['RUN_FINISHED', 'RUN_FINISHED']);
    expect(runs.some((run) => textOf(run.events) === 'Both are done.')).toBe(true);
    expect(model.current.requests).toHaveLength(2);
  });

  it('A failed client tool is an error that the model reads', async () => {
    const { threadId, calls } = await waitForTwo();
    await post(answer(threadId, 'failed', [calls[0], '', { error: 'no paint left' }], [calls[1], 'played']), 'native');
    expect(JSON.stringify(model.current.requests[1]?.messages)).toContain('no paint left');
  });
});

describe('A wrong answer', () => {
  it('An unknown call is refused in the stream, and the turn is untouched', async () => {
    const { threadId, calls } = await waitForTwo();
    const refused = await post(answer(threadId, 'unknown', [calls[0], 'x'], ['nonsense', 'x']), 'native');
    expect(typesOf(refused.events)).toEqual(['RUN_STARTED', 'RUN_ERROR']);
    expect(lastOf(refused)).toMatchObject({ code: 'not_found', message: expect.stringContaining('nonsense') });
    const done = await post(answer(threadId, 'known', [calls[0], 'y'], [calls[1], 'z']), 'native');
    expect(lastOf(done)).toMatchObject({ result: 'Both are done.' });
  });

  it('The name of another tool is refused', async () => {
    const { threadId, calls } = await waitForTwo();
    const refused = await post(answer(threadId, 'name', [calls[0], 'x', { tool_name: 'play' }]), 'native');
    expect(lastOf(refused)).toMatchObject({ type: 'RUN_ERROR', code: 'invalid_request' });
  });

  it('Another answer to an answered call is a conflict, before and after the turn has gone on', async () => {
    const { threadId, calls } = await waitForTwo();
    await post(answer(threadId, 'one', [calls[0], 'first']), 'native');
    const before = await post(answer(threadId, 'two', [calls[0], 'second']), 'native');
    expect(lastOf(before)).toMatchObject({ type: 'RUN_ERROR', code: 'conflict' });
    await post(answer(threadId, 'three', [calls[1], 'rest']), 'native');
    const after = await post(answer(threadId, 'four', [calls[0], 'second']), 'native');
    expect(lastOf(after)).toMatchObject({ type: 'RUN_ERROR', code: 'conflict' });
  });

  it('The call of another tenant, thread or agent is unknown', async () => {
    const { threadId, calls } = await waitForTwo();
    const body = answer(threadId, 'foreign', [calls[0], 'x']);
    const foreign = [
      await post(body, 'native', OTHER_KEY),
      await post({ ...body, threadId: newThread() }, 'native'),
      await post(body, 'guide'),
    ];
    expect(foreign.map((run) => lastOf(run)?.['code'])).toEqual(['not_found', 'not_found', 'not_found']);
    const turn = await post(answer(threadId, 'own', [calls[0], 'x'], [calls[1], 'x']), 'native');
    expect(lastOf(turn)).toMatchObject({ result: 'Both are done.' });
  });
});

describe('A repeated run', () => {
  it('The same runId gives the same run from its first event, while it is live and after its end', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    model.current.restart([{ text: ['Slow', 'ly.'], hold: { pieces: 1, until: held } }]);
    const threadId = newThread();
    const body = { threadId, runId: 'once', messages: [{ id: 'm1', role: 'user', content: 'Go' }] };
    const live = [post(body), post(body)];
    await model.current.until(1);
    live.push(post(body));
    release();
    const all = [...(await Promise.all(live)), await post(body)];
    const [first] = all;
    for (const run of all) {
      expect(typesOf(run.events)[0]).toBe('RUN_STARTED');
      expect(textOf(run.events)).toBe('Slowly.');
      expect(lastOf(run)).toEqual(lastOf(first ?? run));
      expect(run.headers.get('errand-invocation')).toBe(first?.headers.get('errand-invocation'));
    }
    expect(model.current.requests).toHaveLength(1);
  });

  it('Another input under the same runId is a conflict', async () => {
    model.current.restart(['One.']);
    const threadId = newThread();
    const body = { threadId, runId: 'taken', messages: [{ id: 'm1', role: 'user', content: 'Go' }] };
    await post(body);
    const other = await post({ ...body, messages: [{ id: 'm2', role: 'user', content: 'Stop' }] });
    expect(typesOf(other.events)).toEqual(['RUN_STARTED', 'RUN_ERROR']);
    expect(lastOf(other)).toMatchObject({ code: 'conflict' });
    expect(model.current.requests).toHaveLength(1);
  });

  it('A run that ended at client tools gives the same events after its turn has gone on', async () => {
    const { threadId, calls } = await waitForTwo();
    const message = { id: 'again', role: 'user', content: 'Paint and play' };
    model.current.restart([native({ id: 'x', name: 'paint' }), 'Painted.']);
    const other = newThread();
    const body = { threadId: other, runId: 'first', messages: [message], tools: TOOLS };
    const before = await post(body, 'native');
    await post(answer(other, 'second', ['x', 'ok']), 'native');
    const after = await post(body, 'native');
    expect(typesOf(after.events)).toEqual(typesOf(before.events));
    expect(lastOf(after)).toEqual(lastOf(before));
    expect(threadId).not.toBe(other);
    expect(calls).toHaveLength(2);
  });

  it('The same answer again replays the run that it began, under the same or another runId', async () => {
    const { threadId, calls } = await waitForTwo();
    const both: [string, string][] = [
      [calls[0], 'painted'],
      [calls[1], 'played'],
    ];
    const first = await post(answer(threadId, 'one', ...both), 'native');
    const same = await post(answer(threadId, 'one', ...both), 'native');
    const other = await post(answer(threadId, 'two', ...both), 'native');
    expect(textOf(first.events)).toBe('Both are done.');
    for (const run of [same, other]) {
      expect(typesOf(run.events)).toEqual(typesOf(first.events));
      expect(textOf(run.events)).toBe('Both are done.');
    }
    expect(eventOf(other.events, 'RUN_STARTED')).toMatchObject({ runId: 'two' });
    expect(model.current.requests).toHaveLength(2);
  });

  it('A client that asks again without a new message gets the run of its last message', async () => {
    model.current.restart(['Hello.']);
    const agent = frontEnd(newThread());
    await agent.say('Hi');
    const again = await agent.go();
    expect(textOf(again)).toBe('Hello.');
    expect(model.current.requests).toHaveLength(1);
    expect(agent.messages).toHaveLength(2);
  });
});
