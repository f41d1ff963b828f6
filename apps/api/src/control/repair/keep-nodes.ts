import { isFinal, type NodeState, type StoredWorkflow } from '@errand/contracts';
import { nodeKey } from '@errand/engine';
import { groupOf, type Workflows } from './node-keys.js';

type States = ReadonlyMap<string, NodeState>;

/**
 * Selects the journaled nodes whose outcome a repair keeps. A node runs again if it failed, if its inputs change, or if it depends on such
 * a node. A failure that was handled (by a `core:try`) on every path stays as it is.
 * @param journaled the states by the key of the node in the run
 * @param replaced the keys of nodes that get other inputs
 * @returns the keys that the repair keeps; and a test whether the inputs of a key change, so that its answer is no longer valid
 */
export function keepFinishedNodes(
  journaled: States,
  workflow: StoredWorkflow,
  workflows: Workflows,
  replaced: ReadonlySet<string>,
): { kept: Set<string>; isInvalidated: (key: string) => boolean } {
  const handled = new Set<string>();
  /** Nodes that run again and keep the finished nodes inside them. */
  const rerun = new Set<string>();
  /** Nodes that run again with other inputs. They and all nodes inside them start anew. */
  const invalidated = new Set(replaced);

  /** Returns whether any node of the workflow runs again. */
  const visit = (graph: StoredWorkflow, prefix: string): boolean => {
    const next = successors(graph, prefix);
    const exposed = reachEnd(graph, prefix, next, journaled);
    const rerunKeys = graph.nodes
      .map((node) => ({ key: nodeKey(prefix, node.id), group: groupOf(node, workflows) }))
      .filter(({ key, group }) => {
        const rerunInside = group !== undefined && visit(group, `${key}/`);
        if (replaced.has(key)) return true;
        const failed = isFailure(journaled.get(key));
        if (failed && !exposed.has(key)) {
          handled.add(key);
          return false;
        }
        if (failed || rerunInside) rerun.add(key);
        return failed || rerunInside;
      })
      .map(({ key }) => key);
    for (const key of descendants(rerunKeys, next)) invalidated.add(key);
    return rerunKeys.length > 0;
  };

  visit(workflow, '');
  const isInvalidated = (key: string) => partsOf(key).some((part) => invalidated.has(part));
  const isKept = (key: string, state: NodeState): boolean =>
    state.status !== 'skipped' &&
    isFinal(state.status) &&
    (!isFailure(state) || handled.has(key)) &&
    !rerun.has(key) &&
    !isInvalidated(key);
  const kept = new Set([...journaled].filter(([key, state]) => isKept(key, state)).map(([key]) => key));
  return { kept, isInvalidated };
}

function isFailure(state: NodeState | undefined): boolean {
  return state?.status === 'failed' && state.result === undefined;
}

/** For each node, the nodes that use one of its outputs. */
function successors(graph: StoredWorkflow, prefix: string): Map<string, string[]> {
  const next = new Map<string, string[]>();
  for (const { source, target } of graph.edges) {
    const key = nodeKey(prefix, source);
    const targets = next.get(key) ?? [];
    targets.push(nodeKey(prefix, target));
    next.set(key, targets);
  }
  return next;
}

/** The nodes whose failure reaches an end of the graph: on one path at least, no node in between has run. */
function reachEnd(
  graph: StoredWorkflow,
  prefix: string,
  next: ReadonlyMap<string, readonly string[]>,
  journaled: States,
): Set<string> {
  const before = new Map<string, string[]>();
  for (const [source, targets] of next) {
    for (const target of targets) {
      const sources = before.get(target);
      if (sources) sources.push(source);
      else before.set(target, [source]);
    }
  }
  const found = new Set(graph.nodes.map((node) => nodeKey(prefix, node.id)).filter((key) => !next.has(key)));
  const open = [...found];
  for (let key = open.pop(); key !== undefined; key = open.pop()) {
    if (journaled.has(key)) continue;
    for (const source of before.get(key) ?? []) {
      if (!found.has(source)) open.push(source);
      found.add(source);
    }
  }
  return found;
}

/** All nodes that depend on these nodes, without these. */
function descendants(from: readonly string[], next: ReadonlyMap<string, readonly string[]>): Set<string> {
  const found = new Set<string>();
  const open = [...from];
  for (let key = open.pop(); key !== undefined; key = open.pop()) {
    for (const target of next.get(key) ?? []) {
      if (!found.has(target)) open.push(target);
      found.add(target);
    }
  }
  return found;
}

/** A key and the keys of everything around it: nodes, their attempts, and their calls. */
function partsOf(key: string): string[] {
  return [...[...key.matchAll(/[/:#]/g)].map(({ index }) => key.slice(0, index)), key];
}
