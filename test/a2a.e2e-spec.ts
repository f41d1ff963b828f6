import { TaskState } from '@a2a-js/sdk';
import { DefaultAgentCardResolver } from '@a2a-js/sdk/client';
import type { Client } from '@a2a-js/sdk/client';
import { useScriptedModel } from './support/scripted-model.js';
import { useStack } from './support/start-stack.js';
import { turnLibrary } from './support/turn-library.js';
import {
  a2aClient,
  answerOf,
  dataPart,
  message,
  part,
  readUpdates,
  request,
  send,
  stateOf,
  textOf,
  textPart,
  type A2aVersion,
} from './support/a2a-clients.js';

const model = useScriptedModel();
const stack = useStack({ with: ['worker'], library: turnLibrary() });

const act = (text: string, ...calls: string[]) => `${text}\n<ACTION>${calls.join('')}</ACTION>`;
const ASK = '<test:ask/>';
const echo = (value: string) => `<core:echo><value>${value}</value></core:echo>`;
const COMPLETED = 'TASK_STATE_COMPLETED';
const INPUT = 'TASK_STATE_INPUT_REQUIRED';

describe.each(['1.0', '0.3'] as const)('A2A %s', (version: A2aVersion) => {
  let client: Client;
  beforeAll(async () => (client = await a2aClient(stack.url, 'guide', version)));

  it('A message begins a turn, and the task has its answer and its history', async () => {
    model.current.restart([act('I look.', echo('one')), 'It says one.']);
    const task = await send(client, request(message('What does it say?', { messageId: `first-${version}` })));
    expect(stateOf(task)).toBe(COMPLETED);
    expect(answerOf(task)).toBe('It says one.');
    expect(task.id).toMatch(/^inv_/);
    expect(task.contextId).toMatch(/^ses_/);
    expect(task.history.map(({ parts }) => textOf(parts))).toEqual(['What does it say?', 'I look.', 'It says one.']);
    expect(task.history[0]?.messageId).toBe(`first-${version}`);
    const again = await client.getTask({ tenant: '', id: task.id, historyLength: 1 });
    expect(again.history.map(({ parts }) => textOf(parts))).toEqual(['It says one.']);
    const bare = await client.getTask({ tenant: '', id: task.id, historyLength: 0 });
    expect(bare.history).toEqual([]);
  });

  it('A second message in the context goes on with the conversation', async () => {
    model.current.restart(['Hello, Ada.', 'You are Ada.']);
    const first = await send(client, request('I am Ada.'));
    const second = await send(client, request(message('Who am I?', { contextId: first.contextId })));
    expect(second.id).not.toBe(first.id);
    expect(second.contextId).toBe(first.contextId);
    const contents = model.current.requests[1]?.messages.slice(1).map(({ content }) => content);
    expect(contents).toEqual(['I am Ada.', 'Hello, Ada.', 'Who am I?']);
  });

  it('The same message again is the same task, and the model is asked once', async () => {
    model.current.restart(['Once.']);
    const given = message('Only once', { contextId: `once-${version}` });
    const [first, second] = [await send(client, request(given)), await send(client, request(given))];
    expect(second).toEqual(first);
    expect(model.current.requests).toHaveLength(1);
    await expect(send(client, request({ ...given, parts: [textPart('Other')] }))).rejects.toMatchObject({
      name: expect.stringContaining('UnsupportedOperation'),
    });
  });

  it('A stream has the task, the states and the chunks of the text', async () => {
    model.current.restart([act('I look.', echo('one')), { text: ['It ', 'says ', 'one.'] }]);
    const { states, shown, chunks, task } = await readUpdates(client.sendMessageStream(request('What does it say?')));
    expect(states.at(0)).toMatch(/SUBMITTED|WORKING/);
    expect(states.at(-1)).toBe(COMPLETED);
    expect(states).toEqual(states.filter((state, n) => state !== states[n - 1]));
    expect(states.join()).toMatch(/^(TASK_STATE_SUBMITTED,)?TASK_STATE_WORKING,TASK_STATE_COMPLETED$/);
    expect(shown).toBe('It says one.');
    expect(chunks.length).toBeGreaterThan(1);
    expect(
      await readUpdates(client.sendMessageStream(request(message('x', { taskId: task?.id ?? '' })))).catch(nameOf),
    ).toContain('UnsupportedOperation');
  });

  it('A task waits for an answer, takes it by its id, and goes on', async () => {
    model.current.restart([act('I ask.', ASK), 'You said blue.']);
    const waiting = await send(client, request('Ask me'));
    expect(stateOf(waiting)).toBe(INPUT);
    expect(textOf(waiting.status?.message?.parts)).not.toBe('');
    const given = message('blue', { taskId: waiting.id });
    const done = await send(client, request(given));
    expect([done.id, stateOf(done), answerOf(done)]).toEqual([waiting.id, COMPLETED, 'You said blue.']);
    expect(model.current.requests[1]?.last).toContain('blue');
    expect(stateOf(await send(client, request(given)))).toBe(COMPLETED);
    await expect(send(client, request(message('red', { taskId: waiting.id })))).rejects.toMatchObject({
      name: expect.stringContaining('UnsupportedOperation'),
    });
  });

  it('A stream ends when the task waits, and the stream of its answer goes on', async () => {
    model.current.restart([act('I ask.', ASK), 'You said {"n":1}.']);
    const asked = await readUpdates(client.sendMessageStream(request('Ask me')));
    expect(asked.states.at(-1)).toBe(INPUT);
    const answer = message([dataPart({ n: 1 })], { taskId: asked.task?.id ?? '' });
    const rest = await readUpdates(client.sendMessageStream(request(answer)));
    expect(rest.states).toEqual(['TASK_STATE_WORKING', COMPLETED]);
    expect(rest.shown).toBe('You said {"n":1}.');
  });

  it('A client resubscribes in the middle of a text, and has the whole text at the end', async () => {
    let release = () => {};
    const until = new Promise<void>((resolve) => (release = resolve));
    model.current.restart([{ text: ['It is ', 'blue.'], hold: { pieces: 1, until } }]);
    const task = await send(client, request('Which colour?', { returnImmediately: true }));
    const { id } = task;
    await stack.client.untilTold(id, ({ event }) => event === 'text');
    const following = readUpdates(client.resubscribeTask({ tenant: '', id }));
    release();
    const { shown, states } = await following;
    expect(shown).toBe('It is blue.');
    expect(states.at(-1)).toBe(COMPLETED);
    await expect(readUpdates(client.resubscribeTask({ tenant: '', id }))).rejects.toMatchObject({
      name: expect.stringContaining('UnsupportedOperation'),
    });
  });

  it('The stream of a message that was sent before has the task as it is', async () => {
    model.current.restart(['Once.', act('I ask.', ASK)]);
    const [ended, asking] = [message('Only once'), message('Ask me')];
    const { id } = await send(client, request(ended));
    const again = await readUpdates(client.sendMessageStream(request(ended)));
    expect([again.task?.id, again.states, again.shown]).toEqual([id, [COMPLETED], 'Once.']);
    await send(client, request(asking));
    expect((await readUpdates(client.sendMessageStream(request(asking)))).states).toEqual([INPUT]);
    expect(model.current.requests).toHaveLength(2);
  });

  it('A client that subscribes to a waiting task follows it after the answer', async () => {
    model.current.restart([act('I ask.', ASK), 'You said blue.']);
    const { id } = await send(client, request('Ask me'));
    const updates = client.resubscribeTask({ tenant: '', id });
    const { value: first } = await updates.next();
    expect(first?.payload?.value).toMatchObject({ id });
    await send(client, request(message('blue', { taskId: id })));
    const { states, shown } = await readUpdates(updates);
    expect(states).toEqual(['TASK_STATE_WORKING', COMPLETED]);
    expect(shown).toBe('You said blue.');
  });

  it('A task is cancelled once', async () => {
    model.current.restart([act('I ask.', ASK)]);
    const { id } = await send(client, request('Ask me'));
    expect(stateOf(await client.cancelTask({ tenant: '', id, metadata: undefined }))).toBe('TASK_STATE_CANCELED');
    await expect(client.cancelTask({ tenant: '', id, metadata: undefined })).rejects.toMatchObject({
      name: expect.stringContaining('TaskNotCancelable'),
    });
  });

  it('A turn that fails is a failed task with the type of its error', async () => {
    model.current.restart([{ status: 400, message: 'No such model' }]);
    const task = await send(client, request('Fail'));
    expect(stateOf(task)).toBe('TASK_STATE_FAILED');
    expect(textOf(task.status?.message?.parts)).toMatch(/^\w+Error: .*No such model/);
  });

  it('A structured answer is a data part', async () => {
    model.current.restart(['{"count": 3}']);
    const counter = await a2aClient(stack.url, 'counter', version);
    const task = await send(counter, request('Count'));
    expect(task.artifacts[0]?.parts[0]?.content).toEqual({ $case: 'data', value: { count: 3 } });
  });

  it('A part that agents do not read is refused', async () => {
    const file = part({ $case: 'url', value: 'https://x.example/a.png' });
    for (const parts of [[file], [textPart('See'), file], [part({ $case: 'raw', value: Buffer.from('x') })]])
      await expect(send(client, request(message(parts)))).rejects.toMatchObject({
        name: expect.stringContaining('ContentTypeNotSupported'),
      });
  });

  it('A task of another agent, and an unknown one, are not found', async () => {
    model.current.restart(['Hello.']);
    const { id } = await send(await a2aClient(stack.url, 'native', version), request('Hello'));
    for (const unknown of [id, 'inv_00000000000000000000', '../../x', '__proto__']) {
      const calls = [
        client.getTask({ tenant: '', id: unknown }),
        client.cancelTask({ tenant: '', id: unknown, metadata: undefined }),
        send(client, request(message('x', { taskId: unknown }))),
        readUpdates(client.resubscribeTask({ tenant: '', id: unknown })),
      ];
      for (const call of calls) expect(await call.then(String, nameOf)).toContain('TaskNotFound');
    }
  });
});

describe('ListTasks', () => {
  it('Tasks are listed by context and state, newest first, in pages', async () => {
    model.current.restart(['One.', 'Two.', act('I ask.', ASK)]);
    const client = await a2aClient(stack.url, 'guide', '1.0');
    const contextId = 'listed';
    const ids: string[] = [];
    for (const text of ['1', '2', '3']) ids.push((await send(client, request(message(text, { contextId })))).id);
    const list = (over: object) =>
      client.listTasks({
        tenant: '',
        contextId,
        status: TaskState.TASK_STATE_UNSPECIFIED,
        pageToken: '',
        statusTimestampAfter: undefined,
        ...over,
      });
    const all = await list({});
    expect(all.tasks.map(({ id }) => id)).toEqual(ids.toReversed());
    expect([all.totalSize, all.nextPageToken]).toEqual([3, '']);
    expect(all.tasks.every(({ artifacts }) => artifacts.length === 0)).toBe(true);
    expect((await list({ status: TaskState.TASK_STATE_INPUT_REQUIRED })).tasks.map(({ id }) => id)).toEqual([ids[2]]);
    expect((await list({ status: TaskState.TASK_STATE_REJECTED })).tasks).toEqual([]);
    const first = await list({ pageSize: 2, includeArtifacts: true, historyLength: 0 });
    expect(first.tasks.map(answerOf)).toEqual(['', 'Two.']);
    const second = await list({ pageSize: 2, pageToken: first.nextPageToken });
    expect(second.tasks.map(({ id }) => id)).toEqual([ids[0]]);
    for (const wrong of [{ pageSize: 101 }, { pageSize: -1 }, { pageToken: 'x' }, { historyLength: -1 }])
      expect(await list(wrong).then(String, nameOf)).toContain('RequestMalformed');
  });
});

describe('The card', () => {
  it('The card has both versions, the skills of the inventory and an entity tag', async () => {
    const url = `${stack.url}/a2a/guide/.well-known/agent-card.json`;
    const card = await new DefaultAgentCardResolver().resolve(`${stack.url}/a2a/guide/`, '.well-known/agent-card.json');
    expect(card.supportedInterfaces.map((own) => [own.url, own.protocolBinding, own.protocolVersion])).toEqual([
      [`${stack.url}/a2a/guide`, 'JSONRPC', '1.0'],
      [`${stack.url}/a2a/guide`, 'JSONRPC', '0.3'],
    ]);
    expect(card.capabilities).toMatchObject({ streaming: true, pushNotifications: true });
    const { body } = await stack.client.get<{ items: { toolId: string }[] }>('/v1/tools?agent=guide');
    expect(card.skills.map(({ id }) => id)).toEqual(body.items.map(({ toolId }) => toolId));
    expect(card.skills.length).toBeGreaterThan(3);
    const legacy = await fetch(url);
    expect(await legacy.json()).toMatchObject({ url: `${stack.url}/a2a/guide`, protocolVersion: '0.3.0' });
    const tag = legacy.headers.get('etag') ?? '';
    expect((await fetch(url, { headers: { 'if-none-match': tag } })).status).toBe(304);
    expect((await fetch(url, { headers: { 'if-none-match': tag, 'a2a-version': '1.0' } })).status).toBe(200);
  });

  it('The default card needs a default agent, and an unknown agent gets a suggestion', async () => {
    const several = await stack.client.get('/.well-known/agent-card.json');
    expect(several).toMatchObject({ status: 404, body: { detail: expect.stringContaining('ERRAND_DEFAULT_AGENT') } });
    const own = await stack.startApi({ ERRAND_DEFAULT_AGENT: 'guide' });
    expect(await (await fetch(`${own}/.well-known/agent-card.json`)).json()).toMatchObject({ name: 'guide' });
    const unknown = await stack.client.get('/a2a/guid/.well-known/agent-card.json');
    expect(unknown).toMatchObject({ status: 404, body: { detail: expect.stringContaining("'guide'") } });
  });
});

function nameOf(error: unknown): string {
  return error instanceof Error ? `${error.name} ${String((error.cause as Error | undefined)?.name)}` : String(error);
}
