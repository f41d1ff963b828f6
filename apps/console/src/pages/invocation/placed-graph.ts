import type { DrawnNode } from '@errand/contracts';

export interface PlacedNode {
  node: DrawnNode;
  /** The upper left corner and the size, in px. */
  x: number;
  y: number;
  width: number;
  height: number;
  /** A node group whose contents are drawn inside it. */
  isBox: boolean;
}

export interface PlacedEdge {
  source: string;
  target: string;
  /** The path of an SVG element. */
  path: string;
}

export interface Layout {
  nodes: PlacedNode[];
  edges: PlacedEdge[];
  width: number;
  height: number;
}

/** The size of a node in px. */
export const NODE_WIDTH = 176;
export const NODE_HEIGHT = 44;
