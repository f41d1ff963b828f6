import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Invocation, NodeState } from '@errand/contracts';
import { startApi } from '../apps/api/src/start.js';
import { startWorker } from '../apps/worker/src/start.js';
import { Client, readEventStream } from './support/http.js';
import { startRedis, type TestRedis } from './support/start-redis.js';

const NODES = `
const slot = { dataFlowType: 'WILDCARD' };
module.exports = { nodes: [
  { type: 'look:flaky', description: 'Fails at its first attempt.', inputs: { value: slot }, outputs: { value: slot },
    run: (() => { const seen = new Set();
      return ({ value }, { invocationId }) => {
        if (!seen.has(invocationId)) { seen.add(invocationId); throw new Error('not yet'); }
        return { value };
      }; })() },
  { type: 'look:long', description: 'Gives a long text.', inputs: { chars: slot }, outputs: { text: slot },
    run: ({ chars }) => ({ text: 'x'.repeat(chars) }) },
  { type: 'look:length', description: 'Measures.', inputs: { text: slot }, outputs: { length: slot },
    run: ({ text }) => ({ length: text.length }) },
  { type: 'look:say', description: 'Speaks word by word.', inputs: {}, outputs: { text: { dataFlowType: 'STRING', isStream: true } },
    run: async function* () { for (const text of ['one ', 'two ', 'three']) yield { text }; } },
] };`;
const PLUGIN = `
name: look
displayName: Look
version: 1.0.0
description: For looking at.
nodes: { entry: nodes/index.js }
`;
const node = (id: string, type: string, inputValues: object = {}, more: object = {}) => ({
  id,
  type,
  inputValues,
  ...more,
});
const edge = (source: string, sourceHandle: string, target: string, targetHandle: string) => {
  return { source, sourceHandle, target, targetHandle };
};
const out = node('out', 'core:GroupOutput');
const WORKFLOWS = {
  pause: {
    nodes: [
      node('flaky', 'look:flaky', { value: 'hello' }, { retry: { attempts: 2 } }),
      node('ask', 'core:external'),
      node('after', 'core:echo'),
      out,
    ],
    edges: [
      edge('flaky', 'value', 'ask', 'prompt'),
      edge('ask', 'result', 'after', 'value'),
      edge('after', 'value', 'out', 'result'),
    ],
    interfaceOutputs: { result: { dataFlowType: 'WILDCARD' } },
  },
  long: {
    nodes: [
      node('long', 'look:long', { chars: 300_000 }),
      node('ask', 'core:external'),
      node('length', 'look:length'),
      out,
    ],
    edges: [
      edge('long', 'text', 'length', 'text'),
      edge('long', 'text', 'ask', 'prompt'),
      edge('length', 'length', 'out', 'result'),
    ],
    interfaceOutputs: { result: { dataFlowType: 'WILDCARD' } },
  },
  say: {
    nodes: [node('say', 'look:say'), out],
    edges: [edge('say', 'text', 'out', 'text')],
    interfaceOutputs: { text: { dataFlowType: 'STRING', isStream: true } },
  },
};

let redis: TestRedis;
let library: string;
let api: Awaited<ReturnType<typeof startApi>>;
let worker: Awaited<ReturnType<typeof startWorker>>;
let client: Client;

beforeAll(async () => {
  library = await mkdtemp(join(tmpdir(), 'errand-state-'));
  const put = async (path: string, content: string) => {
    await mkdir(dirname(join(library, path)), { recursive: true });
    await writeFile(join(library, path), content);
  };
  await put('plugins/look/plugin.yaml', PLUGIN);
  await put('plugins/look/nodes/index.js', NODES);
  for (const [id, stored] of Object.entries(WORKFLOWS)) await put(`workflows/${id}.json`, JSON.stringify(stored));
  redis = await startRedis();
  const env = { ERRAND_REDIS_URL: redis.url, ERRAND_PORT: '0', ERRAND_LOG_LEVEL: 'fatal', ERRAND_LIBRARY: library };
  api = await startApi(env);
  worker = await startWorker(env);
  client = new Client(api.url);
});
afterAll(async () => {
  await api.close();
  await worker.close();
  await redis.stop();
  await rm(library, { recursive: true });
});

const eventsOf = (id: string) => readEventStream(`${api.url}/v1/invocations/${id}/events`);

async function untilWaiting(toolId: string): Promise<Invocation> {
  const { id } = (await client.post('/v1/invocations', { toolId, arguments: {} })).body;
  const response = await fetch(`${api.url}/v1/invocations/${id}/events`);
  const reader = response.body!.getReader();
  for (let told = await reader.read(); !told.done; told = await reader.read()) {
    const { body } = await client.get<Invocation>(`/v1/invocations/${id}`);
    if (body.status !== 'waiting_external') continue;
    await reader.cancel();
    return body;
  }
  throw new Error('it never waited');
}

const named = ({ steps }: Invocation): Record<string, NodeState> =>
  Object.fromEntries(steps[0]!.nodes!.map((state) => [state.nodeId, state]));

describe('an invocation on its way', () => {
  it('shows how each node stands, with what it got and gave, how often it was tried, and how much is done', async () => {
    const now = await untilWaiting('workflow:pause');
    expect(now.progress).toBeGreaterThan(0);
    expect(now.progress).toBeLessThan(1);
    expect(now.steps[0]).toMatchObject({ status: 'waiting_external', attempts: 1, finishedAt: null });
    const { flaky, ask, after } = named(now);
    expect(flaky).toMatchObject({
      type: 'look:flaky',
      status: 'succeeded',
      attempts: 2,
      inputs: { value: 'hello' },
      result: { value: 'hello' },
    });
    expect(Date.parse(flaky!.finishedAt!)).toBeGreaterThanOrEqual(Date.parse(flaky!.startedAt!));
    expect(ask).toMatchObject({
      status: 'waiting_external',
      waiting: { for: 'answer', prompt: 'hello' },
      finishedAt: null,
    });
    expect(after).toBeUndefined();

    const told = eventsOf(now.id);
    await client.post(`/v1/invocations/${now.id}/steps/0/result`, { result: 'done' });
    const ended = await client.untilEnded(now.id);
    expect(ended).toMatchObject({ status: 'succeeded', result: 'done', progress: 1, startedAt: now.startedAt });
    expect(Object.values(named(ended)).map(({ status }) => status)).toEqual(['succeeded', 'succeeded', 'succeeded']);
    const events = await told;
    const steps = events.filter(({ event }) => event === 'step').map(({ data }) => [data['nodeId'], data['status']]);
    expect(steps).toContainEqual(['ask', 'waiting_external']);
    expect(steps.at(-1)).toEqual(['after', 'succeeded']);
    const statuses = events.filter(({ event }) => event === 'status').map(({ data }) => data['status']);
    expect(statuses).toEqual(expect.arrayContaining(['waiting_external', 'succeeded']));
    expect(events.at(-1)).toMatchObject({ event: 'end', data: { invocation: { status: 'succeeded' } } });
  });

  it('shows the beginning of long values, and goes on with the whole', async () => {
    const now = await untilWaiting('workflow:long');
    const shown = JSON.stringify(named(now)['long']!.result);
    expect(shown.length).toBeLessThan(5_000);
    expect(shown).toContain('characters)');
    await client.post(`/v1/invocations/${now.id}/steps/0/result`, { result: null });
    expect((await client.untilEnded(now.id)).result).toBe(300_000);
  });

  it('tells a stream chunk by chunk, and has it whole at the end', async () => {
    const { body } = await client.post('/v1/invocations', { toolId: 'workflow:say', arguments: {} });
    const events = await eventsOf(body.id);
    const chunks = events.filter(({ event }) => event === 'output').map(({ data }) => data);
    expect(chunks.map(({ chunk }) => chunk)).toEqual(['one ', 'two ', 'three']);
    expect(chunks[0]).toMatchObject({ invocationId: body.id, step: 0 });
    expect(events.at(-1)!.data).toMatchObject({ invocation: { result: 'one two three' } });
  });
});
