import { Graph, layout } from '@dagrejs/dagre';
import type { Drawing, DrawnNode } from '@errand/contracts';

export interface PlacedNode extends DrawnNode {
  /** The middle of its box, in pixels. */
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface PlacedEdge {
  from: string;
  to: string;
  /** The path of an SVG. */
  path: string;
}

export interface PlacedGraph {
  width: number;
  height: number;
  nodes: readonly PlacedNode[];
  edges: readonly PlacedEdge[];
}

const BOX = { width: 160, height: 44 };
const MARGIN = 16;

/** Places the nodes of a drawing from left to right. Several edges between the same nodes are one. */
export function placeNodes({ nodes, edges }: Drawing): PlacedGraph {
  const graph = new Graph();
  graph.setGraph({ rankdir: 'LR', nodesep: 20, ranksep: 32, marginx: MARGIN, marginy: MARGIN });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { id } of nodes) graph.setNode(id, { ...BOX });
  for (const { source, target } of edges)
    if (graph.hasNode(source) && graph.hasNode(target)) graph.setEdge(source, target);
  layout(graph);
  const { width = 0, height = 0 } = graph.graph();
  return {
    width,
    height,
    nodes: nodes.map((node) => ({ ...node, ...BOX, x: graph.node(node.id).x, y: graph.node(node.id).y })),
    edges: graph.edges().map(({ v, w }) => ({ from: v, to: w, path: pathOf(graph.edge(v, w).points) })),
  };
}

function pathOf(points: readonly { x: number; y: number }[]): string {
  return points.map(({ x, y }, index) => `${index === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`).join('');
}
