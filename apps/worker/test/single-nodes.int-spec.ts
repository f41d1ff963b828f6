import type { Invocation } from '@errand/contracts';
import { useStack } from '../../../test/support/start-stack.js';

const tool = (id: string, more = '') => `
  - id: pure:${id}
    displayName: ${id}
    description: For the test.
    ${more}
    parameters: { type: object, properties: { value: {}, times: { type: integer, default: 2 } }, required: [value] }
    implementation: { type: node, nodeType: "pure:${id}" }`;
const PLUGIN = `
name: pure
displayName: Pure
version: 1.0.0
description: Nodes without effects.
nodes: { entry: nodes/index.js }
tools:${[tool('repeat'), tool('refuse'), tool('wrong', 'output: { type: integer }'), tool('later')].join('')}
`;
const NODES = `
const slot = { dataFlowType: 'WILDCARD' };
const node = (name, run) => ({ type: 'pure:' + name, description: 'd', effects: 'none', inputs: { value: slot, times: slot }, outputs: { value: slot }, run });
let refusals = 0;
module.exports = { nodes: [
  node('repeat', ({ value, times }) => ({ value: String(value).repeat(times) })),
  node('refuse', () => { throw new Error('refused ' + ++refusals); }),
  node('wrong', () => ({ value: 'no number' })),
  node('later', async ({ value }) => ({ value })),
] };`;

const { client } = useStack({
  with: ['worker'],
  library: { 'plugins/pure/plugin.yaml': PLUGIN, 'plugins/pure/nodes/index.js': NODES },
});

const call = (name: string, args: object) => ({ toolId: `pure:${name}`, arguments: args });
const end = async (body: object): Promise<Invocation> => client.untilEnded(await client.submit(body));
/** What an outcome has besides times. */
const shownOf = ({ steps: [step] }: Invocation) => [step?.status, step?.result, step?.error?.type, step?.attempts];

it.each([
  ['succeeds with a default of its parameters', call('repeat', { value: 'ab' }), 'abab'],
  ['takes a text behind a backslash', call('repeat', { value: '\\{{steps.1}}', times: 1 }), '{{steps.1}}'],
  ['returns a promise', call('later', { value: 5 }), 5],
])('A node without effects that %s has the same outcome alone and beside another call', async (_what, one, result) => {
  const [alone, beside] = [await end(one), await end({ calls: [one, call('repeat', { value: 'x' })] })];
  expect(alone).toMatchObject({ status: 'succeeded', result });
  expect(shownOf(alone)).toEqual(shownOf(beside));
  expect(alone.steps[0]).toMatchObject({ startedAt: expect.any(String), finishedAt: expect.any(String) });
});

it('A node without effects that fails by itself runs once more in the engine, which reports the failure', async () => {
  expect(await end(call('refuse', { value: 1 }))).toMatchObject({
    status: 'failed',
    error: { type: 'NodeError', message: expect.stringContaining('refused 2') },
  });
});

it('A node without effects whose result is not what its tool declares fails', async () => {
  expect(await end(call('wrong', { value: 1 }))).toMatchObject({ status: 'failed', error: { type: 'OutputError' } });
});
