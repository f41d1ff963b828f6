import type { Definition, NodeState, Step } from '@errand/contracts';
import { graphOfStep } from './step-graph.js';

const node = (id: string, more: object = {}) => ({ id, type: 'test:Do', ...more });
const edge = (source: string, target: string) => ({ source, sourceHandle: 'out', target, targetHandle: 'in' });
const INNER = { nodes: [node('one')], edges: [] };
const OUTER = {
  nodes: [
    { id: 'in', type: 'core:GroupInput' },
    node('first'),
    { id: 'group', type: 'core:NodeGroup', configValues: { referencedWorkflowId: 'inner' } },
    { id: 'out', type: 'core:GroupOutput' },
  ],
  edges: [edge('in', 'first'), edge('first', 'group'), edge('group', 'out')],
};

const definitionOf = (implementation: object): Definition =>
  ({
    tool: { toolId: 'test:tool', version: '1.2.3', implementation },
    workflows: { outer: OUTER, inner: INNER },
  }) as unknown as Definition;

const stepWith = (over: Partial<Step>): Step => ({
  index: 0,
  toolId: 'test:tool',
  version: '1.2.3',
  arguments: {},
  status: 'running',
  startedAt: '2026-01-01T00:00:00.000Z',
  finishedAt: null,
  attempts: 1,
  ...over,
});

const stateOf = (nodeId: string, status: NodeState['status'], attempts = 1): NodeState => ({
  nodeId,
  type: 'test:Do',
  status,
  attempts,
  startedAt: '2026-01-01T00:00:01.000Z',
  finishedAt: null,
});

const statuses = (definition: Definition, step: Step) =>
  Object.fromEntries((graphOfStep(definition, step, new Map())?.nodes ?? []).map(({ id, status }) => [id, status]));
const WORKFLOW = definitionOf({ type: 'workflow', workflowId: 'outer' });

describe('The graph of a step', () => {
  it('Nodes have the states of the run, and those that have not begun are queued', () => {
    const step = stepWith({ nodes: [stateOf('first', 'succeeded'), stateOf('group', 'running')] });
    expect(statuses(WORKFLOW, step)).toMatchObject({
      in: 'succeeded',
      first: 'succeeded',
      group: 'running',
      out: 'queued',
    });
  });

  it('After the end of the step, nodes that have not begun are skipped', () => {
    const step = stepWith({ status: 'failed', nodes: [stateOf('first', 'failed', 3)] });
    const graph = graphOfStep(WORKFLOW, step, new Map());
    expect(graph).toMatchObject({
      toolId: 'test:tool',
      version: '1.2.3',
      mermaid: expect.stringContaining('flowchart'),
    });
    expect(graph?.nodes.find(({ id }) => id === 'first')).toMatchObject({ status: 'failed', attempts: 3 });
    expect(statuses(WORKFLOW, step)).toMatchObject({ group: 'skipped', out: 'skipped' });
  });

  it('A node inside a group has the state of the last attempt of the group', () => {
    const nodes = [stateOf('group/one', 'failed'), stateOf('group#2/one', 'running')];
    expect(statuses(WORKFLOW, stepWith({ nodes }))['group/one']).toBe('running');
  });

  it('A single node has the status of its step, also if its type is not known any more', () => {
    const definition = definitionOf({ type: 'node', nodeType: 'gone:Node' });
    expect(statuses(definition, stepWith({ status: 'succeeded' }))).toEqual({ Node: 'succeeded' });
  });

  it('A script has no graph', () => {
    const definition = definitionOf({ type: 'script', language: 'python' });
    expect(graphOfStep(definition, stepWith({}), new Map())).toBeUndefined();
  });
});
