import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Invocation } from '@errand/contracts';
import { startApi } from '../apps/api/src/start.js';
import { Client, readEventStream } from './support/http.js';
import { Processes } from './support/start-process.js';
import { startRedis, type TestRedis } from './support/start-redis.js';

/** A worker is killed at a known point of a workflow, and another goes on. What was done is read from a file, not from Errand. */
const NODES = `
const { appendFileSync, readFileSync, existsSync } = require('node:fs');
const { setTimeout: sleep } = require('node:timers/promises');
const slot = { dataFlowType: 'WILDCARD' };
const read = (file) => (existsSync(file) ? readFileSync(file, 'utf8') : '');
const mark = { type: 'mark:line', description: 'Writes a line, and takes its time after that.',
  inputs: { file: slot, line: slot, ms: { ...slot, config: { default: 0 } } }, outputs: { line: slot },
  run: async ({ file, line, ms }, { signal }) => {
    appendFileSync(file, line + '\\n');
    await sleep(ms, undefined, { signal });
    return { line };
  } };
const hang = { type: 'mark:hang', description: 'Writes a line; never ends where it was written for the first time.',
  inputs: { file: slot, line: slot }, outputs: { line: slot },
  run: async ({ file, line }, { signal }) => {
    const first = !read(file).includes(line);
    appendFileSync(file, line + '\\n');
    if (first) await sleep(3_600_000, undefined, { signal });
    return { line };
  } };
const item = { type: 'mark:item', description: 'The third item hangs at its first try.',
  inputs: { file: slot, item: slot }, outputs: { line: slot },
  run: (inputs, context) => (inputs.item === 3 ? hang : mark).run({ ...inputs, line: 'item ' + inputs.item, ms: 0 }, context) };
const stream = { type: 'mark:stream', description: 'Gives chunks; stops in the middle at its first try.',
  inputs: { file: slot }, outputs: { text: { dataFlowType: 'STRING', isStream: true } },
  run: async function* ({ file }, { signal }) {
    const first = read(file) === '';
    appendFileSync(file, 'begun\\n');
    yield { text: 'to be ' };
    yield { text: 'or not ' };
    if (first) await sleep(3_600_000, undefined, { signal });
    yield { text: 'to be' };
  } };
module.exports = { nodes: [mark, hang, item, stream] };`;

const tool = (id: string, nodeType: string, more = '') => `
  - id: mark:${id}
    displayName: ${id}
    description: For tests.
    parameters: { type: object, properties: { file: { type: string }, line: { type: string } }, required: [file] }
    ${more}
    implementation: { type: node, nodeType: mark:${nodeType} }`;
const PLUGIN = `
name: mark
displayName: Marks
version: 1.0.0
description: Nodes that leave marks.
nodes: { entry: nodes/index.js }
tools:${tool('hang', 'hang')}${tool('charge', 'hang', 'effects: once')}${tool('pay', 'line', 'effects: once')}
`;

const slot = { dataFlowType: 'WILDCARD' };
const node = (id: string, type: string, inputValues: object = {}, configValues: object = {}) => ({
  id,
  type,
  inputValues,
  configValues,
});
const ends = [node('in', 'core:GroupInput'), node('out', 'core:GroupOutput')];
const links = (...texts: string[]) =>
  texts.map((text) => {
    const [from, to] = text.split('>');
    const [source, sourceHandle] = from!.split('.');
    const [target, targetHandle] = to!.split('.');
    return { source, sourceHandle, target, targetHandle };
  });
const FILE = { file: { dataFlowType: 'STRING', required: true } };
const workflow = (nodes: object[], edges: object[], over: object = {}) => ({
  nodes: [...ends, ...nodes],
  edges,
  interfaceInputs: FILE,
  interfaceOutputs: { result: slot },
  ...over,
});
const WORKFLOWS = {
  ask: workflow(
    [node('before', 'mark:line', { line: 'before' }), node('ask', 'core:external', { prompt: 'Go on?' })],
    links('in.file>before.file', 'before.line>ask.prompt', 'ask.result>out.result'),
  ),
  each: workflow(
    [node('each', 'core:forEach', { items: [1, 2, 3, 4], workflowId: 'item', concurrency: 1 })],
    links('in.bag>each.inputs', 'each.results>out.result'),
    { interfaceInputs: { bag: { dataFlowType: 'OBJECT', required: true } } },
  ),
  item: workflow([node('line', 'mark:item')], links('in.file>line.file', 'in.item>line.item', 'line.line>out.result'), {
    interfaceInputs: { ...FILE, item: slot, index: slot },
  }),
  stream: workflow([node('stream', 'mark:stream')], links('in.file>stream.file', 'stream.text>out.result'), {
    interfaceOutputs: { result: { dataFlowType: 'STRING', isStream: true } },
  }),
};

let redis: TestRedis;
let folder: string;
let api: Awaited<ReturnType<typeof startApi>>;
let client: Client;
let processes: Processes;
let files = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'errand-kill-'));
  const put = async (path: string, content: string) => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  };
  await put('plugins/mark/plugin.yaml', PLUGIN);
  await put('plugins/mark/nodes/index.js', NODES);
  for (const [id, stored] of Object.entries(WORKFLOWS)) await put(`workflows/${id}.json`, JSON.stringify(stored));
  redis = await startRedis();
  const env = { ERRAND_REDIS_URL: redis.url, ERRAND_LIBRARY: folder };
  processes = new Processes(env);
  api = await startApi({ ...env, ERRAND_PORT: '0', ERRAND_LOG_LEVEL: 'fatal' });
  client = new Client(api.url);
});
afterEach(() => processes.endAll());
afterAll(async () => {
  await api.close();
  await redis.stop();
  await rm(folder, { recursive: true });
});

const newFile = () => join(folder, `marks-${++files}.txt`);
const linesOf = async (file: string) => (await readFile(file, 'utf8')).trim().split('\n');
const submit = async (body: object): Promise<string> => (await client.post('/v1/invocations', body)).body.id;
const read = async (id: string) => (await client.get<Invocation>(`/v1/invocations/${id}`)).body;

/** Follows the invocation's own events until it is what is wanted. */
async function until(id: string, wanted: (now: Invocation) => boolean | Promise<boolean>): Promise<Invocation> {
  const response = await fetch(`${api.url}/v1/invocations/${id}/events`);
  const reader = response.body!.getReader();
  for (let told = await reader.read(); !told.done; told = await reader.read()) {
    const now = await read(id);
    if (!(await wanted(now))) continue;
    await reader.cancel();
    return now;
  }
  throw new Error(`it ended otherwise: ${JSON.stringify(await read(id))}`);
}

/** Nobody tells when a file has a line. */
async function untilLine(file: string, line: string): Promise<void> {
  while (!(await readFile(file, 'utf8').catch(() => '')).includes(line)) await new Promise(setImmediate);
}

describe('a worker killed', () => {
  it('finds a library without problems', async () => {
    expect((await client.get<{ items: object[] }>('/v1/tools/problems')).body.items).toEqual([]);
  });

  it('while an invocation is parked does not matter: it is answered with nobody there, and goes on', async () => {
    const file = newFile();
    const doomed = await processes.start('worker');
    const id = await submit({ toolId: 'workflow:ask', arguments: { file } });
    await until(id, ({ status }) => status === 'waiting_external');
    await processes.end(doomed);
    expect((await client.post(`/v1/invocations/${id}/steps/0/result`, { result: 'yes' })).status).toBe(202);
    expect((await read(id)).status).toBe('queued');
    await processes.start('worker');
    expect(await client.untilEnded(id)).toMatchObject({ result: 'yes', steps: [{ attempts: 1 }] });
    expect(await linesOf(file)).toEqual(['before']);
  });

  it('within a loop leaves the items that were done as they are', async () => {
    const file = newFile();
    const doomed = await processes.start('worker');
    const id = await submit({ toolId: 'workflow:each', arguments: { bag: { file } } });
    await untilLine(file, 'item 3');
    await processes.end(doomed);
    await processes.start('worker');
    const ended = await client.untilEnded(id);
    expect(ended).toMatchObject({ status: 'succeeded', result: ['item 1', 'item 2', 'item 3', 'item 4'] });
    expect(await linesOf(file)).toEqual(['item 1', 'item 2', 'item 3', 'item 3', 'item 4']);
  });

  it('in the middle of a stream is replaced by another, which gives it whole', async () => {
    const file = newFile();
    const doomed = await processes.start('worker');
    const id = await submit({ toolId: 'workflow:stream', arguments: { file } });
    const events = readEventStream(`${api.url}/v1/invocations/${id}/events`);
    await untilLine(file, 'begun');
    await processes.end(doomed);
    await processes.start('worker');
    expect(await client.untilEnded(id)).toMatchObject({ status: 'succeeded', result: 'to be or not to be' });
    const chunks = (await events).filter(({ event }) => event === 'output').map(({ data }) => data['chunk']);
    expect(chunks.slice(-3)).toEqual(['to be ', 'or not ', 'to be']);
  });

  it('and cancelled while nobody is there, it ends as cancelled when the next one comes, and is not run again', async () => {
    const file = newFile();
    const doomed = await processes.start('worker');
    const id = await submit({ toolId: 'mark:hang', arguments: { file, line: 'once' } });
    await untilLine(file, 'once');
    await processes.end(doomed);
    expect((await client.post(`/v1/invocations/${id}/cancel`, {})).status).toBe(202);
    await processes.start('worker');
    expect((await client.untilEnded(id)).status).toBe('cancelled');
    expect(await linesOf(file)).toEqual(['once']);
  });

  it('while it repairs loses neither the repair nor what it goes on from', async () => {
    const first = await processes.start('worker');
    const failed = await client.invoke({
      calls: [
        { toolId: 'core:random', arguments: {} },
        { toolId: 'core:math', arguments: { op: 'divide', a: 1, b: 0 } },
      ],
    });
    await processes.end(first);
    const inputs = { '1': { inputs: { b: 2 } } };
    const { body } = await client.post(`/v1/invocations/${failed.id}/retry`, { steps: inputs });
    await processes.start('worker');
    expect((await client.untilEnded(body.id)).result).toEqual([failed.steps[0]!.result, 0.5]);
  });
});

describe('what may take effect only once', () => {
  it('is lost where it was begun and nobody knows how it ended', async () => {
    const file = newFile();
    const doomed = await processes.start('worker');
    const id = await submit({ toolId: 'mark:charge', arguments: { file, line: 'charged' } });
    await untilLine(file, 'charged');
    await processes.end(doomed);
    await processes.start('worker');
    expect(await client.untilEnded(id)).toMatchObject({ status: 'failed', error: { type: 'LostError' } });
    expect(await linesOf(file)).toEqual(['charged']);
  });

  it('is not lost where the worker died before or after it', async () => {
    const file = newFile();
    const marks = newFile();
    const doomed = await processes.start('worker');
    const pay = { toolId: 'mark:pay', arguments: { file, line: 'paid' } };
    const hang = { toolId: 'mark:hang', arguments: { file: marks, line: 'here' } };
    const id = await submit({ calls: [pay, hang, pay] });
    await untilLine(marks, 'here');
    await processes.end(doomed);
    await processes.start('worker');
    expect((await client.untilEnded(id)).status).toBe('succeeded');
    expect(await linesOf(file)).toEqual(['paid', 'paid']);
  });
});
