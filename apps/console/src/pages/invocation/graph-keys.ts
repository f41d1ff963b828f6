import type { DrawnEdge } from '@errand/contracts';
import type { PlacedNode } from './placed-graph.js';

/**
 * The node to which a key leads: the right arrow to the first target, the left arrow to the first source, up and down to the nearest node above or
 * below, or along the edge where there is none, Home and End to the first and the last one. Undefined if the key leads nowhere.
 */
export function neighbourOf(
  key: string,
  id: string,
  edges: readonly DrawnEdge[],
  placed: readonly PlacedNode[],
): string | undefined {
  const at = new Map(placed.map((each) => [each.node.id, each]));
  const here = at.get(id);
  if (key === 'Home') return placed[0]?.node.id;
  if (key === 'End') return placed.at(-1)?.node.id;
  if (!here) return undefined;
  const target = () => edges.find((edge) => edge.source === id && at.has(edge.target))?.target;
  const source = () => edges.find((edge) => edge.target === id && at.has(edge.source))?.source;
  if (key === 'ArrowRight') return target();
  if (key === 'ArrowLeft') return source();
  if (key === 'ArrowDown') return nearest(here, placed, 1) ?? target();
  if (key === 'ArrowUp') return nearest(here, placed, -1) ?? source();
  return undefined;
}

function nearest(here: PlacedNode, placed: readonly PlacedNode[], side: number): string | undefined {
  const distance = ({ x, y }: PlacedNode) => Math.abs(x - here.x) * 4 + Math.abs(y - here.y);
  let best: PlacedNode | undefined;
  for (const each of placed)
    if ((each.y - here.y) * side > 0 && (!best || distance(each) < distance(best))) best = each;
  return best?.node.id;
}
