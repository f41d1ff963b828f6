import { inputRequired } from '@modelcontextprotocol/server';
import { eventually } from './support/eventually.js';
import { NO_SERVERS, RemoteLibrary } from './support/remote-library.js';
import { RemoteServer, text } from './support/remote-server.js';
import { RemoteTasks } from './support/remote-tasks.js';
import { useStack } from './support/start-stack.js';

const remote = new RemoteServer();
const tasks = new RemoteTasks();
remote.prepare = tasks.prepare;
const stack = useStack(
  {
    library: NO_SERVERS,
    env: { ERRAND_MCP_ALLOW: '127.0.0.1', ERRAND_LOCK_MS: '1000', ERRAND_STALLED_MS: '500' },
  },
  { keepsProcesses: true },
);
const { client } = stack;
const library = new RemoteLibrary(stack);

const FORM = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
const ask = (message: string) => inputRequired.elicit({ message, requestedSchema: FORM as never });

let goOn: () => void = () => undefined;
const going = new Promise<void>((resolve) => (goOn = resolve));
const wait = () => going.then(() => text('on'));

beforeAll(async () => {
  await remote.start();
  remote.tools = [
    { name: 'long', run: () => tasks.begin() },
    { name: 'pure', annotations: { readOnlyHint: true }, run: wait },
    { name: 'order', run: wait },
    {
      name: 'ask',
      run: (_args, { mcpReq }) => {
        const { first, second } = (mcpReq.inputResponses ?? {}) as Record<string, object>;
        if (first)
          return inputRequired({ inputRequests: { second: ask('Whose?') }, requestState: JSON.stringify(first) });
        if (second) return text(`${mcpReq.requestState<string>()} ${JSON.stringify(second)}`);
        return inputRequired({ inputRequests: { first: ask('Who?') }, requestState: 'begun' });
      },
    },
  ];
  library.setServers({ far: { url: remote.url } });
});
beforeEach(async () => {
  await stack.processes.haveOne('worker');
  await library.untilListed('far:ask');
});
afterAll(() => remote.close());

const begin = async (): Promise<{ id: string; taskId: string }> => {
  const known = tasks.tasks.size;
  const id = await client.submit({ toolId: 'far:long', arguments: {} });
  await eventually(() => tasks.tasks.size > known);
  return { id, taskId: tasks.id };
};

describe('A task of another server', () => {
  it('A task is polled until it ends, and its result is that of the call', async () => {
    const { id, taskId } = await begin();
    tasks.change(taskId, { status: 'completed', result: { content: [], structuredContent: { a: 1 } } });
    expect(await client.untilEnded(id)).toMatchObject({ status: 'succeeded', result: { a: 1 } });
    const failed = await begin();
    tasks.change(failed.taskId, { status: 'failed', error: { code: -32603, message: 'no disk' } });
    expect(await client.untilEnded(failed.id)).toMatchObject({
      error: { type: 'NodeError', message: "The task of the server 'far' failed: no disk" },
    });
  });

  it('After the death of the worker the same task goes on', async () => {
    const { id, taskId } = await begin();
    const polls = tasks.polls;
    await eventually(() => tasks.polls > polls);
    await stack.endProcesses();
    await stack.processes.start('worker');
    const later = tasks.polls;
    await eventually(() => tasks.polls > later + 2);
    tasks.change(taskId, { status: 'completed', result: text('at last') });
    expect(await client.untilEnded(id)).toMatchObject({ status: 'succeeded', result: 'at last' });
    expect(tasks.id).toBe(taskId);
  });

  it('A task with a long interval suspends the step between two polls, and a cancel reaches the server then', async () => {
    tasks.pollIntervalMs = 6_000;
    const { id, taskId } = await begin();
    const other = await begin();
    tasks.change(taskId, { status: 'completed', result: text('slowly') });
    expect(await client.untilEnded(id)).toMatchObject({
      status: 'succeeded',
      result: 'slowly',
      steps: [{ attempts: 1 }],
    });
    await client.cancel(other.id);
    expect(await client.untilEnded(other.id)).toMatchObject({ status: 'cancelled' });
    await eventually(() => tasks.tasks.get(other.taskId)?.status === 'cancelled');
    tasks.pollIntervalMs = 100;
  });

  it('A cancel ends the task on the server, also while it waits for an answer', async () => {
    const { id, taskId } = await begin();
    await client.cancel(id);
    expect(await client.untilEnded(id)).toMatchObject({ status: 'cancelled' });
    await eventually(() => tasks.tasks.get(taskId)?.status === 'cancelled');
    const asking = await begin();
    tasks.change(asking.taskId, { status: 'input_required', inputRequests: { who: ask('Who?') } });
    await client.untilWaiting(asking.id);
    await client.cancel(asking.id);
    expect(await client.untilEnded(asking.id)).toMatchObject({ status: 'cancelled' });
    expect(tasks.tasks.get(asking.taskId)?.status).toBe('cancelled');
  });

  it('A task that asks suspends the step, gets the answer, and goes on', async () => {
    const { id, taskId } = await begin();
    tasks.change(taskId, { status: 'input_required', inputRequests: { who: ask('Who?') } });
    const waiting = await client.untilWaiting(id);
    expect(waiting.steps[0]?.nodes).toEqual([
      expect.objectContaining({ nodeId: 'answer', waiting: expect.objectContaining({ prompt: 'Who?' }) }),
    ]);
    expect((await client.answer(id, { result: { name: 5 } })).status).toBe(422);
    expect((await client.answer(id, { result: { name: 'Ada' } })).status).toBe(202);
    await eventually(() => tasks.answers.length === 1);
    expect(tasks.answers).toEqual([
      { taskId, inputResponses: { who: { action: 'accept', content: { name: 'Ada' } } } },
    ]);
    tasks.change(taskId, { status: 'completed', result: text('hello') });
    expect(await client.untilEnded(id)).toMatchObject({ status: 'succeeded', result: 'hello' });
  });
});

describe('A question that nobody can answer', () => {
  it('A question with a schema that cannot be used fails the call and names the tool', async () => {
    const { id, taskId } = await begin();
    const requestedSchema = { type: 'object', properties: { name: { type: 'string', pattern: '(' } } };
    const params = { message: 'Who?', requestedSchema };
    tasks.change(taskId, {
      status: 'input_required',
      inputRequests: { who: { method: 'elicitation/create', params } },
    });
    expect(await client.untilEnded(id)).toMatchObject({
      error: { type: 'NodeError', message: expect.stringContaining('far:long asked for input with a schema') },
    });
  });

  it('A question of a kind that Errand does not offer fails the call', async () => {
    const { id, taskId } = await begin();
    tasks.change(taskId, { status: 'input_required', inputRequests: { m: { method: 'sampling/createMessage' } } });
    expect(await client.untilEnded(id)).toMatchObject({
      error: { type: 'NodeError', message: expect.stringContaining("'sampling/createMessage' is not offered") },
    });
  });
});

describe('A call whose worker dies', () => {
  it('A tool without effects is called again, and one that may take effect once is lost', async () => {
    const [pure, order] = await Promise.all([
      client.submit({ toolId: 'far:pure', arguments: {} }),
      client.submit({ toolId: 'far:order', arguments: {} }),
    ]);
    await eventually(() => remote.count('pure') === 1 && remote.count('order') === 1);
    await stack.endProcesses();
    await stack.processes.start('worker');
    expect(await client.untilEnded(order)).toMatchObject({
      error: { type: 'LostError', message: expect.stringContaining('far:order') },
    });
    await eventually(() => remote.count('pure') === 2);
    goOn();
    expect(await client.untilEnded(pure)).toMatchObject({ status: 'succeeded', result: 'on' });
    expect(remote.count('order')).toBe(1);
  });
});

describe('A question of another server', () => {
  it('Each question suspends the step, also over the death of the worker, and the call goes on with all answers', async () => {
    const id = await client.submit({ toolId: 'far:ask', arguments: {} });
    await client.untilWaiting(id);
    await client.answer(id, { result: { name: 'Ada' } });
    await eventually(async () => (await client.read(id)).steps[0]?.nodes?.[0]?.waiting?.prompt === 'Whose?');
    await stack.endProcesses();
    await stack.processes.start('worker');
    expect((await client.answer(id, { error: { message: 'not me' } })).status).toBe(202);
    expect(await client.untilEnded(id)).toMatchObject({
      status: 'succeeded',
      result: '{"action":"accept","content":{"name":"Ada"}} {"action":"decline"}',
    });
  });
});
