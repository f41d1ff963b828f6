import { groupReference, type NodeType, type StoredNode, type StoredWorkflow } from '@errand/contracts';

/** A workflow that another one runs, and the JSON Pointer of the reference. */
interface Reference {
  id: string;
  path: string;
}

/** The workflows that a workflow runs: those of its groups, and those in constant inputs of nodes. */
export function referencesOf(workflow: StoredWorkflow, nodeTypes: ReadonlyMap<string, NodeType>): Reference[] {
  return [...groupsOf(workflow), ...constantsOf(workflow, nodeTypes)];
}

function groupsOf({ nodes }: StoredWorkflow): Reference[] {
  return nodes.flatMap((node, index) => {
    const { id, path } = groupReference(node) ?? {};
    return typeof id === 'string' ? [{ id, path: `/nodes/${index}${path}` }] : [];
  });
}

/** The constant values of unconnected inputs that name workflows (`workflowInput` of a node type). */
export function constantsOf(workflow: StoredWorkflow, nodeTypes: ReadonlyMap<string, NodeType>): Reference[] {
  return workflow.nodes.flatMap((node, index) => {
    const slot = nodeTypes.get(node.type)?.workflowInput;
    if (slot === undefined || isConnected(workflow, node, slot)) return [];
    const id = node.inputValues?.[slot];
    return typeof id === 'string' ? [{ id, path: `/nodes/${index}/inputValues/${slot}` }] : [];
  });
}

function isConnected({ edges }: StoredWorkflow, { id }: StoredNode, slot: string): boolean {
  return edges.some(({ target, targetHandle }) => target === id && targetHandle === slot);
}
