import type { Files } from './write-files.js';

const TOOLS = ['core:echo', 'test:fail', 'test:slow', 'test:ask', 'test:gate'];

/** A plugin with tools that fail, take long or wait for an answer. */
const NODES = `exports.nodes = [
  {
    type: 'test:fail', description: 'Fails', inputs: {}, outputs: { out: { dataFlowType: 'STRING' } },
    run() { throw new Error('no such luck'); },
  },
  {
    type: 'test:slow', description: 'Waits for its end', inputs: {}, outputs: { out: { dataFlowType: 'STRING' } },
    run: (_, { signal }) => new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  },
];
`;

const PLUGIN = `name: test
version: 1.0.0
nodes: { entry: nodes.js }
tools:
  - { id: test:fail, description: Fails, implementation: { type: node, nodeType: test:fail } }
  - { id: test:slow, description: Waits, implementation: { type: node, nodeType: test:slow } }
  - { id: test:ask, description: Asks a person, implementation: { type: external } }
  - { id: test:gate, description: Waits for an answer, implementation: { type: external } }
`;

function agent(id: string, more: object = {}): Files {
  const profile = { id, core_deliberation_workflow_id: 'core:deliberate', tool_ids_inventory: TOOLS, ...more };
  return { [`agents/${id}.json`]: JSON.stringify(profile) };
}

/** A library with agents of several kinds, for tests of turns. Their model is the one of the worker. */
export function turnLibrary(more: Files = {}): Files {
  return {
    'plugins/test/plugin.yaml': PLUGIN,
    'plugins/test/nodes.js': NODES,
    ...agent('guide', { instructions: 'You guide visitors.' }),
    ...agent('native', { protocol: 'native', tool_ids_inventory: ['core:echo', 'test:fail'] }),
    ...agent('keeper', { backgroundTools: ['test:*'] }),
    ...agent('short', { limits: { maxRounds: 2 } }),
    ...agent('counter', {
      output: { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] },
    }),
    ...agent('ping', { instructions: 'You are ping.', tool_ids_inventory: ['agent:*'] }),
    ...agent('pong', { instructions: 'You are pong.', tool_ids_inventory: ['agent:*'] }),
    ...more,
  };
}
