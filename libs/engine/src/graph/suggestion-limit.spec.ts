import type { NodeType, StoredWorkflow } from '@errand/contracts';
import { checkWorkflow } from './check-workflow.js';

const echo: NodeType = {
  type: 'test:echo',
  description: '',
  inputs: { value: { dataFlowType: 'STRING' } },
  outputs: { value: { dataFlowType: 'STRING' } },
  run: () => ({}),
};
const lookups = { nodeTypes: new Map([[echo.type, echo]]), workflows: new Map() };
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
  expect(problems.filter(({ suggestion }) => suggestion !== undefined)).toHaveLength(50);
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
