import type { NodeState, StoredNode, StoredWorkflow } from '@errand/contracts';
import { referencedWorkflow } from './graph.js';
import { nodeKey } from './node-key.js';

/** Where a failed run is taken up again. */
export interface Repair {
  workflow: StoredWorkflow;
  /** Those of node groups, by id. */
  workflows: ReadonlyMap<string, StoredWorkflow>;
  /** What the failed run has journaled, by key. */
  states: ReadonlyMap<string, NodeState>;
  /** Keys of the nodes that get other inputs. */
  replaced?: Iterable<string>;
}

/**
 * What of a failed run's journal holds for its repair: all that ended well, and failures that gave something instead (`onError`). A node
 * with other inputs runs again, with all that depends on it, the groups around it included.
 */
export function entriesForRepair({ workflow, workflows, states, replaced = [] }: Repair): Map<string, NodeState> {
  const kept = new Map([...states].filter(([, state]) => state.finishedAt !== null && state.result !== undefined));
  const drop = (key: string) => {
    for (const entry of kept.keys()) if (isWithin(entry, key)) kept.delete(entry);
  };
  const dropAlong = (graph: StoredWorkflow, prefix: string, path: readonly string[]): void => {
    const [segment = '', ...inside] = path;
    const node = graph.nodes.find(({ id }) => nodeKey('', id) === segment.replace(/[:#].*$/, ''));
    if (!node) return drop(prefix + segment);
    for (const id of descendantsOf(graph, node.id)) drop(nodeKey(prefix, id));
    const inner = inside.length === 0 ? undefined : innerOf(node, workflows);
    if (inner) kept.delete(nodeKey(prefix, node.id));
    if (inner) dropAlong(inner, `${prefix}${segment}/`, inside);
    else drop(nodeKey(prefix, node.id));
  };
  for (const key of replaced) dropAlong(workflow, '', key.split('/'));
  return kept;
}

/** Whether an entry is of this node or of one inside it. */
function isWithin(entry: string, key: string): boolean {
  return entry.startsWith(key) && (entry.length === key.length || '/:#'.includes(entry[key.length]!));
}

function innerOf(node: StoredNode, workflows: ReadonlyMap<string, StoredWorkflow>): StoredWorkflow | undefined {
  const id = referencedWorkflow(node);
  return typeof id === 'string' ? workflows.get(id) : undefined;
}

function descendantsOf({ edges }: StoredWorkflow, start: string): Set<string> {
  const targets = new Map<string, string[]>();
  for (const { source, target } of edges) targets.set(source, [...(targets.get(source) ?? []), target]);
  const found = new Set<string>([start]);
  for (const id of found) for (const target of targets.get(id) ?? []) found.add(target);
  found.delete(start);
  return found;
}
