import {
  groupReference,
  type DrawnEdge,
  type DrawnNode,
  type Drawing,
  type StoredNode,
  type StoredWorkflow,
  type WorkflowLookups,
} from '@errand/contracts';
import { kindOf, nodeKey } from '../graph/graph.js';

/** Limit for nested groups, whose nodes multiply. */
const MAX_NODES = 2_000;

/** One workflow at one position in the nesting. */
interface Level {
  current: StoredWorkflow;
  prefix: string;
  group?: string;
}

/**
 * Returns the nodes and connections of a valid workflow, level by level: first its own, then those of its node groups.
 * A group that would exceed 2,000 nodes in total stays closed.
 */
export function drawGraph(workflow: StoredWorkflow, lookups: WorkflowLookups): Drawing {
  const nodes: DrawnNode[] = [];
  const edges: DrawnEdge[] = [];
  const levels: Level[] = [{ current: workflow, prefix: '' }];
  let size = workflow.nodes.length;
  for (const { current, prefix, group } of levels) {
    for (const stored of current.nodes) {
      const node: DrawnNode = { ...drawNode(stored, prefix, lookups), ...(group !== undefined && { group }) };
      nodes.push(node);
      const inner = node.workflowId === undefined ? undefined : lookups.workflows.get(node.workflowId);
      if (!inner) continue;
      const closed = size + inner.nodes.length > MAX_NODES;
      if (closed) node.closed = closed;
      else levels.push({ current: inner, prefix: `${node.id}/`, group: node.id });
      size += closed ? 0 : inner.nodes.length;
    }
    for (const { source, sourceHandle, target, targetHandle } of current.edges)
      edges.push({ source: nodeKey(prefix, source), sourceHandle, target: nodeKey(prefix, target), targetHandle });
  }
  return { nodes, edges };
}

function drawNode(stored: StoredNode, prefix: string, { nodeTypes }: WorkflowLookups): DrawnNode {
  const { id, type, displayName = nodeTypes.get(type)?.displayName, bypassed, muted } = stored;
  const kind = kindOf(type);
  const workflowId = groupReference(stored)?.id;
  return {
    id: nodeKey(prefix, id),
    type,
    kind,
    ...(typeof displayName === 'string' && { displayName }),
    ...(typeof workflowId === 'string' && { workflowId }),
    ...(bypassed && { bypassed }),
    ...(muted && { muted }),
  };
}
