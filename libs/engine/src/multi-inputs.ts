import { own } from '@errand/contracts';
import type { GraphNode, Link, Slots } from './graph.js';

/** ComfyTavern numbers the connections of a multi-input: `parts__0` is the slot `parts`. */
export function baseSlot(inputs: Slots | undefined, handle: string): string {
  const numbered = /^(.+)__\d+$/.exec(handle)?.[1];
  return numbered !== undefined && !own(inputs, handle) && own(inputs, numbered)?.multi ? numbered : handle;
}

/** By `inputConnectionOrders`; connections that it does not name follow, by the number of their handle, then as they stand. */
export function orderMultiInputs(node: GraphNode): void {
  for (const [slot, links] of node.incoming) {
    if (links.length < 2) continue;
    const order = own(node.stored.inputConnectionOrders, slot) ?? [];
    const rank = new Map(order.map((edgeId, index) => [edgeId, index]));
    const place = (link: Link) => rank.get(link.edge.id ?? '') ?? order.length + number(link.edge.targetHandle);
    links.sort((a, b) => place(a) - place(b));
  }
}

function number(handle: string): number {
  return Number(/__(\d+)$/.exec(handle)?.[1] ?? 0);
}
