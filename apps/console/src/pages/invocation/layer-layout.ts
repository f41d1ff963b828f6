import type { Drawing } from '@errand/contracts';
import { NODE_HEIGHT, NODE_WIDTH, type Layout, type PlacedEdge, type PlacedNode } from './placed-graph.js';

const BETWEEN_LAYERS = 72;
const BETWEEN_NODES = 14;
const MARGIN = 24;
/** How often the order within the layers is improved. */
const SWEEPS = 4;

type Links = ReadonlyMap<string, readonly string[]>;

/**
 * Places the nodes of a large drawing in layers, each node behind all its sources. A node is near the middle of its neighbours. The contents of a
 * node group are behind the group. Time: linear in nodes and edges, apart from sorting.
 */
export function layInLayers({ nodes, edges }: Drawing): Layout {
  const ids = new Set(nodes.map(({ id }) => id));
  const contents = nodes.flatMap(({ id, group }) => (group === undefined ? [] : [{ source: group, target: id }]));
  const hasSource = new Set(edges.map(({ target }) => target));
  const all = [...edges, ...contents.filter(({ target }) => !hasSource.has(target))].filter(
    ({ source, target }) => ids.has(source) && ids.has(target) && source !== target,
  );
  const [into, outOf] = [linksBy(all, 'target', 'source'), linksBy(all, 'source', 'target')];
  const layers = layersOf([...ids], into, outOf);
  orderLayers(layers, into, outOf);
  const places = placesOf(layers);
  const placed: PlacedNode[] = nodes.map((node) => {
    const { x, y } = places.get(node.id) ?? { x: 0, y: 0 };
    return { node, x, y, width: NODE_WIDTH, height: NODE_HEIGHT, isBox: false };
  });
  const tallest = Math.max(0, ...layers.map((layer) => layer.length));
  return {
    nodes: placed,
    edges: edgesBetween(all, places),
    width: 2 * MARGIN + layers.length * (NODE_WIDTH + BETWEEN_LAYERS) - BETWEEN_LAYERS,
    height: 2 * MARGIN + tallest * (NODE_HEIGHT + BETWEEN_NODES) - BETWEEN_NODES,
  };
}

type Edge = Pick<Drawing['edges'][number], 'source' | 'target'>;

function linksBy(edges: readonly Edge[], key: keyof Edge, value: keyof Edge): Map<string, string[]> {
  const links = new Map<string, string[]>();
  for (const edge of edges) {
    const known = links.get(edge[key]);
    if (known) known.push(edge[value]);
    else links.set(edge[key], [edge[value]]);
  }
  return links;
}

/** The layer of a node is one behind its last source. Nodes of a cycle, which a valid workflow does not have, are in the first layer. */
function layersOf(ids: readonly string[], into: Links, outOf: Links): string[][] {
  const missing = new Map(ids.map((id) => [id, into.get(id)?.length ?? 0]));
  const rank = new Map<string, number>(ids.map((id) => [id, 0]));
  const ready = ids.filter((id) => missing.get(id) === 0);
  for (const id of ready)
    for (const target of outOf.get(id) ?? []) {
      rank.set(target, Math.max(rank.get(target) ?? 0, (rank.get(id) ?? 0) + 1));
      const left = (missing.get(target) ?? 0) - 1;
      missing.set(target, left);
      if (left === 0) ready.push(target);
    }
  const layers: string[][] = [];
  for (const id of ids) (layers[rank.get(id) ?? 0] ??= []).push(id);
  return Array.from(layers, (layer) => layer ?? []);
}

function orderLayers(layers: string[][], into: Links, outOf: Links): void {
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const isForward = sweep % 2 === 0;
    const order = new Map(layers.flatMap((layer) => layer.map((id, index) => [id, index / layer.length] as const)));
    for (const layer of isForward ? layers : layers.toReversed()) {
      const middle = new Map(
        layer.map((id) => [id, meanOf((isForward ? into : outOf).get(id), order) ?? order.get(id) ?? 0]),
      );
      layer.sort((a, b) => (middle.get(a) ?? 0) - (middle.get(b) ?? 0));
      for (const [index, id] of layer.entries()) order.set(id, index / layer.length);
    }
  }
}

function meanOf(ids: readonly string[] | undefined, order: ReadonlyMap<string, number>): number | undefined {
  if (!ids || ids.length === 0) return undefined;
  return ids.reduce((sum, id) => sum + (order.get(id) ?? 0), 0) / ids.length;
}

function placesOf(layers: readonly (readonly string[])[]): Map<string, { x: number; y: number }> {
  const tallest = Math.max(1, ...layers.map((layer) => layer.length));
  return new Map(
    layers.flatMap((layer, rank) =>
      layer.map((id, index) => {
        const row = index + (tallest - layer.length) / 2;
        const x = MARGIN + rank * (NODE_WIDTH + BETWEEN_LAYERS);
        return [id, { x, y: MARGIN + row * (NODE_HEIGHT + BETWEEN_NODES) }] as const;
      }),
    ),
  );
}

function edgesBetween(edges: readonly Edge[], places: ReadonlyMap<string, { x: number; y: number }>): PlacedEdge[] {
  const seen = new Set<string>();
  return edges.flatMap(({ source, target }) => {
    const [from, to] = [places.get(source), places.get(target)];
    const key = JSON.stringify([source, target]);
    if (!from || !to || seen.has(key)) return [];
    seen.add(key);
    const [x, y, endX, endY] = [from.x + NODE_WIDTH, from.y + NODE_HEIGHT / 2, to.x, to.y + NODE_HEIGHT / 2];
    const bend = Math.max(24, (endX - x) / 2);
    return [{ source, target, path: `M${x} ${y}C${x + bend} ${y} ${endX - bend} ${endY} ${endX} ${endY}` }];
  });
}
