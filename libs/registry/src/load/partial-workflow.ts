import { isObject, type Problem, type StoredEdge, type StoredNode, type StoredWorkflow } from '@errand/contracts';

/** A workflow whose nodes and edges are whole, and what to do with the problems that are found in it. */
export interface PartialWorkflow {
  workflow: StoredWorkflow;
  /** The problems that are no consequence of what is left out, at their places in the file. */
  place: (problems: readonly Problem[]) => Problem[];
}

/** Takes part in no connection and needs nothing. */
const STAND_IN = 'core:GroupInput';

/**
 * Makes a workflow with faults fit to be checked: a node without id or type is replaced by one that has no problems, and edges that
 * are not whole, or lead to such a node, are left out. `faults` are the places of what was wrong with the file.
 */
export function partialWorkflowOf(workflow: StoredWorkflow, faults: readonly Problem[]): PartialWorkflow {
  const standIns = new Set<string>();
  const faultyNodes = new Set(faults.flatMap(({ path }) => /^\/nodes\/\d+/.exec(path)?.[0] ?? []));
  const nodes = workflow.nodes.map((node, index): StoredNode => {
    if (isWholeNode(node)) return node;
    const id = isObject(node) && typeof node.id === 'string' ? node.id : `node ${index} without id`;
    standIns.add(id);
    return { id, type: STAND_IN };
  });
  const isKept = (edge: StoredEdge) => isWholeEdge(edge) && !standIns.has(edge.source) && !standIns.has(edge.target);
  const kept = [...workflow.edges.entries()].filter(([, edge]) => isKept(edge));
  const lostTargets = workflow.edges.filter((edge) => !isKept(edge)).map(({ target }) => target);
  const isDoubtful = (path: string) => {
    const index = Number(/^\/nodes\/(\d+)/.exec(path)?.[1]);
    return faultyNodes.has(`/nodes/${index}`) || lostTargets.some((id) => id === undefined || id === nodes[index]?.id);
  };
  const isConsequence = ({ path, message }: Problem) => {
    if (message.startsWith("There is no node '")) return standIns.size > 0;
    return (message.includes(' is missing') || message.includes('names the edge')) && isDoubtful(path);
  };
  return {
    workflow: { ...workflow, nodes, edges: kept.map(([, edge]) => edge) },
    place: (problems) =>
      problems
        .filter((problem) => !isConsequence(problem))
        .map((problem) => ({
          ...problem,
          path: problem.path.replace(/^\/edges\/(\d+)/, (_all, index: string) => `/edges/${kept[Number(index)]?.[0]}`),
        })),
  };
}

function isWholeNode(node: unknown): boolean {
  return isObject(node) && typeof node.id === 'string' && typeof node.type === 'string';
}

function isWholeEdge(edge: StoredEdge): boolean {
  return [edge.source, edge.sourceHandle, edge.target, edge.targetHandle].every((each) => typeof each === 'string');
}
