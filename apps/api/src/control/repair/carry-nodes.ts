import { isFinal, type NodeState, type StoredWorkflow } from '@errand/contracts';
import { nodeKey } from '@errand/engine';
import { groupOf, type Workflows } from './node-keys.js';

type States = ReadonlyMap<string, NodeState>;

/**
 * Which of a workflow's journaled nodes a repair goes on from: those that gave something, unless they, or what they depend on, are
 * to run again. A failure that was caught wherever it went (by a `core:try`) stays as it is.
 * @param journaled by the node's key in the run
 * @param replaced the keys of nodes that get other inputs
 * @returns the keys that are kept; and whether what belongs to a key, such as an answer, was for other inputs than it gets now
 */
export function carryNodes(
  journaled: States,
  workflow: StoredWorkflow,
  workflows: Workflows,
  replaced: ReadonlySet<string>,
): { kept: Set<string>; isRenewed: (key: string) => boolean } {
  const caught = new Set<string>();
  /** They run again, but keep what finished inside them. */
  const opened = new Set<string>();
  /** They run again with other inputs: nothing of theirs holds any more. */
  const renewed = new Set(replaced);

  /** Whether anything in the workflow runs again. */
  const visit = (graph: StoredWorkflow, prefix: string): boolean => {
    const next = successors(graph, prefix);
    const exposed = leadingToAnEnd(graph, prefix, next, journaled);
    const again = graph.nodes
      .map((node) => ({ key: nodeKey(prefix, node.id), group: groupOf(node, workflows) }))
      .filter(({ key, group }) => {
        const insideAgain = group !== undefined && visit(group, `${key}/`);
        if (replaced.has(key)) return true;
        const failed = isFailure(journaled.get(key));
        if (failed && !exposed.has(key)) {
          caught.add(key);
          return false;
        }
        if (failed || insideAgain) opened.add(key);
        return failed || insideAgain;
      })
      .map(({ key }) => key);
    for (const key of descendants(again, next)) renewed.add(key);
    return again.length > 0;
  };

  visit(workflow, '');
  const isRenewed = (key: string) => partsOf(key).some((part) => renewed.has(part));
  const isKept = (key: string, state: NodeState): boolean =>
    state.status !== 'skipped' &&
    isFinal(state.status) &&
    (!isFailure(state) || caught.has(key)) &&
    !opened.has(key) &&
    !isRenewed(key);
  const kept = new Set([...journaled].filter(([key, state]) => isKept(key, state)).map(([key]) => key));
  return { kept, isRenewed };
}

function isFailure(state: NodeState | undefined): boolean {
  return state?.status === 'failed' && state.result === undefined;
}

/** The nodes that take something of each node. */
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

/** The nodes whose failure reaches an end of the graph: on one way at least, nothing that ran stands between. */
function leadingToAnEnd(
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

/** All that depends on these nodes, without them. */
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

/** A key and those of all that it stands within: of nodes, of their attempts, of the calls that they make. */
function partsOf(key: string): string[] {
  return [...[...key.matchAll(/[/:#]/g)].map(({ index }) => key.slice(0, index)), key];
}
