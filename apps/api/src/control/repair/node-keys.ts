import {
  groupReference,
  own,
  type Definition,
  type NodeType,
  type StoredNode,
  type StoredSlot,
  type StoredWorkflow,
} from '@errand/contracts';
import { inputsOfNode, nodeKey } from '@errand/engine';

/** Workflows by id. */
export type Workflows = Readonly<Record<string, StoredWorkflow>>;

/** The workflow that implements a tool; undefined for other tools. */
export function workflowOf({ tool, workflows }: Definition): StoredWorkflow | undefined {
  return tool.implementation.type === 'workflow' ? own(workflows, tool.implementation.workflowId) : undefined;
}

/** The workflow of a node group; undefined for other nodes. */
export function groupOf(node: StoredNode, workflows: Workflows): StoredWorkflow | undefined {
  const id = groupReference(node)?.id;
  return typeof id === 'string' ? own(workflows, id) : undefined;
}

/** Every node of a tool's workflow by its key, also in groups, with its inputs if its type is known. */
export function nodeInputs(
  definition: Definition,
  nodeTypes: ReadonlyMap<string, NodeType>,
): Map<string, Record<string, StoredSlot> | undefined> {
  const { workflows = {} } = definition;
  const found = new Map<string, Record<string, StoredSlot> | undefined>();
  const walk = (workflow: StoredWorkflow, prefix: string): void => {
    for (const node of workflow.nodes) {
      if (/^(core:)?Group(In|Out)put$/.test(node.type)) continue;
      const key = nodeKey(prefix, node.id);
      const group = groupOf(node, workflows);
      const type = nodeTypes.get(node.type);
      found.set(key, group ? (group.interfaceInputs ?? {}) : type && inputsOfNode(type, node, workflow.edges));
      if (group) walk(group, `${key}/`);
    }
  };
  const workflow = workflowOf(definition);
  if (workflow) walk(workflow, '');
  return found;
}
