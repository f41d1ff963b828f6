import type { Invocation, NodeState } from '@errand/contracts';
import { workflow } from '../libs/engine/test/workflow-kit.js';
import { useStack } from './support/start-stack.js';

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
const WORKFLOWS = {
  'workflows/pause.json': workflow(
    [
      { id: 'flaky', type: 'look:flaky', inputValues: { value: 'hello' }, retry: { attempts: 2 } },
      { id: 'ask', type: 'core:external' },
      { id: 'after', type: 'core:echo' },
    ],
    ['flaky.value > ask.prompt', 'ask.result > after.value', 'after.value > out.result'],
    { outputs: ['result'] },
  ),
  'workflows/long.json': workflow(
    [
      { id: 'long', type: 'look:long', inputValues: { chars: 300_000 } },
      { id: 'ask', type: 'core:external' },
      { id: 'length', type: 'look:length' },
    ],
    ['long.text > length.text', 'long.text > ask.prompt', 'length.length > out.result'],
    { outputs: ['result'] },
  ),
  'workflows/say.json': {
    ...workflow([{ id: 'say', type: 'look:say' }], ['say.text > out.text'], { outputs: ['text'] }),
    interfaceOutputs: { text: { dataFlowType: 'STRING', isStream: true } },
  },
};

const { client } = useStack({
  with: ['worker'],
  library: { 'plugins/look/plugin.yaml': PLUGIN, 'plugins/look/nodes/index.js': NODES, ...WORKFLOWS },
});

const startAndWait = async (toolId: string) => client.untilWaiting(await client.submit({ toolId, arguments: {} }));

const named = ({ steps }: Invocation): Record<string, NodeState> =>
  Object.fromEntries(steps[0]!.nodes!.map((state) => [state.nodeId, state]));

describe('A running invocation', () => {
  it('A running invocation shows status, inputs, result and attempts of each node, and its progress', async () => {
    const now = await startAndWait('workflow:pause');
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

    const followed = client.events(now.id);
    await client.answer(now.id, { result: 'done' });
    const ended = await client.untilEnded(now.id);
    expect(ended).toMatchObject({ status: 'succeeded', result: 'done', progress: 1, startedAt: now.startedAt });
    expect(Object.values(named(ended)).map(({ status }) => status)).toEqual(['succeeded', 'succeeded', 'succeeded']);
    const events = await followed;
    const told = events.filter(({ event }) => event === 'step').map(({ data }) => [data['nodeId'], data['status']]);
    const steps = told.filter(([nodeId]) => nodeId !== undefined);
    expect(steps).toContainEqual(['ask', 'waiting_external']);
    expect(steps.at(-1)).toEqual(['after', 'succeeded']);
    const statuses = events.filter(({ event }) => event === 'status').map(({ data }) => data['status']);
    expect(statuses).toEqual(expect.arrayContaining(['waiting_external', 'succeeded']));
    expect(events.at(-1)).toMatchObject({ event: 'end', data: { invocation: { status: 'succeeded' } } });
  });

  it('The state shows the beginning of a long value, and the next node gets the whole value', async () => {
    const now = await startAndWait('workflow:long');
    const shown = JSON.stringify(named(now)['long']!.result);
    expect(shown.length).toBeLessThan(5_000);
    expect(shown).toContain('characters)');
    await client.answer(now.id, { result: null });
    expect((await client.untilEnded(now.id)).result).toBe(300_000);
  });

  it('A stream is sent as output events chunk by chunk, and the result has the whole text', async () => {
    const id = await client.submit({ toolId: 'workflow:say', arguments: {} });
    const events = await client.events(id);
    const chunks = events.filter(({ event }) => event === 'output').map(({ data }) => data);
    expect(chunks.map(({ chunk }) => chunk)).toEqual(['one ', 'two ', 'three']);
    expect(chunks[0]).toMatchObject({ invocationId: id, step: 0 });
    expect(events.at(-1)!.data).toMatchObject({ invocation: { result: 'one two three' } });
  });
});
