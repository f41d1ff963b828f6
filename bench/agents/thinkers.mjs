// The library of the benchmarks of turns: agents whose deliberation is one node in the worker.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const edge = (source, sourceHandle, target, targetHandle) => ({ source, sourceHandle, target, targetHandle });
const TEXT = { dataFlowType: 'STRING' };

/** Answers `first` in the first round, and `Done.` when it has read an Observation. */
const thinking = (id, first) => ({
  id,
  nodes: [
    { id: 'in', type: 'core:GroupInput' },
    { id: 'think', type: 'bench:think', configValues: { first } },
    { id: 'out', type: 'core:GroupOutput' },
  ],
  edges: [
    edge('in', 'messages', 'think', 'messages'),
    edge('in', 'observations', 'think', 'observations'),
    edge('think', 'text', 'out', 'text'),
  ],
  interfaceInputs: { messages: { dataFlowType: 'ARRAY' }, observations: { ...TEXT, config: { default: '' } } },
  interfaceOutputs: { text: TEXT },
});

const NODES = `
const text = { dataFlowType: 'STRING' };
exports.nodes = [{
  type: 'bench:think', description: 'Answers as its settings say.',
  inputs: { messages: { dataFlowType: 'ARRAY' }, observations: { ...text, config: { default: '' } } },
  outputs: { text }, config: { first: { type: 'string' } },
  run: ({ observations }, { config }) => ({ text: observations === '' ? config.first : 'Done.' }),
}];
`;

const PLUGIN = `
name: bench
version: 1.0.0
nodes: { entry: nodes.js }
tools:
  - { id: bench:ask, description: Asks somebody, implementation: { type: external } }
`;

const agent = (id, workflow) => ({
  id,
  core_deliberation_workflow_id: workflow,
  tool_ids_inventory: ['core:echo'],
});

/** Writes the library and returns its folder. */
export function writeThinkers(folder) {
  const files = {
    'plugins/bench/plugin.yaml': PLUGIN,
    'plugins/bench/nodes.js': NODES,
    'workflows/think.json': thinking('think', 'Hello.'),
    'workflows/think-call.json': thinking('think-call', '<ACTION><core:echo><value>x</value></core:echo></ACTION>'),
    'workflows/think-paint.json': thinking('think-paint', '<ACTION><paint/></ACTION>'),
    'agents/talker.json': agent('talker', 'think'),
    'agents/caller.json': agent('caller', 'think-call'),
    'agents/painter.json': agent('painter', 'think-paint'),
  };
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), typeof content === 'string' ? content : JSON.stringify(content));
  }
  return folder;
}
