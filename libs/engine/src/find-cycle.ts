import { inDegree, type GraphNode } from './graph.js';

/**
 * The nodes of one cycle, in its order, or undefined. Kahn's algorithm takes away whatever has no open input; of what is left
 * every node has a predecessor that is left, so walking backwards must close a circle. Linear time.
 */
export function findCycle(nodes: readonly GraphNode[]): GraphNode[] | undefined {
  const open = new Map(nodes.map((node) => [node, inDegree(node)]));
  const free = nodes.filter((node) => open.get(node) === 0);
  for (const node of free) {
    open.delete(node);
    for (const { target } of node.outgoing) {
      const left = open.get(target)! - 1;
      open.set(target, left);
      if (left === 0) free.push(target);
    }
  }
  const [first] = open.keys();
  return first && walkBack(first, open);
}

function walkBack(start: GraphNode, open: ReadonlyMap<GraphNode, number>): GraphNode[] {
  const walked = new Map<GraphNode, number>();
  let node = start;
  while (!walked.has(node)) {
    walked.set(node, walked.size);
    const links = [...node.incoming.values()].flat();
    node = links.find(({ source }) => open.has(source))!.source;
  }
  return [...walked.keys()].slice(walked.get(node)).toReversed();
}
