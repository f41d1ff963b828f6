import {
  isFinal,
  type Definition,
  type DrawnNode,
  type Drawing,
  type NodeState,
  type NodeType,
  type RunNode,
  type Step,
  type StepGraph,
} from '@errand/contracts';
import { drawGraph, workflowOfNode, writeMermaid } from '@errand/engine';

/** The graph of a definition with the states of a step's nodes. Undefined if its tool is neither a workflow nor a node. */
export function graphOfStep(
  definition: Definition,
  step: Step,
  nodeTypes: ReadonlyMap<string, NodeType>,
): StepGraph | undefined {
  const drawing = drawDefinition(definition, nodeTypes);
  if (!drawing) return undefined;
  const { toolId, version } = definition.tool;
  const states = statesById(step);
  const isAlone = drawing.nodes.length === 1 && states.size === 0;
  const nodes = drawing.nodes.map((node): RunNode => {
    const {
      status,
      attempts = 0,
      startedAt,
      finishedAt,
    } = isAlone ? step : (states.get(node.id) ?? unknown(node, step));
    return { ...node, status, attempts, startedAt, finishedAt };
  });
  return { toolId, version, nodes, edges: drawing.edges, mermaid: writeMermaid(drawing) };
}

/** The code of node types is not in a definition, so that names of nodes are those of today. */
function drawDefinition(
  { tool: { implementation }, workflows: stored = {} }: Definition,
  nodeTypes: ReadonlyMap<string, NodeType>,
): Drawing | undefined {
  const workflows = new Map(Object.entries(stored));
  if (implementation.type === 'workflow') {
    const workflow = workflows.get(implementation.workflowId);
    return workflow && drawGraph(workflow, { workflows, nodeTypes });
  }
  if (implementation.type !== 'node') return undefined;
  const { nodeType: type } = implementation;
  const nodeType = nodeTypes.get(type);
  if (!nodeType) return { nodes: [{ id: type.slice(type.indexOf(':') + 1), type, kind: 'node' }], edges: [] };
  const nodes = workflowOfNode(nodeType, {}).nodes.slice(0, 1);
  return drawGraph({ nodes, edges: [] }, { workflows, nodeTypes });
}

/** The last state of each node. The key of a node inside a group that ran again has the number of the attempt: `group#2/node`. */
function statesById({ nodes = [] }: Step): Map<string, NodeState> {
  return new Map(nodes.map((state) => [state.nodeId.replaceAll(/#\d+(?=\/)/g, ''), state]));
}

/** The inputs and outputs of a workflow have no states of their own. */
function unknown({ kind }: DrawnNode, step: Step): Omit<NodeState, 'nodeId' | 'type'> {
  const times = { startedAt: null, finishedAt: null };
  if (kind === 'groupInput' && step.startedAt !== null) return { status: 'succeeded', ...times };
  if (kind === 'groupOutput' && step.status === 'succeeded') return { status: 'succeeded', ...times };
  return { status: isFinal(step.status) ? 'skipped' : 'queued', ...times };
}
