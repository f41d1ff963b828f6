import type { StoredNode, StoredWorkflow } from '@errand/contracts';
import { edge, nodeType, TYPES, workflow } from '../../test/workflow-kit.js';
import { checkWorkflow } from './check-workflow.js';

const typed = nodeType('test:typed', [], () => ({}), {
  inputs: { text: { dataFlowType: 'STRING' }, count: { dataFlowType: 'INTEGER' }, ratio: { dataFlowType: 'FLOAT' } },
  outputs: {
    list: { dataFlowType: 'ARRAY' },
    ratio: { dataFlowType: 'FLOAT' },
    flag: { dataFlowType: 'BOOLEAN' },
    count: { dataFlowType: 'INTEGER' },
    code: { dataFlowType: 'STRING', matchCategories: ['Code'] },
  },
  config: { mode: { type: 'string' } },
});
const nodeTypes = new Map([...TYPES, typed].map((type) => [type.type, type]));
const check = (stored: StoredWorkflow, ...others: StoredWorkflow[]) =>
  checkWorkflow(stored, { nodeTypes, workflows: new Map(others.map((other) => [other.id!, other])) });

const giver = (id: string, more: Partial<StoredNode> = {}): StoredNode => ({ id, type: 'test:give', ...more });

const group = (id: string, referencedWorkflowId?: string): StoredNode => ({
  id,
  type: 'core:NodeGroup',
  configValues: referencedWorkflowId === undefined ? {} : { referencedWorkflowId },
});

/** With a misspelt field. */
const retry = { attempts: 2, backof: {} };

describe('checkWorkflow', () => {
  it('The check accepts a valid workflow with extra fields of an editor', () => {
    const stored = workflow(
      [giver('a', { position: { x: 1, y: 2 }, zIndex: 3, label: 'A' })],
      ['in.x > a.value', 'a.value > out.y'],
      { inputs: ['x'], outputs: ['y'] },
    );
    expect(check({ ...stored, viewport: { zoom: 1 }, referencedWorkflows: [] })).toEqual([]);
  });

  it('The check reports an unknown node type', () => {
    expect(check(workflow([{ id: 'a', type: 'test:giv' }], []))).toEqual([
      { path: '/nodes/0/type', message: "There is no node type 'test:giv'", suggestion: 'test:give' },
    ]);
  });

  it('The check reports two nodes with one id', () => {
    expect(check(workflow([giver('a'), giver('a')], []))).toEqual([
      { path: '/nodes/1/id', message: "Two nodes have the id 'a'" },
    ]);
  });

  it('The check reports two edges with one id', () => {
    const stored = workflow([giver('a'), { id: 's', type: 'test:add' }], []);
    stored.edges.push(edge('a.value', 's.parts', 'e'), edge('a.value', 's.parts', 'e'));
    expect(check(stored)).toEqual([{ path: '/edges/1/id', message: "Two edges have the id 'e'" }]);
  });

  it('The check reports edges with an unknown source or target', () => {
    expect(check(workflow([giver('first')], ['frist.value > first.value', 'first.value > gone.value']))).toEqual([
      { path: '/edges/0/source', message: "There is no node 'frist'", code: 'unknown_node', suggestion: 'first' },
      { path: '/edges/1/target', message: "There is no node 'gone'", code: 'unknown_node' },
    ]);
  });

  it('The check reports unknown slots at both ends of an edge and in the stored values', () => {
    const stored = workflow([giver('a', { inputValues: { valu: 1 } }), giver('b')], ['a.values > b.valu']);
    expect(check(stored)).toEqual([
      {
        path: '/nodes/0/inputValues/valu',
        message: "Unknown input 'valu' on node 'a' (test:give): it has 'value'",
        suggestion: 'value',
      },
      {
        path: '/edges/0/sourceHandle',
        message: "Unknown output 'values' on node 'a' (test:give): it has 'value'",
        suggestion: 'value',
      },
      {
        path: '/edges/0/targetHandle',
        message: "Unknown input 'valu' on node 'b' (test:give): it has 'value'",
        suggestion: 'value',
      },
    ]);
  });

  it('The check reports a misspelt setting', () => {
    const stored = workflow([{ id: 'a', type: 'test:typed', configValues: { moed: 1, mod: 2 } }], []);
    expect(check(stored)).toContainEqual({
      path: '/nodes/0/configValues/mod',
      message: "test:typed has no setting 'mod'",
      suggestion: 'mode',
    });
  });

  it('The check reports a second connection into a single input, but not into a multi-input', () => {
    const stored = workflow(
      [giver('a'), giver('b'), { id: 's', type: 'test:add' }],
      ['a.value > b.value', 'a.value > b.value', 'a.value > s.parts', 'b.value > s.parts'],
    );
    expect(check(stored)).toEqual([
      {
        path: '/edges/1/targetHandle',
        message: "Input 'value' of node 'b' (test:give) takes one connection and has two",
      },
    ]);
  });

  it.each([
    ['list', 'text', "'list' of node 'a' (test:typed) gives ARRAY, 'text' of node 'b' (test:typed) takes STRING"],
    ['list', 'count', "'list' of node 'a' (test:typed) gives ARRAY, 'count' of node 'b' (test:typed) takes INTEGER"],
  ])('The check reports that the output %s does not fit the input %s', (from, to, message) => {
    const stored = workflow(
      [
        { id: 'a', type: 'test:typed' },
        { id: 'b', type: 'test:typed' },
      ],
      [`a.${from} > b.${to}`],
    );
    expect(check(stored)).toEqual([{ path: '/edges/0', message }]);
  });

  it.each([
    ['count', 'text'],
    ['ratio', 'text'],
    ['flag', 'text'],
    ['count', 'ratio'],
    ['code', 'text'],
  ])('The check lets the output %s connect to the input %s', (from, to) => {
    const stored = workflow(
      [
        { id: 'a', type: 'test:typed' },
        { id: 'b', type: 'test:typed' },
      ],
      [`a.${from} > b.${to}`],
    );
    expect(check(stored)).toEqual([]);
  });

  it('The check reports a cycle and names its nodes in order', () => {
    const nodes = ['before', 'a', 'b', 'c', 'after'].map((id) => giver(id));
    const stored = workflow(nodes, ['a.value > b.value', 'b.value > c.value', 'c.value > after.value']);
    stored.edges.push(edge('c.value', 'a.value'));
    const [problem, ...others] = check(stored);
    expect(others).toEqual([]);
    expect(problem?.path).toBe('/edges');
    expect(problem?.message).toMatch(/: (a → b → c → a|b → c → a → b|c → a → b → c)$/);
  });

  it('The check reports a node that is connected to itself', () => {
    expect(check(workflow([giver('a')], ['a.value > a.value']))).toEqual([
      { path: '/edges', message: 'The nodes form a cycle: a → a' },
    ]);
  });

  it.each([
    ['a workflow', { node: [] }, '/node', 'nodes'],
    ['a node', { nodes: [giver('a', { inputValue: {} })] }, '/nodes/0/inputValue', 'inputValues'],
    ['a retry', { nodes: [giver('a', { retry })] }, '/nodes/0/retry/backof', 'backoff'],
    [
      'an edge',
      { edges: [{ ...edge('in.x', 'a.value'), sourceHandel: 'x' }] },
      '/edges/0/sourceHandel',
      'sourceHandle',
    ],
  ])('The check reports a misspelt field of %s', (_where, more, path, suggestion) => {
    const stored = { ...workflow([giver('a')], ['in.x > a.value'], { inputs: ['x'] }), ...more };
    if ('nodes' in more) stored.nodes = [...more.nodes, { id: 'in', type: 'core:GroupInput' }];
    expect(check(stored)).toEqual([{ path, message: `Unknown field '${path.split('/').pop()}'`, suggestion }]);
  });

  describe('The check of values', () => {
    const strict = nodeType('test:strict', [], () => ({}), {
      inputs: {
        name: { dataFlowType: 'STRING', required: true },
        size: { dataFlowType: 'INTEGER', min: 1, config: { max: 9 } },
        parts: { dataFlowType: 'FLOAT', multi: true, config: { min: 0 } },
        mode: { dataFlowType: 'STRING', required: true, config: { default: 'plain' } },
      },
      config: { depth: { type: 'integer', minimum: 0 }, cases: { type: 'array', items: { type: 'string' } } },
    });
    const types = new Map([...nodeTypes, [strict.type, strict]]);
    const problemsOf = (more: Partial<StoredNode>, edges: string[] = []) => {
      const stored = workflow(
        [giver('a'), { id: 'n', type: 'test:strict', inputValues: { name: 'x' }, ...more }],
        edges,
      );
      return checkWorkflow(stored, { nodeTypes: types, workflows: new Map() });
    };

    it('The check accepts valid values, connected inputs and missing optional inputs', () => {
      expect(problemsOf({})).toEqual([]);
      expect(problemsOf({ inputValues: { name: 5, size: 9, parts: [0, 1.5] }, configValues: { depth: 0 } })).toEqual(
        [],
      );
      expect(problemsOf({ inputValues: { name: 'x', size: null } })).toEqual([]);
      expect(problemsOf({ inputValues: { size: 1 } }, ['a.value > n.name'])).toEqual([]);
      expect(problemsOf({ inputValues: { name: 'x', size: 'ignored' } }, ['a.value > n.size'])).toEqual([]);
    });

    it.each<[string, Partial<StoredNode>, string, string]>([
      [
        'a missing input',
        { inputValues: {} },
        'inputValues/name',
        "Input 'name' of node 'n' (test:strict) is missing: connect it or give it a value",
      ],
      [
        'null for a required input',
        { inputValues: { name: null } },
        'inputValues/name',
        "Input 'name' of node 'n' (test:strict) must be a string, got null",
      ],
      [
        'a value of another type',
        { inputValues: { name: [] } },
        'inputValues/name',
        "Input 'name' of node 'n' (test:strict) must be a string, got a list",
      ],
      [
        'a number below its minimum',
        { inputValues: { name: 'x', size: 0 } },
        'inputValues/size',
        "Input 'size' of node 'n' (test:strict) must be from 1 to 9, got 0",
      ],
      [
        'a number above its maximum',
        { inputValues: { name: 'x', size: 10 } },
        'inputValues/size',
        "Input 'size' of node 'n' (test:strict) must be from 1 to 9, got 10",
      ],
      [
        'a wrong value of a multi-input',
        { inputValues: { name: 'x', parts: [1, -1] } },
        'inputValues/parts',
        "Input 'parts' of node 'n' (test:strict) at 1 must be 0 or more, got -1",
      ],
      [
        'a setting of another type',
        { configValues: { depth: 'deep' } },
        'configValues/depth',
        "Setting 'depth' of node 'n' (test:strict) must be integer",
      ],
      [
        'a wrong part of a setting',
        { configValues: { cases: ['a', {}] } },
        'configValues/cases/1',
        "Setting 'cases' of node 'n' (test:strict) must be string",
      ],
    ])('The check reports %s', (_what, more, path, message) => {
      expect(problemsOf(more)).toMatchObject([{ path: `/nodes/1/${path}`, message }]);
    });

    it('The check reports a value that a slot does not offer, with or without labels', () => {
      const choosing = nodeType('test:choosing', [], () => ({}), {
        inputs: {
          op: { dataFlowType: 'STRING', matchCategories: ['ComboOption'], config: { suggestions: ['add', 'divide'] } },
          level: {
            dataFlowType: 'INTEGER',
            matchCategories: ['ComboOption'],
            config: { suggestions: [{ value: 1, label: 'low' }, 2] },
          },
          free: { dataFlowType: 'STRING', config: { suggestions: ['a'] } },
        },
      });
      const problemsWith = (inputValues: StoredNode['inputValues']) =>
        checkWorkflow(workflow([{ id: 'n', type: 'test:choosing', inputValues }], []), {
          nodeTypes: new Map([[choosing.type, choosing]]),
          workflows: new Map(),
        });
      expect(problemsWith({ op: 'add', level: 1, free: 'b' })).toEqual([]);
      expect(problemsWith({ op: null })).toEqual([]);
      expect(problemsWith({ op: 'addd', level: 3 })).toEqual([
        {
          path: '/nodes/0/inputValues/op',
          message: "Input 'op' of node 'n' (test:choosing) must be one of add, divide, got addd",
          suggestion: 'add',
        },
        {
          path: '/nodes/0/inputValues/level',
          message: "Input 'level' of node 'n' (test:choosing) must be one of 1, 2, got 3",
        },
      ]);
    });

    it('The check reports defaults for unknown outputs and defaults of a wrong type', () => {
      const typedNode = { id: 't', type: 'test:typed', onError: 'default' as const };
      expect(check(workflow([{ ...typedNode, defaultOutputs: { list: [], code: null } }], []))).toEqual([]);
      expect(check(workflow([{ ...typedNode, defaultOutputs: { lists: [], ratio: 'x' } }], []))).toEqual([
        {
          path: '/nodes/0/defaultOutputs/lists',
          message: "Unknown output 'lists' on node 't' (test:typed): it has 'list', 'ratio', 'flag', 'count', 'code'",
          suggestion: 'list',
        },
        {
          path: '/nodes/0/defaultOutputs/ratio',
          message: "The default of output 'ratio' of node 't' (test:typed) must be a number, got a string",
        },
      ]);
    });

    it('The check reports all wrong values of a node together', () => {
      const paths = problemsOf({ inputValues: { size: 0 }, configValues: { depth: -1 } }).map(({ path }) => path);
      expect(paths).toEqual(['/nodes/1/inputValues/name', '/nodes/1/inputValues/size', '/nodes/1/configValues/depth']);
    });

    it.each([{ bypassed: true }, { muted: true }])('The check requires no inputs of a node with %j', (more) => {
      expect(problemsOf({ inputValues: {}, ...more })).toEqual([]);
    });

    it('The check does not report a misspelt input as missing', () => {
      expect(problemsOf({ inputValues: { nam: 'x' } }).map(({ path }) => path)).toEqual(['/nodes/1/inputValues/nam']);
    });

    it('The check reports an interface default that does not fit', () => {
      const stored = {
        ...workflow([], []),
        interfaceInputs: { n: { dataFlowType: 'INTEGER', max: 3, config: { default: 4 } } },
      };
      expect(check(stored)).toEqual([
        { path: '/interfaceInputs/n/config/default', message: "The default of input 'n' must be 3 or less, got 4" },
      ]);
    });

    it('The check reports connection orders with unknown edges, unknown inputs and duplicates', () => {
      const stored = workflow(
        [
          giver('a'),
          { id: 's', type: 'test:add', inputConnectionOrders: { parts: ['one', 'onne', 'one'], gone: ['one'] } },
        ],
        [],
      );
      stored.edges.push(edge('a.value', 's.parts', 'one'), edge('a.value', 's.parts', 'two'));
      expect(check(stored)).toMatchObject([
        {
          path: '/nodes/1/inputConnectionOrders/parts/1',
          message: "The order of input 'parts' of node 's' (test:add) names the edge 'onne', which does not lead there",
          suggestion: 'one',
        },
        {
          path: '/nodes/1/inputConnectionOrders/parts/2',
          message: "The order of input 'parts' of node 's' (test:add) names the edge 'one' twice",
        },
        {
          path: '/nodes/1/inputConnectionOrders/gone/0',
          message: "The order of input 'gone' of node 's' (test:add) names the edge 'one', which does not lead there",
        },
      ]);
    });

    it.each([
      ['gone__0', "Unknown input 'gone__0' on node 's' (test:add): it has 'parts'"],
      ['parts__', "Unknown input 'parts__' on node 's' (test:add): it has 'parts'"],
      ['parts__x', "Unknown input 'parts__x' on node 's' (test:add): it has 'parts'"],
    ])('The check reports the numbered input %s, which does not exist', (handle, message) => {
      const stored = workflow([giver('a'), { id: 's', type: 'test:add' }], [`a.value > s.${handle}`]);
      expect(check(stored).map((problem) => problem.message)).toEqual([message]);
    });
  });

  it('The check reports all problems of a workflow together', () => {
    const stored = workflow(
      [giver('a', { inputValues: { valu: 1 } }), { id: 'b', type: 'test:gone' }, giver('a')],
      ['a.value > gone.value', 'a.nothing > a.value'],
    );
    expect(check(stored).map(({ path }) => path)).toEqual([
      '/nodes/0/inputValues/valu',
      '/nodes/1/type',
      '/nodes/2/id',
      '/edges/0/target',
      '/edges/1/sourceHandle',
      '/edges',
    ]);
  });

  describe('The check of node groups', () => {
    const inner = workflow([giver('n')], ['in.x > n.value', 'n.value > out.y'], {
      id: 'inner',
      inputs: ['x'],
      outputs: ['y'],
    });

    it('The check reports a node group with an unknown or missing workflow', () => {
      expect(check(workflow([group('g', 'inne'), group('h')], []), inner)).toEqual([
        {
          path: '/nodes/0/configValues/referencedWorkflowId',
          message: "There is no workflow 'inne'",
          suggestion: 'inner',
        },
        { path: '/nodes/1/configValues/referencedWorkflowId', message: 'A node group must name its workflow' },
      ]);
    });

    it("The check reports an edge from an output that the group's workflow does not have", () => {
      expect(
        check(workflow([group('g', 'inner'), giver('a')], ['a.value > g.x', 'g.zoom > a.value']), inner)[0],
      ).toEqual({
        path: '/edges/1/sourceHandle',
        message: "Unknown output 'zoom' on node 'g' (core:NodeGroup): it has 'y'",
      });
    });

    it('The check reports workflows that contain each other', () => {
      const a = workflow([group('g', 'b')], [], { id: 'a' });
      const b = workflow([group('g', 'a')], [], { id: 'b' });
      expect(check(a, a, b)).toEqual([{ path: '/nodes', message: 'The workflows contain each other: a → b → a' }]);
    });
  });
});
