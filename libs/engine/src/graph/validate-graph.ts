import { ToolError, type StoredWorkflow, type WorkflowLookups } from '@errand/contracts';
import { findRecursion } from './find-recursion.js';
import { type GraphNode, inDegree } from './graph.js';
import { misspeltFields } from './misspelt-fields.js';
import { readGraph, type ReadGraph } from './read-graph.js';

/** Returns the graph of a workflow with all problems that prevent a run: unresolved or misspelt names, and cycles. */
export function validateGraph(workflow: StoredWorkflow, lookups: WorkflowLookups): ReadGraph {
  const { nodes, problems, doubtful } = readGraph(workflow, lookups);
  const cycle = findCycle(nodes);
  if (cycle) {
    const ids = cycle.map((node) => node.stored.id);
    problems.push({ path: '/edges', message: `The nodes form a cycle: ${cyclePath(ids)}` });
  }
  const recursion = findRecursion(workflow, lookups);
  if (recursion)
    problems.push({ path: '/nodes', message: `The workflows contain each other: ${cyclePath(recursion)}` });
  const misspelt = misspeltFields(workflow);
  for (const { path } of misspelt) {
    const node = nodes[Number(/^\/nodes\/(\d+)/.exec(path)?.[1])];
    if (node) doubtful.add(node);
  }
  return { nodes, problems: [...problems, ...misspelt], doubtful };
}

function cyclePath(names: string[]): string {
  return [...names, names[0]].join(' → ');
}

interface CachedGraph {
  nodeTypes: WorkflowLookups['nodeTypes'];
  nodes: GraphNode[];
}

/** A graph holds no data of a run, so all runs of a workflow share one. */
const cachedGraphs = new WeakMap<StoredWorkflow, CachedGraph>();

/**
 * Returns the graph of a workflow that is about to run. The registry has checked the workflow, but this process may
 * have other node types.
 * @throws NodeError with the first problem
 */
export function requireValidGraph(workflow: StoredWorkflow, lookups: WorkflowLookups): readonly GraphNode[] {
  const known = cachedGraphs.get(workflow);
  if (known && isCurrent(known, lookups)) return known.nodes;
  const { nodes, problems } = validateGraph(workflow, lookups);
  const [first] = problems;
  if (first) throw new ToolError('NodeError', `The workflow cannot run here: ${first.message} (at ${first.path})`);
  cachedGraphs.set(workflow, { nodeTypes: lookups.nodeTypes, nodes });
  return nodes;
}

/** Whether every name still refers to the same definition. */
function isCurrent({ nodeTypes, nodes }: CachedGraph, lookups: WorkflowLookups): boolean {
  if (nodeTypes !== lookups.nodeTypes) return false;
  return nodes.every(({ workflow }) => !workflow || lookups.workflows.get(workflow.id) === workflow.stored);
}

/**
 * Returns the nodes of one cycle in order, or undefined. Kahn's algorithm removes each node without open inputs. Each
 * remaining node has a remaining predecessor, so walking backwards must close a cycle. Linear time.
 */
function findCycle(nodes: readonly GraphNode[]): GraphNode[] | undefined {
  const open = new Map(nodes.map((node) => [node, inDegree(node)]));
  const free = nodes.filter((node) => open.get(node) === 0);
  for (const node of free) {
    open.delete(node);
    for (const { target } of node.outgoing) {
      const left = open.get(target)! - 1;
      open.set(target, left);
      if (left === 0) free.push(target);
    }
  }
  const [first] = open.keys();
  return first && walkBack(first, open);
}

function walkBack(start: GraphNode, open: ReadonlyMap<GraphNode, number>): GraphNode[] {
  const walked = new Map<GraphNode, number>();
  let node = start;
  while (!walked.has(node)) {
    walked.set(node, walked.size);
    const links = [...node.incoming.values()].flat();
    node = links.find(({ source }) => open.has(source))!.source;
  }
  return [...walked.keys()].slice(walked.get(node)).toReversed();
}
