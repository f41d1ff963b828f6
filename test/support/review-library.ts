import type { StoredNode } from '@errand/contracts';
import { workflow } from '../../libs/engine/test/workflow-kit.js';
import type { Files } from './write-files.js';

const PLUGIN = `
name: review
displayName: Desk
version: 1.0.0
description: People who answer, and nodes that misbehave.
nodes: { entry: nodes/index.js }
tools:
  - id: review:approve
    displayName: Approve
    description: Asks a person.
    parameters: { type: object, properties: { what: { type: string } }, required: [what] }
    output: { type: object, properties: { ok: { type: boolean } }, required: [ok] }
    implementation: { type: external }
  - id: review:consent
    displayName: Consent
    description: Asks a person, once in a session.
    parameters: { type: object, properties: {} }
    effects: once
    implementation: { type: external }
  - id: review:hurry
    displayName: Hurry
    description: Asks a person who must be quick.
    parameters: { type: object, properties: {} }
    implementation: { type: external, timeoutMs: 300 }
  - id: review:deaf
    displayName: Deaf
    description: Ignores the signal to stop.
    parameters: { type: object, properties: {} }
    implementation: { type: node, nodeType: review:deaf }
`;

const NODES = `
const calls = new Map();
const slot = { dataFlowType: 'WILDCARD' };
module.exports = { nodes: [
  { type: 'review:deaf', description: 'd', inputs: {}, outputs: { value: slot },
    run: () => new Promise((resolve) => setTimeout(() => resolve({ value: 'late' }), 3000).unref()) },
  { type: 'review:count', description: 'Returns how often this node ran for this invocation.', inputs: { value: slot }, outputs: { count: slot },
    run: (inputs, { invocationId, nodeId }) => {
      const key = invocationId + nodeId;
      calls.set(key, (calls.get(key) ?? 0) + 1);
      return { count: calls.get(key) + Date.now() / 1e15 };
    } },
  { type: 'review:divide', description: 'd', inputs: { a: slot, by: slot }, outputs: { result: slot },
    run: ({ a, by }) => { if (by === 0) throw new Error('by zero'); return { result: a / by }; } },
] };`;

const node = (id: string, type: string, inputValues: StoredNode['inputValues'] = {}): StoredNode => ({
  id,
  type,
  inputValues,
});
const outputs = { outputs: ['result'] };
const callsTool: StoredNode = {
  ...node('call', 'core:tool', { arguments: { what: 'a ship' } }),
  configValues: { toolId: 'review:approve' },
};

const WORKFLOWS: Files = {
  'workflows/ask.json': workflow(
    [node('before', 'review:count'), node('ask', 'core:external', { prompt: 'May I?' }), node('after', 'core:echo')],
    ['before.count > ask.prompt', 'ask.result > after.value', 'after.value > out.result'],
    outputs,
  ),
  'workflows/two.json': workflow(
    [node('one', 'core:external'), node('other', 'core:external'), node('join', 'core:join', { separator: '+' })],
    ['one.result > join.parts', 'other.result > join.parts', 'join.text > out.result'],
    outputs,
  ),
  'workflows/call.json': workflow([callsTool], ['call.result > out.result'], outputs),
  'workflows/chain.json': workflow(
    [node('first', 'review:count'), node('broken', 'review:divide', { a: 10, by: 0 }), node('last', 'core:echo')],
    ['first.count > broken.a', 'broken.result > last.value', 'last.value > out.result'],
    outputs,
  ),
  'workflows/nap.json': workflow(
    [node('nap', 'core:wait', { ms: 3_000, value: 'rested' })],
    ['nap.value > out.result'],
    outputs,
  ),
};

/** A library of external tools, nodes that misbehave, and workflows of both. */
export const REVIEW_LIBRARY: Files = {
  'plugins/review/plugin.yaml': PLUGIN,
  'plugins/review/nodes/index.js': NODES,
  ...WORKFLOWS,
};
