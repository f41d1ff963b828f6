import type { JsonObject } from '@errand/contracts';
import {
  add,
  branch,
  edge,
  give,
  nodeType,
  options,
  statuses,
  TYPES,
  workflow,
  failure,
} from '../../test/workflow-kit.js';
import { runWorkflow } from './run-workflow.js';

describe('runWorkflow', () => {
  it('A run passes values from its inputs through the nodes to its outputs', async () => {
    const diamond = workflow(
      [
        { id: 'a', type: 'test:give' },
        { id: 'b', type: 'test:give' },
        { id: 'sum', type: 'test:add' },
      ],
      ['in.x > a.value', 'in.x > b.value', 'a.value > sum.parts', 'b.value > sum.parts', 'sum.value > out.total'],
      { inputs: ['x'], outputs: ['total'] },
    );
    await expect(runWorkflow(diamond, { x: 21 }, options(TYPES))).resolves.toEqual({ total: 42 });
  });

  it('A run emits the start and the end of each node', async () => {
    const run = options(TYPES);
    await runWorkflow(workflow([{ id: 'a', type: 'test:give', inputValues: { value: 1 } }], []), {}, run);
    const common = { nodeId: 'a', type: 'test:give', attempts: 1, inputs: { value: 1 }, startedAt: expect.any(String) };
    expect(run.events).toEqual([
      { event: 'node', state: { ...common, status: 'running', finishedAt: null } },
      {
        event: 'node',
        state: { ...common, status: 'succeeded', result: { value: 1 }, finishedAt: expect.any(String) },
      },
      { event: 'progress', value: 1 },
    ]);
  });

  it('A node gets its stored values, slot defaults and settings', async () => {
    const type = nodeType('test:three', [], (inputs, { config }) => ({ value: { ...inputs, ...config } }), {
      inputs: { a: { dataFlowType: 'STRING', config: { default: 'slot' } }, b: { dataFlowType: 'STRING' } },
      config: { c: { type: 'string', default: 'setting' }, d: { type: 'string', default: 'setting' } },
    });
    const node = { id: 'n', type: 'test:three', inputValues: { b: 7 }, configValues: { d: 'stored' } };
    const outputs = await runWorkflow(
      workflow([node], ['n.value > out.all'], { outputs: ['all'] }),
      {},
      options([type]),
    );
    expect(outputs.all).toEqual({ a: 'slot', b: '7', c: 'setting', d: 'stored' });
  });

  it.each([
    ['inputConnectionOrders', { inputConnectionOrders: { parts: ['e2', 'e1'] } }, ['parts', 'parts']],
    ['the numbers of the handles', {}, ['parts__1', 'parts__0']],
  ])('The values of a multi-input are ordered by %s', async (_by, more, [first, second]) => {
    const list = nodeType('test:list', [], ({ parts = [] }) => ({ value: parts }), {
      inputs: { parts: { dataFlowType: 'WILDCARD', multi: true } },
    });
    const stored = workflow(
      [
        { id: 'a', type: 'test:give', inputValues: { value: 'a' } },
        { id: 'b', type: 'test:give', inputValues: { value: 'b' } },
        { id: 'list', type: 'test:list', ...more },
      ],
      ['list.value > out.list'],
      { outputs: ['list'] },
    );
    stored.edges.push(edge('a.value', `list.${first}`, 'e1'), edge('b.value', `list.${second}`, 'e2'));
    await expect(runWorkflow(stored, {}, options([give, list]))).resolves.toEqual({ list: ['b', 'a'] });
  });

  it('A run skips the branch not taken and merges the existing values', async () => {
    const run = options(TYPES);
    const stored = workflow(
      [
        { id: 'choose', type: 'test:branch', inputValues: { take: 'yes', value: 3 } },
        { id: 'left', type: 'test:give' },
        { id: 'right', type: 'test:give' },
        { id: 'merged', type: 'test:add' },
      ],
      [
        'choose.yes > left.value',
        'choose.no > right.value',
        'left.value > merged.parts',
        'right.value > merged.parts',
        'merged.value > out.sum',
        'right.value > out.right',
      ],
      { outputs: ['sum', 'right'] },
    );
    await expect(runWorkflow(stored, {}, run)).resolves.toEqual({ sum: 3, right: null });
    expect(statuses(run.events)).toMatchObject({ left: 'succeeded', right: 'skipped' });
  });

  it('A failed input check reports all problems of the node', async () => {
    const typed = nodeType('test:typed', [], () => ({}), {
      inputs: { n: { dataFlowType: 'INTEGER', required: true }, t: { dataFlowType: 'ARRAY' } },
    });
    const stored = workflow([{ id: 'n', type: 'test:typed', inputValues: { t: 'x' } }], []);
    expect(await failure(runWorkflow(stored, {}, options([typed])))).toMatchObject({
      type: 'ParameterValidationError',
      message: "Node 'n' (test:typed) failed: input 'n' is missing; input 't' must be a list, got a string",
    });
  });

  it('A run checks the inputs of the workflow and fills in their defaults', async () => {
    const stored = workflow([], ['in.n > out.n'], { inputs: ['n'], outputs: ['n'] });
    stored.interfaceInputs = { n: { dataFlowType: 'INTEGER', config: { default: 4 } } };
    await expect(runWorkflow(stored, {}, options([]))).resolves.toEqual({ n: 4 });
    await expect(runWorkflow(stored, { n: 1.5 }, options([]))).rejects.toMatchObject({
      type: 'ParameterValidationError',
    });
    stored.interfaceInputs = { n: { dataFlowType: 'INTEGER', config: { default: null } } };
    await expect(runWorkflow(stored, {}, options([]))).resolves.toEqual({ n: null });
  });

  it('A node can call tools, log and report its progress', async () => {
    const asking = nodeType('test:ask', [], async (_inputs, context) => {
      context.log('asking');
      context.progress(2, 'done');
      return { value: [await context.callTool('x:y', { a: 1 }), await context.callTool('x:z', {})] };
    });
    const keys: string[] = [];
    const callTool = async (toolId: string, _args: JsonObject, { key }: { key: string }) => (keys.push(key), toolId);
    const run = options([asking], { callTool });
    const stored = workflow([{ id: 'n', type: 'test:ask' }], ['n.value > out.v'], { outputs: ['v'] });
    await expect(runWorkflow(stored, {}, run)).resolves.toEqual({ v: ['x:y', 'x:z'] });
    expect(keys).toEqual(['n:1', 'n:2']);
    expect(run.events).toContainEqual({ event: 'log', nodeId: 'n', line: 'asking' });
    expect(run.events).toContainEqual({ event: 'progress', nodeId: 'n', value: 1, message: 'done' });
  });

  it('A run handles a chain of 10,000 nodes', async () => {
    const nodes = Array.from({ length: 10_000 }, (_, n) => ({ id: `n${n}`, type: 'test:give' }));
    const edges = nodes.slice(1).map((_, n) => `n${n}.value > n${n + 1}.value`);
    const stored = workflow(nodes, ['in.x > n0.value', ...edges, 'n9999.value > out.x'], {
      inputs: ['x'],
      outputs: ['x'],
    });
    await expect(runWorkflow(stored, { x: 'far' }, options(TYPES))).resolves.toEqual({ x: 'far' });
  });

  it('An invalid workflow does not run', async () => {
    const stored = workflow([{ id: 'n', type: 'test:gone' }], []);
    await expect(runWorkflow(stored, {}, options([add, branch]))).rejects.toThrow(
      /cannot run here: There is no node type 'test:gone'/,
    );
  });
});
