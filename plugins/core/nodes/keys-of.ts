import type { Json, StoredSlot } from '@errand/contracts';
import { eachItem } from './each-item.js';
import { withExpression } from './evaluate-expression.js';

/** The input `by` of the nodes that go by a key of each item. */
export const BY = {
  dataFlowType: 'STRING',
  description: 'A CEL expression on item that gives the key, such as item.name; without it, the item itself is the key',
} as const satisfies StoredSlot;

/** The key of each item. */
export function keysOf(items: readonly Json[], by: string | undefined): Json[] {
  return by === undefined ? [...items] : withExpression('by', by, (evaluate) => eachItem(items, evaluate));
}
