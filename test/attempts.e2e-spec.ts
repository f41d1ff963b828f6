import { randomUUID } from 'node:crypto';
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ToolError } from '@errand/contracts';
import { consume, type Consumer } from '@errand/queue';
import { useStack } from './support/start-stack.js';

/**
 * The total number of runs of a failing node, tool or script, by who sets `attempts`: the node, the tool or the caller.
 */

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
// A failure of a service may be retried.
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
/** A workflow with one node, which gets the file at an input and outputs its value. */
const flowOf = (id: string, node: object, [input, output]: [string, string] = ['file', 'value']) =>
  flow(
    id,
    [{ id: 'n', ...node }],
    [
      { source: 'in', sourceHandle: 'file', target: 'n', targetHandle: input },
      { source: 'n', sourceHandle: output, target: 'out', targetHandle: 'value' },
    ],
  );
/** A workflow with one node, which calls a tool with the file. */
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

/** The number of runs until the invocation failed. */
async function triesOf(toolId: string, options: object = {}): Promise<number> {
  const file = join(stack.folder, randomUUID());
  const ended = await client.invoke({ toolId, arguments: { file }, options: { backoff: FAST, ...options } });
  expect({ status: ended.status, type: ended.error?.type }).toEqual({ status: 'failed', type: 'ServiceError' });
  return readFileSync(file, 'utf8').length;
}

/** Consumes scripts like a runner whose Docker engine never responds. */
async function failScripts(): Promise<Consumer> {
  const queues = await stack.openQueues();
  const options = { concurrency: 1, lockMs: 10_000, stalledMs: 5_000, onError: () => {}, queues };
  return consume(stack.redis.url, 'scripts', options, async ({ record }) => {
    appendFileSync(record.calls[0]!.arguments['file'] as string, '.');
    throw new ToolError('ServiceError', 'away');
  });
}

describe('The number of attempts', () => {
  beforeAll(async () => stack.keep(await failScripts()).ready());

  it.each([
    ['A node with 3 attempts runs 3 times in all', 'workflow:three', {}, 3],
    ['A node with 3 attempts runs 3 times when the caller sets 5', 'workflow:three', { attempts: 5 }, 3],
    ['A node with 1 attempt is not retried', 'workflow:once', { attempts: 5 }, 1],
    ['A node with 3 attempts inside a node group runs 3 times', 'workflow:group-of-three', { attempts: 2 }, 3],
    [
      'A node with 3 attempts runs 3 times in all when its group has 2',
      'workflow:group-twice-of-three',
      { attempts: 2 },
      3,
    ],
    ['A node with 3 attempts runs 3 times in all two groups deep', 'workflow:group-in-group-twice', { attempts: 2 }, 3],
    ['A node without a number gets that of its group', 'workflow:group-twice', { attempts: 3 }, 2],
    ['A node with 3 attempts runs 3 times for the item of a loop', 'workflow:each-of-three', { attempts: 2 }, 3],
    ['A node with 3 attempts runs 3 times in all when its loop has 2', 'workflow:each-twice-of-three', {}, 3],
    ['A node without a number gets that of the loop around it', 'workflow:each-twice', { attempts: 3 }, 2],
    ['A tool with 2 attempts runs 2 times when a node calls it', 'workflow:tool-two', {}, 2],
    ['The number of the caller replaces that of a tool that a node calls', 'workflow:tool-two', { attempts: 4 }, 4],
    ['The number of a node replaces that of the tool that it calls', 'workflow:tool-two-thrice', {}, 3],
    ['A tool without a number gets that of the node that calls it', 'workflow:tool-plain-thrice', { attempts: 2 }, 3],
    ['The nodes of a workflow get the number of its tool', 'tries:flow-twice', {}, 2],
    ['The number of the caller replaces that of the tool of a workflow', 'tries:flow-twice', { attempts: 4 }, 4],
    ['The nodes of a workflow that a node calls get the number of its tool', 'workflow:tool-workflow-twice', {}, 2],
    ['A node without a number gets that of the caller', 'workflow:plain-file', { attempts: 4 }, 4],
    ['A node runs 3 times by default', 'workflow:plain-file', {}, 3],
    ['A script that a node calls runs 3 times by default', 'workflow:script', {}, 3],
    ['A script that a node calls gets the number of the caller', 'workflow:script', { attempts: 2 }, 2],
    ['A script gets the number of the node that calls it', 'workflow:script-thrice', {}, 3],
    [
      'A script gets the number of the node that calls it when the caller sets 2',
      'workflow:script-thrice',
      { attempts: 2 },
      3,
    ],
    ['A tool with 2 attempts runs 2 times', 'tries:two', {}, 2],
    ['The number of the caller replaces that of the tool', 'tries:two', { attempts: 4 }, 4],
  ])('%s', async (_what, toolId, options, total) => {
    expect(await triesOf(toolId, options)).toBe(total);
  });

  it('A failed node reports its number of attempts in the error and in the state', async () => {
    const file = join(stack.folder, randomUUID());
    const { error, steps } = await client.invoke({ toolId: 'workflow:three', arguments: { file } });
    expect(error).toMatchObject({ type: 'ServiceError', details: { nodeId: 'n', tried: 3 } });
    expect(steps[0]).toMatchObject({
      attempts: 1,
      nodes: expect.arrayContaining([expect.objectContaining({ nodeId: 'n', attempts: 3 })]),
    });
  });
});
