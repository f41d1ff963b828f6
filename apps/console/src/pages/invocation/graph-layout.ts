import type { DrawnNode, Drawing } from '@errand/contracts';
import { graphlib, layout } from '@dagrejs/dagre';
import { layInLayers } from './layer-layout.js';
import { NODE_HEIGHT as HEIGHT, NODE_WIDTH as WIDTH, type Layout } from './placed-graph.js';

/** dagre takes seconds for a larger graph, and crossings cannot be avoided in it anyway. */
const MOST_OF_DAGRE = 120;

interface Point {
  x: number;
  y: number;
}

/** Places the nodes of a drawing from left to right. */
export function layOut(drawing: Drawing): Layout {
  return drawing.nodes.length > MOST_OF_DAGRE ? layInLayers(drawing) : layByDagre(drawing);
}

/** A node group is a box around its contents. */
function layByDagre({ nodes, edges }: Drawing): Layout {
  const graph = new graphlib.Graph({ compound: true, multigraph: false });
  graph.setGraph({ rankdir: 'LR', nodesep: 16, ranksep: 48, edgesep: 8, marginx: 16, marginy: 24 });
  // Ids of nodes are hostile texts, which must not be names in dagre's objects.
  const names = new Map(nodes.map(({ id }, index) => [id, `n${index}`]));
  const boxes = new Set(nodes.flatMap(({ group }) => group ?? []));
  for (const { id, group } of nodes) {
    graph.setNode(names.get(id) ?? '', boxes.has(id) ? {} : { width: WIDTH, height: HEIGHT });
    const parent = group === undefined ? undefined : names.get(group);
    if (parent !== undefined) graph.setParent(names.get(id) ?? '', parent);
  }
  const ends = endsOfBoxes(nodes, boxes);
  for (const { source, target } of edges) {
    const from = names.get(ends.outOf.get(source) ?? source);
    const to = names.get(ends.into.get(target) ?? target);
    if (from !== undefined && to !== undefined && from !== to) graph.setEdge(from, to, {});
  }
  layout(graph);
  return placed(graph, { nodes, edges }, names, boxes, ends);
}

type Ends = Record<'into' | 'outOf', ReadonlyMap<string, string>>;

/** An edge cannot end at a box. It ends at the inputs or the outputs of the workflow inside, however deep. */
function endsOfBoxes(nodes: readonly DrawnNode[], boxes: ReadonlySet<string>): Ends {
  const find = (kind: DrawnNode['kind']) => {
    const inside = new Map<string, string>();
    for (const node of nodes)
      if (node.group !== undefined && (node.kind === kind || !inside.has(node.group))) inside.set(node.group, node.id);
    const deepest = (id: string, depth = 0): string => {
      const next = boxes.has(id) && depth < 50 ? inside.get(id) : undefined;
      return next === undefined ? id : deepest(next, depth + 1);
    };
    return new Map([...boxes].map((id) => [id, deepest(id)]));
  };
  return { into: find('groupInput'), outOf: find('groupOutput') };
}

type DagreGraph = InstanceType<typeof graphlib.Graph>;

function placed(
  graph: DagreGraph,
  { nodes, edges }: Drawing,
  names: ReadonlyMap<string, string>,
  boxes: ReadonlySet<string>,
  ends: Ends,
): Layout {
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
  const drawn = nodes.map((node) => {
    const {
      x = 0,
      y = 0,
      width: w = WIDTH,
      height: h = HEIGHT,
    } = graph.node(names.get(node.id) ?? '') as Partial<Point & { width: number; height: number }>;
    return { node, x: x - w / 2, y: y - h / 2, width: w, height: h, isBox: boxes.has(node.id) };
  });
  const seen = new Set<string>();
  const lines = edges.flatMap(({ source, target }) => {
    const [from, to] = [names.get(ends.outOf.get(source) ?? source), names.get(ends.into.get(target) ?? target)];
    const key = `${from} ${to}`;
    if (from === undefined || to === undefined || from === to || seen.has(key)) return [];
    seen.add(key);
    const { points = [] } = graph.edge(from, to) as { points?: Point[] };
    return [{ source, target, path: pathThrough(points) }];
  });
  return { nodes: drawn, edges: lines, width, height };
}

/** A line through these points with round corners. */
function pathThrough(points: readonly Point[]): string {
  const [first, ...rest] = points;
  if (!first) return '';
  const at = ({ x, y }: Point) => `${Math.round(x)} ${Math.round(y)}`;
  const last = rest.at(-1);
  if (!last) return '';
  const curves = rest.slice(0, -1).map((point, index) => {
    const next = rest[index + 1] ?? last;
    return `Q${at(point)} ${at({ x: (point.x + next.x) / 2, y: (point.y + next.y) / 2 })}`;
  });
  return `M${at(first)}${curves.join('')}L${at(last)}`;
}
