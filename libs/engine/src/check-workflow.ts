import {
  didYouMean,
  type Problem,
  type StoredWorkflow,
  type WorkflowCheck,
  type WorkflowLookups,
} from '@errand/contracts';
import { findCycle } from './find-cycle.js';
import { kindOf, referencedWorkflow } from './graph.js';
import { readGraph } from './read-graph.js';

/** The fields that mean something to Errand. Others are the editor's and ignored, unless they look like one of these misspelt. */
const FIELDS = {
  workflow: ['id', 'name', 'description', 'nodes', 'edges', 'interfaceInputs', 'interfaceOutputs'],
  node: [
    'id',
    'type',
    'inputValues',
    'configValues',
    'inputConnectionOrders',
    'bypassed',
    'muted',
    'timeoutMs',
    'retry',
    'onError',
    'defaultOutputs',
    'referencedWorkflowId',
  ],
  edge: ['id', 'source', 'sourceHandle', 'target', 'targetHandle'],
  retry: ['attempts', 'backoff'],
  backoff: ['type', 'delayMs'],
};

/** What editors store beside them. */
const EDITOR_FIELDS = new Set(
  `viewport version tags createdAt updatedAt referencedWorkflows previewTarget displayName customDescription
   customSlotDescriptions position size width height label data title notes zIndex color style selected hidden
   sourceType targetType animated markerEnd`.split(/\s+/),
);

/**
 * All that is wrong with a workflow, as JSON Pointers into it: unknown node types, slots, settings and workflows, dangling edges,
 * types that do not fit, a second connection into a single input, duplicate ids, misspelt fields, cycles (of nodes, and of
 * workflows that contain each other). An empty list: it can run.
 */
export const checkWorkflow: WorkflowCheck = (workflow, lookups) => {
  const { nodes, problems } = readGraph(workflow, lookups);
  const cycle = findCycle(nodes);
  if (cycle)
    problems.push({
      path: '/edges',
      message: `The nodes form a circle: ${circle(cycle.map((node) => node.stored.id))}`,
    });
  const recursion = findRecursion(workflow, lookups);
  if (recursion) problems.push({ path: '/nodes', message: `The workflows contain each other: ${circle(recursion)}` });
  return [...problems, ...misspeltFields(workflow)];
};

function circle(names: string[]): string {
  return [...names, names[0]].join(' → ');
}

function misspeltFields(workflow: StoredWorkflow): Problem[] {
  return [
    ...misspeltIn(workflow, FIELDS.workflow, ''),
    ...workflow.nodes.flatMap((node, index) => [
      ...misspeltIn(node, FIELDS.node, `/nodes/${index}`),
      ...misspeltIn(node.retry ?? {}, FIELDS.retry, `/nodes/${index}/retry`),
      ...misspeltIn(node.retry?.backoff ?? {}, FIELDS.backoff, `/nodes/${index}/retry/backoff`),
    ]),
    ...workflow.edges.flatMap((edge, index) => misspeltIn(edge, FIELDS.edge, `/edges/${index}`)),
  ];
}

function misspeltIn(value: object, known: string[], path: string): Problem[] {
  return Object.keys(value).flatMap((field) => {
    if (known.includes(field) || EDITOR_FIELDS.has(field)) return [];
    const suggestion = didYouMean(field, known);
    return suggestion ? [{ path: `${path}/${field}`, message: `Unknown field '${field}'`, suggestion }] : [];
  });
}

/** The ids along which a workflow comes to contain itself, or undefined. The workflow's own id need not be among the lookups. */
function findRecursion(workflow: StoredWorkflow, { workflows }: WorkflowLookups): string[] | undefined {
  const done = new Set<string>();
  const visit = (current: StoredWorkflow, chain: string[]): string[] | undefined => {
    for (const id of referencesOf(current)) {
      const at = chain.indexOf(id);
      if (at >= 0) return chain.slice(at);
      const next = workflows.get(id);
      if (!next || done.has(id)) continue;
      const found = visit(next, [...chain, id]);
      if (found) return found;
      done.add(id);
    }
    return undefined;
  };
  return visit(workflow, workflow.id === undefined ? [] : [workflow.id]);
}

function referencesOf(workflow: StoredWorkflow): string[] {
  return workflow.nodes
    .filter((node) => kindOf(node.type) === 'group')
    .map(referencedWorkflow)
    .filter((id) => typeof id === 'string');
}
