import { isObject, own } from './json.js';
import type { StoredNode } from './workflow.js';

/** Several versions of the editor store the workflow of a node group in different places. Undefined: in the node itself. */
const PLACES = ['configValues', undefined, 'data'] as const;
const FIELD = 'referencedWorkflowId';

/** Whether the node is a node group, which runs a workflow. Its type may omit the namespace `core`. */
export function isGroup({ type }: Pick<StoredNode, 'type'>): boolean {
  return type === 'core:NodeGroup' || type === 'NodeGroup';
}

/** The workflow id of a node group, unchecked, and its position as a JSON Pointer into the node. Undefined for other nodes. */
export function groupReference(node: StoredNode): { id: unknown; path: string } | undefined {
  if (!isGroup(node)) return undefined;
  for (const place of PLACES) {
    const holder = place === undefined ? node : node[place];
    const id = isObject(holder) ? own(holder, FIELD) : undefined;
    if (id !== undefined) return { id, path: place === undefined ? `/${FIELD}` : `/${place}/${FIELD}` };
  }
  return { id: undefined, path: `/${PLACES[0]}/${FIELD}` };
}
