import { randomUUID } from 'node:crypto';
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ToolError } from '@errand/contracts';
import { consume, type Consumer } from '@errand/queue';
import { useStack } from './support/start-stack.js';

/** How often something runs that always fails, where its author, the tool or the caller has written how often. */

const PLUGIN = `
name: tries
displayName: Tries
version: 1.0.0
description: Fails, and counts.
nodes: { entry: nodes/index.js }
tools:
  - { id: 'tries:plain', displayName: P, description: Fails., parameters: { type: object, properties: { file: { type: string } } }, implementation: { type: service, serviceName: tries, methodName: fail } }
  - { id: 'tries:two', displayName: T, description: Fails., parameters: { type: object, properties: { file: { type: string } } }, retry: { attempts: 2, backoff: { type: fixed, delayMs: 1 } }, implementation: { type: service, serviceName: tries, methodName: fail } }
  - { id: 'tries:flow-twice', displayName: F, description: Fails., parameters: { type: object, properties: { file: { type: string } } }, retry: { attempts: 2, backoff: { type: fixed, delayMs: 1 } }, implementation: { type: workflow, workflowId: plain-file } }
`;
const CODE = `
const { appendFileSync } = require('node:fs');
const fail = async ({ file }) => { appendFileSync(file, '.'); throw new Error('away'); };
const slot = { dataFlowType: 'WILDCARD' };
// A failure that a retry may mend: that of a service.
const node = { type: 'tries:fail', description: 'Fails.', inputs: { file: slot }, outputs: { value: slot },
  run: async ({ file }, context) => ({ value: await context.callTool('tries:plain', { file }) }) };
const args = { type: 'tries:args', description: 'An object of it.', inputs: { file: slot }, outputs: { value: { dataFlowType: 'OBJECT' } },
  run: async ({ file }) => ({ value: { file } }) };
module.exports = { nodes: [node, args], services: [{ name: 'tries', methods: { fail } }] };`;

const FAST = { type: 'fixed', delayMs: 1 };
const three = { attempts: 3, backoff: FAST };
const slots = { file: { dataFlowType: 'STRING' } };
const flow = (id: string, nodes: object[], edges: object[]) => ({
  id,
  interfaceInputs: slots,
  interfaceOutputs: { value: { dataFlowType: 'WILDCARD' } },
  nodes: [{ id: 'in', type: 'core:GroupInput' }, ...nodes, { id: 'out', type: 'core:GroupOutput' }],
  edges,
});
/** A workflow of one node that takes the file at an input and gives its value. */
const flowOf = (id: string, node: object, [input, output]: [string, string] = ['file', 'value']) =>
  flow(
    id,
    [{ id: 'n', ...node }],
    [
      { source: 'in', sourceHandle: 'file', target: 'n', targetHandle: input },
      { source: 'n', sourceHandle: output, target: 'out', targetHandle: 'value' },
    ],
  );
/** A workflow whose one node calls a tool with the file. */
const flowOfTool = (id: string, toolId: string, more: object = {}) =>
  flow(
    id,
    [
      { id: 'args', type: 'tries:args' },
      { id: 'n', type: 'core:tool', configValues: { toolId }, ...more },
    ],
    [
      { source: 'in', sourceHandle: 'file', target: 'args', targetHandle: 'file' },
      { source: 'args', sourceHandle: 'value', target: 'n', targetHandle: 'arguments' },
      { source: 'n', sourceHandle: 'result', target: 'out', targetHandle: 'value' },
    ],
  );
const group = (referencedWorkflowId: string, more: object = {}) => ({
  type: 'core:NodeGroup',
  configValues: { referencedWorkflowId },
  ...more,
});
const each = (id: string, workflowId: string, more: object = {}) =>
  flow(
    id,
    [
      { id: 'list', type: 'core:join', inputValues: { separator: '' } },
      { id: 'split', type: 'core:split', inputValues: { separator: '|' } },
      { id: 'n', type: 'core:forEach', inputValues: { workflowId }, ...more },
    ],
    [
      { source: 'in', sourceHandle: 'file', target: 'list', targetHandle: 'parts' },
      { source: 'list', sourceHandle: 'text', target: 'split', targetHandle: 'text' },
      { source: 'split', sourceHandle: 'parts', target: 'n', targetHandle: 'items' },
      { source: 'n', sourceHandle: 'results', target: 'out', targetHandle: 'value' },
    ],
  );
const asItem = (id: string, node: object) => ({
  ...flow(
    id,
    [{ id: 'n', ...node }],
    [
      { source: 'in', sourceHandle: 'item', target: 'n', targetHandle: 'file' },
      { source: 'n', sourceHandle: 'value', target: 'out', targetHandle: 'value' },
    ],
  ),
  interfaceInputs: { item: { dataFlowType: 'STRING' } },
});

const FAILS = { type: 'tries:fail' };
const WORKFLOWS = [
  flowOf('plain-file', FAILS),
  flowOf('three', { ...FAILS, retry: three }),
  flowOf('once', { ...FAILS, retry: { attempts: 1 } }),
  flowOf('group-of-three', group('three')),
  flowOf('group-twice-of-three', group('three', { retry: { attempts: 2, backoff: FAST } })),
  flowOf('group-twice', group('plain-file', { retry: { attempts: 2, backoff: FAST } })),
  flowOf('group-in-group-twice', group('group-of-three', { retry: { attempts: 2, backoff: FAST } })),
  flowOfTool('tool-two', 'tries:two'),
  flowOfTool('tool-two-thrice', 'tries:two', { retry: three }),
  flowOfTool('tool-plain-thrice', 'tries:plain', { retry: three }),
  flowOfTool('tool-workflow-twice', 'tries:flow-twice'),
  asItem('item', FAILS),
  asItem('item-thrice', { ...FAILS, retry: three }),
  each('each-twice', 'item', { retry: { attempts: 2, backoff: FAST } }),
  each('each-of-three', 'item-thrice'),
  each('each-twice-of-three', 'item-thrice', { retry: { attempts: 2, backoff: FAST } }),
  flowOfTool('script', 'tries:script'),
  flowOfTool('script-thrice', 'tries:script', { retry: three }),
];

const SCRIPT = {
  toolId: 'tries:script',
  description: 'Fails.',
  version: '1.0.0',
  handler: { type: 'external-script', language: 'python', scriptPath: 'fail.py' },
  parameters: { type: 'object', properties: { file: { type: 'string' } } },
};

const stack = useStack({
  with: ['worker'],
  library: {
    'plugins/tries/plugin.yaml': PLUGIN,
    'plugins/tries/nodes/index.js': CODE,
    'scripts/fail.py': '',
    'tools/script.tool.json': SCRIPT,
    ...Object.fromEntries(WORKFLOWS.map((workflow) => [`workflows/${workflow.id}.json`, workflow])),
  },
});
const { client } = stack;

/** How often it began until the invocation failed. */
async function triesOf(toolId: string, options: object = {}): Promise<number> {
  const file = join(stack.folder, randomUUID());
  const ended = await client.invoke({ toolId, arguments: { file }, options: { backoff: FAST, ...options } });
  expect({ status: ended.status, type: ended.error?.type }).toEqual({ status: 'failed', type: 'ServiceError' });
  return readFileSync(file, 'utf8').length;
}

/** Takes scripts as a runner does whose engine never answers. */
function failScripts(): Consumer {
  const options = { concurrency: 1, lockMs: 10_000, stalledMs: 5_000, onError: () => {} };
  return consume(stack.redis.url, 'scripts', options, async ({ record }) => {
    appendFileSync(record.calls[0]!.arguments['file'] as string, '.');
    throw new ToolError('ServiceError', 'away');
  });
}

describe('a number of attempts', () => {
  beforeAll(() => stack.keep(failScripts()).ready());

  it.each([
    ['of a node is the total, whatever the invocation would do', 'workflow:three', {}, 3],
    ['of a node is the total, whatever the caller asks for', 'workflow:three', { attempts: 5 }, 3],
    ['of one for a node means that it is never tried again', 'workflow:once', { attempts: 5 }, 1],
    ['of a node holds inside a node group', 'workflow:group-of-three', { attempts: 2 }, 3],
    ['of a node is the total although its group is retried', 'workflow:group-twice-of-three', { attempts: 2 }, 3],
    ['of a node is the total two groups deep', 'workflow:group-in-group-twice', { attempts: 2 }, 3],
    ['of a group is the total for a node without one', 'workflow:group-twice', { attempts: 3 }, 2],
    ['of a node is the total for each item of a loop', 'workflow:each-of-three', { attempts: 2 }, 3],
    ['of a node is the total although the loop around it is retried', 'workflow:each-twice-of-three', {}, 3],
    ['of a loop is the total for the nodes in it', 'workflow:each-twice', { attempts: 3 }, 2],
    ['of a tool is the total where a node calls it', 'workflow:tool-two', {}, 2],
    ['of the caller takes the place of that of a tool that a node calls', 'workflow:tool-two', { attempts: 4 }, 4],
    ['of a node takes the place of that of the tool it calls', 'workflow:tool-two-thrice', {}, 3],
    ['of a node is the total for a tool without one', 'workflow:tool-plain-thrice', { attempts: 2 }, 3],
    ['of a workflow as a tool is the total for the nodes in it', 'tries:flow-twice', {}, 2],
    ['of the caller takes the place of that of a workflow', 'tries:flow-twice', { attempts: 4 }, 4],
    ['of a workflow that a node calls is the total for the nodes in it', 'workflow:tool-workflow-twice', {}, 2],
    ['of the caller is the total for a node without one', 'workflow:plain-file', { attempts: 4 }, 4],
    ['that nobody has written is three', 'workflow:plain-file', {}, 3],
    ['that nobody has written is three for a script that a node calls', 'workflow:script', {}, 3],
    ['of the caller is the total for a script that a node calls', 'workflow:script', { attempts: 2 }, 2],
    ['of a node is the total for the script that it calls', 'workflow:script-thrice', {}, 3],
    [
      'of a node is the total for its script, whatever the caller asks for',
      'workflow:script-thrice',
      { attempts: 2 },
      3,
    ],
    ['of a tool is the total', 'tries:two', {}, 2],
    ['of the caller takes the place of that of the tool', 'tries:two', { attempts: 4 }, 4],
  ])('%s', async (_what, toolId, options, total) => {
    expect(await triesOf(toolId, options)).toBe(total);
  });

  it('of a node is told where it has failed', async () => {
    const file = join(stack.folder, randomUUID());
    const { error, steps } = await client.invoke({ toolId: 'workflow:three', arguments: { file } });
    expect(error).toMatchObject({ type: 'ServiceError', details: { nodeId: 'n', tried: 3 } });
    expect(steps[0]).toMatchObject({
      attempts: 1,
      nodes: expect.arrayContaining([expect.objectContaining({ nodeId: 'n', attempts: 3 })]),
    });
  });
});
