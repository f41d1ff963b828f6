import type { NodeState } from './invocation.js';

/** A workflow as it runs, including the contents of its node groups. */
export interface Drawing {
  nodes: DrawnNode[];
  edges: DrawnEdge[];
}

export interface DrawnNode {
  /** Its key in a run, as states and events name it: `outer/inner` inside a node group. */
  id: string;
  type: string;
  kind: 'node' | 'groupInput' | 'groupOutput' | 'group';
  displayName?: string;
  /** The node group that contains it. */
  group?: string;
  /** Only of a node group: the workflow that it runs. */
  workflowId?: string;
  /** Only of a node group: its contents are left out because the drawing is too large. */
  closed?: true;
  bypassed?: true;
  muted?: true;
}

export interface DrawnEdge {
  source: string;
  sourceHandle: string;
  target: string;
  targetHandle: string;
}

/** The graph of a tool: `GET /v1/tools/:id/graph`. */
export interface ToolGraph extends Drawing {
  toolId: string;
  version: string;
  /** A Mermaid flowchart. */
  mermaid: string;
}

/** A node of a step. A node that has not begun is `queued`, and after the end of the step `skipped`. */
export interface RunNode extends DrawnNode, Pick<NodeState, 'status' | 'startedAt' | 'finishedAt'> {
  /** The number of starts. */
  attempts: number;
}

/** The graph that a step runs, with the state of each node: `GET /v1/invocations/:id/steps/:n/graph`. */
export interface StepGraph extends ToolGraph {
  nodes: RunNode[];
}
