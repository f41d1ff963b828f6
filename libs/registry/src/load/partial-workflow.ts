import {
  isObject,
  type Problem,
  type StoredEdge,
  type StoredNode,
  type StoredWorkflow,
  type WorkflowProblem,
} from '@errand/contracts';

/** A workflow with complete nodes and edges only, and a filter for the problems that are found in it. */
interface PartialWorkflow {
  workflow: StoredWorkflow;
  /** Drops problems that follow from the omitted parts, and corrects the paths of the others. */
  locate: (problems: readonly WorkflowProblem[]) => Problem[];
}

/** A node type without connections and requirements. */
const STAND_IN = 'core:GroupInput';

/**
 * Prepares a faulty workflow for its check. A node without id or type is replaced by a stand-in without problems.
 * Incomplete edges and edges to stand-ins are left out. `faults` are the problems of the file.
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
  const isConsequence = ({ path, code }: WorkflowProblem) =>
    code === 'unknown_node' ? standIns.size > 0 : code !== undefined && isDoubtful(path);
  return {
    workflow: { ...workflow, nodes, edges: kept.map(([, edge]) => edge) },
    locate: (problems) =>
      problems
        .filter((problem) => !isConsequence(problem))
        .map(({ code: _code, ...problem }) => ({
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
