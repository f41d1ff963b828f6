import { isObject, own } from './json.js';
import type { StoredNode } from './workflow.js';

/** Where editors of several ages store which workflow a node group runs. */
const PLACES = ['configValues', undefined, 'data'] as const;
const FIELD = 'referencedWorkflowId';

/** A node that runs a workflow in its place; its type may leave out the namespace `core`. */
export function isGroup({ type }: Pick<StoredNode, 'type'>): boolean {
  return type === 'core:NodeGroup' || type === 'NodeGroup';
}

/** What a node group says which workflow it runs, and where, as a JSON Pointer into the node; undefined for other nodes. */
export function groupReference(node: StoredNode): { id: unknown; path: string } | undefined {
  if (!isGroup(node)) return undefined;
  for (const place of PLACES) {
    const holder = place === undefined ? node : node[place];
    const id = isObject(holder) ? own(holder, FIELD) : undefined;
    if (id !== undefined) return { id, path: place === undefined ? `/${FIELD}` : `/${place}/${FIELD}` };
  }
  return { id: undefined, path: `/${PLACES[0]}/${FIELD}` };
}
