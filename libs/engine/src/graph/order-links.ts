import { own } from '@errand/contracts';
import type { GraphNode, Link } from './graph.js';

/**
 * Sorts the links of multi-inputs by `inputConnectionOrders`. Links that it does not name follow, by the number of
 * their handle, then in stored order.
 */
export function orderMultiInputs(node: GraphNode): void {
  for (const [slot, links] of node.incoming) {
    if (links.length < 2) continue;
    const order = own(node.stored.inputConnectionOrders, slot) ?? [];
    const rank = new Map(order.map((edgeId, index) => [edgeId, index]));
    const rankOf = (link: Link) => rank.get(link.edge.id ?? '') ?? order.length + number(link.edge.targetHandle);
    links.sort((a, b) => rankOf(a) - rankOf(b));
  }
}

function number(handle: string): number {
  return Number(/__(\d+)$/.exec(handle)?.[1] ?? 0);
}
