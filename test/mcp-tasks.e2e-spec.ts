import { execFile } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from './support/eventually.js';
import { OFFICE } from './support/mcp-library.js';
import { askMcp, TASKS, type RawRequest } from './support/mcp-client.js';
import { useStack } from './support/start-stack.js';

/** The tasks extension, by its official client over real HTTP. */
const stack = useStack({ with: ['worker'], library: OFFICE, env: { ERRAND_MCP_INLINE_MS: '50' } });
const at = (path = '') => `${stack.url}/mcp${path}`;
const file = (name: string) => join(stack.folder, name);
const CAPABLE = { elicitation: {}, extensions: { [TASKS]: {} } };
const ask = (request: RawRequest, path?: string) => askMcp(at(path), { capabilities: CAPABLE, ...request });
const call = (name: string, args: object, more: Partial<RawRequest> = {}) =>
  ask({ method: 'tools/call', params: { name, arguments: args }, ...more });
const get = (taskId: unknown, more: Partial<RawRequest> = {}) =>
  ask({ method: 'tasks/get', params: { taskId }, ...more });
const update = (taskId: unknown, inputResponses: object) =>
  ask({ method: 'tasks/update', params: { taskId, inputResponses } });

const untilStatus = (taskId: unknown, status: string) =>
  eventually(async () => {
    const { result } = await get(taskId);
    return result?.['status'] === status && result;
  }, `the task is ${status}`);

interface Outcome {
  kind: string;
  taskId?: string;
  status: string;
  result?: Record<string, unknown>;
  failure?: { code: number; message: string };
  questions: string[];
  states: string[];
}

/** Runs one call with the official tasks client. */
async function settle(request: object): Promise<Outcome> {
  const program = join(__dirname, 'support/mcp-tasks-client.mjs');
  const { stdout } = await promisify(execFile)(process.execPath, [program, at(), JSON.stringify(request)]);
  return JSON.parse(stdout) as Outcome;
}

describe('The official tasks client', () => {
  it('A short call is answered at once, and a long one becomes a task with the same result', async () => {
    expect(await settle({ name: 'core__echo', arguments: { value: 'hi' } })).toMatchObject({ status: 'completed' });
    expect(await settle({ name: 'core__delay', arguments: { ms: 700, value: 'late' } })).toMatchObject({
      kind: 'task',
      taskId: expect.stringMatching(/^inv_/),
      status: 'completed',
      result: { content: [{ type: 'text', text: 'late' }] },
    });
  });

  it('A failed tool is a completed task with an error, and a lost one is a failed task', async () => {
    expect(await settle({ name: 'office__always', arguments: { no: 1 } })).toMatchObject({ result: { isError: true } });
    expect(await settle({ name: 'office__lost', arguments: {} })).toMatchObject({
      kind: 'task',
      status: 'failed',
      failure: { code: -32603, message: expect.stringContaining('LostError') },
    });
  });

  it('A task that asks gets its answer and ends', async () => {
    const answer = { action: 'accept', content: { n: 7 } };
    expect(await settle({ name: 'office__two', arguments: {}, answer })).toMatchObject({
      status: 'completed',
      questions: expect.arrayContaining(['One?', 'Other?']),
      result: { structuredContent: { one: { n: 7 }, other: { n: 7 } } },
    });
  });

  it('A task that its client cancels is cancelled', async () => {
    const outcome = await settle({ name: 'core__delay', arguments: { ms: 600_000 }, cancel: true });
    expect(outcome).toMatchObject({ kind: 'task', status: 'cancelled' });
    expect(await stack.client.read(outcome.taskId ?? '')).toMatchObject({ status: 'cancelled' });
  });
});

describe('The mode of tasks of a tool', () => {
  it('`always` is a task at once, and waits for clients without tasks', async () => {
    expect((await call('office__always', {})).result).toMatchObject({ resultType: 'task' });
    expect((await call('office__always', {}, { capabilities: {} })).result).toMatchObject({
      structuredContent: { done: true },
    });
  });

  it('`required` refuses clients without tasks before anything runs', async () => {
    expect((await call('office__required', {})).result).toMatchObject({ resultType: 'task' });
    const { body: before } = await stack.client.get<{ items: object[] }>('/v1/invocations?toolId=office:required');
    expect(await call('office__required', {}, { capabilities: {} })).toMatchObject({
      status: 400,
      error: { code: -32021, data: { requiredCapabilities: { extensions: { [TASKS]: {} } } } },
    });
    const { body: after } = await stack.client.get<{ items: object[] }>('/v1/invocations?toolId=office:required');
    expect(after.items).toHaveLength(before.items.length);
  });

  it('`never` waits for the end, also for clients with tasks', async () => {
    const [open, left] = [file('never'), file('never-left')];
    const result = call('office__never', { open, left });
    await eventually(() => existsSync(`${left}.begun`), 'the call runs');
    writeFileSync(open, '');
    expect((await result).result).toMatchObject({ resultType: 'complete', content: [{ text: 'done' }] });
  });
});

describe('A task', () => {
  it('It outlives its connection, and is the invocation of that id', async () => {
    const [open, left] = [file('outlives'), file('outlives-left')];
    const { result } = await call('gate__hold', { open, left });
    expect(result).toMatchObject({ resultType: 'task', status: 'working', pollIntervalMs: expect.any(Number) });
    expect(result?.['ttlMs']).toBeGreaterThan(604_000_000);
    const taskId = result?.['taskId'];
    expect((await get(taskId)).result).toMatchObject({ resultType: 'complete', taskId, status: 'working' });
    writeFileSync(open, '');
    expect(await untilStatus(taskId, 'completed')).toMatchObject({
      result: { resultType: 'complete', content: [{ type: 'text', text: 'done' }] },
    });
  });

  it('Answers may come in parts, and only open questions are shown', async () => {
    const { result } = await call('office__two', {});
    const { taskId } = result as { taskId: string };
    const asked = await untilStatus(taskId, 'input_required');
    expect(Object.keys(asked['inputRequests'] as object).toSorted()).toEqual(['one', 'other']);
    const accept = (n: unknown) => ({ action: 'accept', content: { n } });
    expect((await update(taskId, { one: accept('x'), nobody: accept(1) })).result).toEqual(
      expect.objectContaining({ resultType: 'complete' }),
    );
    expect(Object.keys((await get(taskId)).result?.['inputRequests'] as object)).toHaveLength(2);
    await update(taskId, { one: accept(1) });
    expect((await get(taskId)).result).toMatchObject({
      status: 'input_required',
      inputRequests: { other: expect.anything() },
    });
    expect((await get(taskId)).result?.['inputRequests']).not.toHaveProperty('one');
    await update(taskId, { one: accept(2), other: accept(3) });
    expect(await untilStatus(taskId, 'completed')).toMatchObject({
      result: { structuredContent: { one: { n: 1 }, other: { n: 3 } } },
    });
  });

  it('A client that cannot ask gets no question, and somebody else may answer over HTTP', async () => {
    const { result } = await call('office__two', {}, { capabilities: { extensions: { [TASKS]: {} } } });
    const { taskId } = result as { taskId: string };
    await untilStatus(taskId, 'input_required');
    const state = await get(taskId, { capabilities: { extensions: { [TASKS]: {} } } });
    expect(state.result).toMatchObject({ status: 'working' });
    expect(state.result).not.toHaveProperty('inputRequests');
    for (const nodeId of ['one', 'other']) await stack.client.answer(taskId, { result: { n: 1 }, nodeId });
    await untilStatus(taskId, 'completed');
  });

  it('A call that asks is a task for a client that cannot ask', async () => {
    const { result } = await call(
      'office__ask',
      { question: 'Who?' },
      { capabilities: { extensions: { [TASKS]: {} } } },
    );
    expect(result).toMatchObject({ resultType: 'task' });
    await stack.client.answer(String(result?.['taskId']), { result: { name: 'Ada' } });
    await untilStatus(result?.['taskId'], 'completed');
  });

  it('The cancel of a task is acknowledged, also after its end', async () => {
    const { result } = await call('core__delay', { ms: 600_000 });
    const taskId = result?.['taskId'];
    for (let times = 0; times < 2; times++) {
      const { result: done } = await ask({ method: 'tasks/cancel', params: { taskId } });
      expect(done).toMatchObject({ resultType: 'complete' });
      expect(done).not.toHaveProperty('status');
      await untilStatus(taskId, 'cancelled');
    }
  });

  it('The methods that the extension does not have are unknown', async () => {
    for (const method of ['tasks/list', 'tasks/result'])
      expect(await ask({ method, params: { taskId: 'x' } })).toMatchObject({ error: { code: -32601 } });
  });

  it.each(['tasks/get', 'tasks/update', 'tasks/cancel'])('%s needs the extension, and a known id', async (method) => {
    const id = await stack.client.submit({ toolId: 'core:echo', arguments: { value: 1 } });
    expect(await ask({ method, params: { taskId: id }, capabilities: {} })).toMatchObject({ error: { code: -32021 } });
    for (const taskId of ['inv_00000000000000000000', 'x', '__proto__'])
      expect(await ask({ method, params: { taskId } })).toMatchObject({ error: { code: -32602 } });
    for (const params of [{}, { taskId: 7 }])
      expect(await ask({ method, params })).toMatchObject({ error: { code: expect.any(Number) } });
  });

  it('An agent sees only the tasks of its own calls', async () => {
    const { result } = await call('office__always', {});
    expect(await ask({ method: 'tasks/get', params: { taskId: result?.['taskId'] } }, '/clerk')).toMatchObject({
      error: { code: -32602 },
    });
  });
});
