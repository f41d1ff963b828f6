import type { NodeType, StoredWorkflow, WorkflowProblem } from '@errand/contracts';
import { checkWorkflow } from './check-workflow.js';

const echo: NodeType = {
  type: 'test:echo',
  description: '',
  inputs: { value: { dataFlowType: 'STRING' } },
  outputs: { value: { dataFlowType: 'STRING' } },
  run: () => ({}),
};
const joined: NodeType = { ...echo, type: 'test:join', inputs: { value: { dataFlowType: 'STRING', multi: true } } };
const required: NodeType = {
  ...echo,
  type: 'test:need',
  inputs: { value: { dataFlowType: 'STRING', required: true } },
};
const lookups = {
  nodeTypes: new Map([echo, joined, required].map((type) => [type.type, type])),
  workflows: new Map(),
};
const suggested = (problems: readonly WorkflowProblem[]) =>
  problems.filter(({ suggestion }) => suggestion !== undefined);
const many = <T>(length: number, make: (index: number) => T): T[] => Array.from({ length }, (_, index) => make(index));

/** Suggestions are limited because a guess for each of these edges blocks the process for minutes. */
test('The check reports 20,000 misspelt edge ends and gives suggestions for the first 50', () => {
  const workflow: StoredWorkflow = {
    id: 'w',
    nodes: many(8_000, (index) => ({ id: `node${index}`, type: echo.type, inputValues: { value: 'x' } })),
    edges: many(20_000, (index) => ({
      source: `nod${index}`,
      target: 'node1',
      sourceHandle: 'value',
      targetHandle: 'value',
    })),
  };
  const problems = checkWorkflow(workflow, lookups);
  expect(problems).toHaveLength(20_000);
  expect(problems[0]).toMatchObject({ path: '/edges/0/source', suggestion: 'node0' });
  expect(suggested(problems)).toHaveLength(50);
});

/** A node that a misspelt edge means gets no problem of its missing input. That shows which nodes were searched for. */
test('The check searches for the meant node of the first 50 misspelt edges, and not of the others', () => {
  const workflow: StoredWorkflow = {
    id: 'w',
    nodes: many(300, (index) => ({ id: `node${index + 100}`, type: required.type })),
    edges: many(300, (index) => ({
      source: 'node100',
      target: `nod${index + 100}`,
      sourceHandle: 'value',
      targetHandle: 'value',
    })),
  };
  const problems = checkWorkflow(workflow, lookups);
  expect(problems.filter(({ code }) => code === 'unknown_node')).toHaveLength(300);
  expect(problems.filter(({ code }) => code === 'missing_input')).toHaveLength(250);
});

test('The check gives suggestions for the first 50 unknown node types and workflows', () => {
  const groups = many(200, (index) => ({
    id: `group${index}`,
    type: 'core:NodeGroup',
    configValues: { referencedWorkflowId: `other${index}` },
  }));
  const nodes = many(200, (index) => ({ id: `node${index}`, type: `test:ech${index}` }));
  const known = { ...lookups, workflows: new Map([['other', { id: 'other', nodes: [], edges: [] }]]) };
  const problems = checkWorkflow({ id: 'w', nodes: [...groups, ...nodes], edges: [] }, known);
  expect(problems).toHaveLength(400);
  expect(suggested(problems)).toHaveLength(50);
});

test('The check reports 1,000 of 20,000 unknown edges in an order, and gives suggestions for the first 50', () => {
  const workflow: StoredWorkflow = {
    id: 'w',
    nodes: [
      { id: 'from', type: echo.type, inputValues: { value: 'x' } },
      { id: 'to', type: joined.type, inputConnectionOrders: { value: many(20_000, (index) => `edg${index}`) } },
    ],
    edges: many(100, (index) => ({
      id: `edge${index}`,
      source: 'from',
      target: 'to',
      sourceHandle: 'value',
      targetHandle: 'value',
    })),
  };
  const problems = checkWorkflow(workflow, lookups);
  expect(problems).toHaveLength(1_000);
  expect(suggested(problems)).toHaveLength(50);
});

test('A workflow with 1,000 groups of itself has the problem that it contains itself, and no problem for each slot', () => {
  const slots = Object.fromEntries(many(1_000, (index) => [`in${index}`, { dataFlowType: 'STRING', required: true }]));
  const group = { type: 'core:NodeGroup', configValues: { referencedWorkflowId: 'w' } };
  const workflow: StoredWorkflow = {
    id: 'w',
    nodes: many(1_000, (index) => ({ id: `group${index}`, ...group })),
    edges: [],
    interfaceInputs: slots,
  };
  const problems = checkWorkflow(workflow, { ...lookups, workflows: new Map([['w', workflow]]) });
  expect(problems).toEqual([{ path: '/nodes', message: 'The workflows contain each other: w → w' }]);
});

test('A misspelt field or setting that every node repeats is reported at each node', () => {
  const settled: NodeType = { ...echo, type: 'test:set', config: { mode: { type: 'string' } } };
  const workflow: StoredWorkflow = {
    id: 'w',
    nodes: many(2_000, (index) => {
      const node = { id: `node${index}`, type: settled.type, inputValues: { value: 'x' }, configValues: { mod: 1 } };
      return { ...node, muteed: true };
    }),
    edges: [],
  };
  const problems = checkWorkflow(workflow, { ...lookups, nodeTypes: new Map([[settled.type, settled]]) });
  expect(problems).toHaveLength(4_000);
  expect(suggested(problems)).toHaveLength(4_000);
});

test('The check compares the first 1,000 different unknown fields with the known ones, and not the others', () => {
  const others = Object.fromEntries(many(1_000, (index) => [`other${index}`, 1]));
  const check = (workflow: object) => checkWorkflow({ id: 'w', nodes: [], edges: [], ...workflow }, lookups);
  expect(check({ nodez: 1, ...others })).toMatchObject([{ path: '/nodez', suggestion: 'nodes' }]);
  expect(check({ ...others, nodez: 1 })).toEqual([]);
});

test('A message about a missing slot lists at most 50 names', () => {
  const inputs = Object.fromEntries(many(500, (index) => [`slot${index}`, { dataFlowType: 'STRING' }]));
  const wide: NodeType = { ...echo, type: 'test:wide', inputs };
  const workflow: StoredWorkflow = {
    id: 'w',
    nodes: [{ id: 'a', type: wide.type, inputValues: { other: 'x' } }],
    edges: [],
  };
  const [problem] = checkWorkflow(workflow, { ...lookups, nodeTypes: new Map([[wide.type, wide]]) });
  expect(problem?.message).toMatch(/^Unknown input 'other' on .*: it has 'slot0', .*'slot49', … \(500 in all\)$/);
});
