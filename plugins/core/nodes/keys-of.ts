import { type Json, type StoredSlot, ToolError } from '@errand/contracts';
import { dataLimits, expressionLimits } from './computation.js';
import { withExpression } from './evaluate-expression.js';
import { isCheapExpression } from './expression-cost.js';

/** The input `by` of the nodes that use a key of each item. */
export const BY = {
  dataFlowType: 'STRING',
  description: 'A CEL expression on item that gives the key, such as item.name; without it, the item itself is the key',
} as const satisfies StoredSlot;

interface Keyed {
  items: Json[];
  by?: string | undefined;
}

/** The computation settings of the nodes with this input. */
export const BY_COMPUTATION = {
  limits: ({ by }: Keyed) => (by === undefined ? dataLimits('the list') : expressionLimits('by')),
  isCheap: ({ items, by }: Keyed) => by === undefined || isCheapExpression(by, items),
};

/** The key of each item. */
export function keysOf(items: readonly Json[], by: string | undefined): Json[] {
  return by === undefined ? [...items] : withExpression('by', by, (evaluate) => eachItem(items, evaluate));
}

/** Maps the items of a list, in order. @throws Error that names the item; a ToolError concerns all items and passes unchanged */
export function eachItem<T>(items: readonly Json[], work: (variables: { item: Json; index: number }) => T): T[] {
  return items.map((item, index) => {
    try {
      return work({ item, index });
    } catch (error) {
      if (error instanceof ToolError) throw error;
      throw new Error(`${error instanceof Error ? error.message : String(error)} (at item ${index})`, { cause: error });
    }
  });
}
