import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { StoredNode } from '@errand/contracts';
import { workflow } from '../libs/engine/test/workflow-kit.js';
import { useStack } from './support/start-stack.js';
import { eventually } from './support/eventually.js';

/**
 * A worker is killed at a known point of a workflow, and another worker continues. The tests read the effects from a
 * file, not from Errand.
 */
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

const node = (id: string, type: string, inputValues: StoredNode['inputValues'] = {}): StoredNode => ({
  id,
  type,
  inputValues,
});
const WORKFLOWS = {
  'workflows/ask.json': workflow(
    [node('before', 'mark:line', { line: 'before' }), node('ask', 'core:external', { prompt: 'Go on?' })],
    ['in.file > before.file', 'before.line > ask.prompt', 'ask.result > out.result'],
    { inputs: ['file'], outputs: ['result'] },
  ),
  'workflows/each.json': workflow(
    [node('each', 'core:forEach', { items: [1, 2, 3, 4], workflowId: 'item', concurrency: 1 })],
    ['in.bag > each.inputs', 'each.results > out.result'],
    { inputs: ['bag'], outputs: ['result'] },
  ),
  'workflows/item.json': workflow(
    [node('line', 'mark:item')],
    ['in.file > line.file', 'in.item > line.item', 'line.line > out.result'],
    { inputs: ['file', 'item', 'index'], outputs: ['result'] },
  ),
  'workflows/stream.json': {
    ...workflow([node('stream', 'mark:stream')], ['in.file > stream.file', 'stream.text > out.result'], {
      inputs: ['file'],
      outputs: ['result'],
    }),
    interfaceOutputs: { result: { dataFlowType: 'STRING', isStream: true } },
  },
};

// The worker that takes over in one test is killed in the next one.
const stack = useStack(
  { library: { 'plugins/mark/plugin.yaml': PLUGIN, 'plugins/mark/nodes/index.js': NODES, ...WORKFLOWS } },
  { keepsProcesses: true },
);
const { client } = stack;
let files = 0;

const newFile = () => join(stack.folder, `marks-${++files}.txt`);
const linesOf = async (file: string) => (await readFile(file, 'utf8')).trim().split('\n');
/** Polls, because no event reports a new line in a file. */
async function untilLine(file: string, line: string): Promise<void> {
  const readLines = () => readFile(file, 'utf8').catch(() => '');
  await eventually(async () => (await readLines()).includes(line), `'${line}' in ${file}`);
}

describe('A killed worker', () => {
  it('The library of these tests has no problems', async () => {
    expect((await client.get<{ items: object[] }>('/v1/tools/problems')).body.items).toEqual([]);
  });

  it('An invocation that was suspended before its worker died takes an answer without a worker and continues', async () => {
    const file = newFile();
    const doomed = await stack.processes.haveOne('worker');
    const id = await client.submit({ toolId: 'workflow:ask', arguments: { file } });
    await client.untilWaiting(id);
    await stack.processes.end(doomed);
    expect((await client.answer(id, { result: 'yes' })).status).toBe(202);
    expect((await client.read(id)).status).toBe('queued');
    await stack.processes.start('worker');
    expect(await client.untilEnded(id)).toMatchObject({ result: 'yes', steps: [{ attempts: 1 }] });
    expect(await linesOf(file)).toEqual(['before']);
  });

  it('Finished items of a loop do not run again after the worker died', async () => {
    const file = newFile();
    const doomed = await stack.processes.haveOne('worker');
    const id = await client.submit({ toolId: 'workflow:each', arguments: { bag: { file } } });
    await untilLine(file, 'item 3');
    await stack.processes.end(doomed);
    await stack.processes.start('worker');
    const ended = await client.untilEnded(id);
    expect(ended).toMatchObject({ status: 'succeeded', result: ['item 1', 'item 2', 'item 3', 'item 4'] });
    expect(await linesOf(file)).toEqual(['item 1', 'item 2', 'item 3', 'item 3', 'item 4']);
  });

  it('Another worker sends the whole stream again after the worker died in the middle', async () => {
    const file = newFile();
    const doomed = await stack.processes.haveOne('worker');
    const id = await client.submit({ toolId: 'workflow:stream', arguments: { file } });
    const events = client.events(id);
    await untilLine(file, 'begun');
    await stack.processes.end(doomed);
    await stack.processes.start('worker');
    expect(await client.untilEnded(id)).toMatchObject({ status: 'succeeded', result: 'to be or not to be' });
    const chunks = (await events).filter(({ event }) => event === 'output').map(({ data }) => data['chunk']);
    expect(chunks.slice(-3)).toEqual(['to be ', 'or not ', 'to be']);
  });

  it('An invocation that is cancelled without a live worker ends as cancelled and does not run again', async () => {
    const file = newFile();
    const doomed = await stack.processes.haveOne('worker');
    const id = await client.submit({ toolId: 'mark:hang', arguments: { file, line: 'once' } });
    await untilLine(file, 'once');
    await stack.processes.end(doomed);
    expect((await client.cancel(id)).status).toBe(202);
    await stack.processes.start('worker');
    expect((await client.untilEnded(id)).status).toBe('cancelled');
    expect(await linesOf(file)).toEqual(['once']);
  });

  it('A repair starts from the stored steps after the first worker died', async () => {
    const first = await stack.processes.haveOne('worker');
    const failed = await client.invoke({
      calls: [
        { toolId: 'core:random', arguments: {} },
        { toolId: 'core:math', arguments: { op: 'divide', a: 1, b: 0 } },
      ],
    });
    await stack.processes.end(first);
    const inputs = { '1': { inputs: { b: 2 } } };
    const { body } = await client.retry(failed.id, { steps: inputs });
    await stack.processes.start('worker');
    expect((await client.untilEnded(body.id)).result).toEqual([failed.steps[0]!.result, 0.5]);
  });
});

describe('A tool with effects: once', () => {
  it('A tool with effects: once fails with LostError when its worker dies during the call', async () => {
    const file = newFile();
    const doomed = await stack.processes.haveOne('worker');
    const id = await client.submit({ toolId: 'mark:charge', arguments: { file, line: 'charged' } });
    await untilLine(file, 'charged');
    await stack.processes.end(doomed);
    await stack.processes.start('worker');
    expect(await client.untilEnded(id)).toMatchObject({ status: 'failed', error: { type: 'LostError' } });
    expect(await linesOf(file)).toEqual(['charged']);
  });

  it('A tool with effects: once runs once per call when the worker dies before or after it', async () => {
    const file = newFile();
    const marks = newFile();
    const doomed = await stack.processes.haveOne('worker');
    const pay = { toolId: 'mark:pay', arguments: { file, line: 'paid' } };
    const hang = { toolId: 'mark:hang', arguments: { file: marks, line: 'here' } };
    const id = await client.submit({ calls: [pay, hang, pay] });
    await untilLine(marks, 'here');
    await stack.processes.end(doomed);
    await stack.processes.start('worker');
    expect((await client.untilEnded(id)).status).toBe('succeeded');
    expect(await linesOf(file)).toEqual(['paid', 'paid']);
  });
});
