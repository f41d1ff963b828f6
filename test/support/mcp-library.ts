import { GATE } from './gate-library.js';
import type { Files } from './write-files.js';

const PLUGIN = `
name: office
displayName: Office
version: 1.0.0
description: Tools for MCP clients.
nodes: { entry: nodes/index.js }
tools:
  - id: office:report
    displayName: Report
    description: Reports its progress.
    effects: none
    mcp: { name: report.progress }
    output: { type: object, properties: { done: { type: boolean } } }
    implementation: { type: node, nodeType: office:report }
  - id: office:picture
    description: Returns a picture.
    implementation: { type: node, nodeType: office:picture }
  - id: office:ask
    description: Asks a person.
    parameters: { type: object, properties: { question: { type: string } }, required: [question] }
    output: { type: object, properties: { name: { type: string, minLength: 2 } }, required: [name] }
    implementation: { type: external }
  - id: office:always
    description: Is always a task.
    mcp: { tasks: always }
    implementation: { type: node, nodeType: office:report }
  - id: office:required
    description: Needs tasks.
    mcp: { tasks: required }
    implementation: { type: node, nodeType: office:report }
  - id: office:never
    description: Is never a task.
    mcp: { tasks: never }
    parameters: { type: object, properties: { open: { type: string }, left: { type: string } }, required: [open] }
    implementation: { type: node, nodeType: gate:hold }
  - id: office:lost
    description: Ends with an unknown outcome.
    mcp: { tasks: always }
    implementation: { type: node, nodeType: office:lost }
  - id: office:two
    description: Asks two questions at once.
    mcp: { tasks: always }
    implementation: { type: workflow, workflowId: workflows/two.json }
`;

const NODES = `
const slot = { dataFlowType: 'WILDCARD' };
const node = (name, run) => ({ type: 'office:' + name, description: 'd', inputs: {}, outputs: { value: slot },
  run: async (given, context) => ({ value: await run(given, context) }) });
module.exports = { nodes: [
  node('report', (_given, { progress }) => {
    for (const value of [0.25, 0.1, 0.75, 0.75, 2]) progress(value, 'at ' + value);
    return { done: true };
  }),
  node('picture', () => ({ content: [{ type: 'image', data: 'aGk=', mimeType: 'image/png' }] })),
  node('lost', async (_given, { callTool }) => {
    const error = await callTool('office:unknown', {}).catch((thrown) => thrown);
    throw new error.constructor('LostError', 'The process has died');
  }),
] };`;

const question = (id: string, prompt: string) => ({
  id,
  type: 'core:external',
  inputValues: { prompt },
  configValues: { schema: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] } },
});
const edge = (source: string, sourceHandle: string, target: string, targetHandle: string) => ({
  id: `${source}-${target}-${targetHandle}`,
  source,
  sourceHandle,
  target,
  targetHandle,
});
const TWO = {
  id: 'two',
  interfaceInputs: {},
  interfaceOutputs: { both: { dataFlowType: 'OBJECT' } },
  nodes: [
    question('one', 'One?'),
    question('other', 'Other?'),
    { id: 'both', type: 'core:object' },
    { id: 'out', type: 'core:GroupOutput' },
  ],
  edges: [
    edge('one', 'result', 'both', 'one'),
    edge('other', 'result', 'both', 'other'),
    edge('both', 'value', 'out', 'both'),
  ],
};

/** A library with a tool for each behaviour of the MCP server, and an agent that sees some of them. */
export const OFFICE: Files = {
  ...GATE,
  'plugins/office/plugin.yaml': PLUGIN,
  'plugins/office/nodes/index.js': NODES,
  'plugins/office/workflows/two.json': TWO,
  'agents/clerk.json': { id: 'clerk', tool_ids_inventory: ['core:echo', 'office:ask'] },
};
