import { isObject, own } from './json.js';
import type { StoredNode } from './workflow.js';

/** Several versions of the editor store the workflow of a node group at different locations. Undefined: in the node itself. */
const LOCATIONS = ['configValues', undefined, 'data'] as const;
const FIELD = 'referencedWorkflowId';

/** Whether the node is a node group, which runs a workflow. Its type may omit the namespace `core`. */
export function isGroup({ type }: Pick<StoredNode, 'type'>): boolean {
  return type === 'core:NodeGroup' || type === 'NodeGroup';
}

/** The workflow id of a node group, unchecked, and its position as a JSON Pointer into the node. Undefined for other nodes. */
export function groupReference(node: StoredNode): { id: unknown; path: string } | undefined {
  if (!isGroup(node)) return undefined;
  for (const location of LOCATIONS) {
    const holder = location === undefined ? node : node[location];
    const id = isObject(holder) ? own(holder, FIELD) : undefined;
    if (id !== undefined) return { id, path: location === undefined ? `/${FIELD}` : `/${location}/${FIELD}` };
  }
  return { id: undefined, path: `/${LOCATIONS[0]}/${FIELD}` };
}
