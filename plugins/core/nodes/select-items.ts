import { expressionLimits } from './computation.js';
import { defineComputation } from './define-node.js';
import { eachItem, BY, BY_COMPUTATION, keysOf } from './keys-of.js';
import { isTrue, readable, withExpression } from './evaluate-expression.js';
import { isCheapExpression } from './expression-cost.js';
import { oneOf } from './one-of.js';
import { canonicalJson, type Json } from '@errand/contracts';

export const filter = defineComputation({
  type: 'core:filter',
  displayName: 'Filter',
  description: 'Keeps the items of a list for which a condition is true, and their order.',
  inputs: {
    items: { dataFlowType: 'ARRAY', required: true, description: 'The list' },
    condition: {
      dataFlowType: 'STRING',
      required: true,
      description:
        "A CEL expression on item (and index, from 0) that is true or false, such as item.age >= 18 && item.name != ''",
    },
  },
  outputs: { items: { dataFlowType: 'ARRAY', description: 'The items that fulfil the condition' } },
  checks: { condition: readable('condition') },
  limits: expressionLimits('condition'),
  isCheap: (inputs) => isCheapExpression(inputs.condition, inputs.items),
  compute: ({ items, condition }) => ({
    items: withExpression('condition', condition, (evaluate) => {
      const kept = eachItem(items, (variables) => isTrue('condition', evaluate(variables)));
      return items.filter((_item, index) => kept[index]);
    }),
  }),
});

export const map = defineComputation({
  type: 'core:map',
  displayName: 'Map',
  description: 'Makes a new list: evaluates an expression for each item of a list, in order.',
  inputs: {
    items: { dataFlowType: 'ARRAY', required: true, description: 'The list' },
    expression: {
      dataFlowType: 'STRING',
      required: true,
      description:
        "A CEL expression on item (and index, from 0), such as item.price * 1.2 or {'id': item.id, 'place': index}",
    },
  },
  outputs: { items: { dataFlowType: 'ARRAY', description: 'The value of the expression for each item' } },
  checks: { expression: readable('expression') },
  limits: expressionLimits('expression'),
  isCheap: (inputs) => isCheapExpression(inputs.expression, inputs.items),
  compute: ({ items, expression }) => ({
    items: withExpression('expression', expression, (evaluate) => eachItem(items, evaluate)),
  }),
});

const ORDERS = { asc: 1, desc: -1 };

export const sort = defineComputation({
  type: 'core:sort',
  displayName: 'Sort',
  description:
    'Sorts a list by a key of its items. Numbers sort by value, texts by character code (capitals first); null comes before both. Items with equal keys keep their order.',
  inputs: {
    items: { dataFlowType: 'ARRAY', required: true, description: 'The list' },
    by: BY,
    order: {
      dataFlowType: 'STRING',
      description: 'asc: the smallest first; desc: the largest first',
      matchCategories: ['ComboOption'],
      config: { default: 'asc', suggestions: Object.keys(ORDERS) },
    },
  },
  outputs: { items: { dataFlowType: 'ARRAY', description: 'The sorted list' } },
  checks: { by: readable('by') },
  ...BY_COMPUTATION,
  compute({ items, by, order }) {
    const direction = oneOf(ORDERS, 'order', order);
    const entries = keysOf(items, by).map((key, index) => ({ key: sortKeyOf(key), item: items[index] ?? null }));
    entries.sort((a, b) => direction * compareKeys(a.key, b.key));
    return { items: entries.map(({ item }) => item) };
  },
});

const RANKS = ['null', 'boolean', 'number', 'string', 'array', 'object'];

/** The form of a value for comparisons. It is made once for each value, because writing a large value as text is expensive. */
interface SortKey {
  rank: number;
  value: number | string;
}

/**
 * One order for all JSON values: null, false, true, numbers by value, texts by code unit (so capitals come first), lists, objects.
 * The order does not depend on the locale of the machine.
 */
function sortKeyOf(value: Json): SortKey {
  const rank = RANKS.indexOf(value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value);
  if (typeof value === 'number' || typeof value === 'string') return { rank, value };
  return { rank, value: typeof value === 'boolean' ? Number(value) : canonicalJson(value) };
}

/** Negative if `a` comes first. */
function compareKeys(a: SortKey, b: SortKey): number {
  if (a.rank !== b.rank) return a.rank - b.rank;
  return a.value < b.value ? -1 : Number(a.value > b.value);
}

export const dedupe = defineComputation({
  type: 'core:dedupe',
  displayName: 'Dedupe',
  description:
    'Removes duplicates from a list: keeps the first of all items with the same key. Objects with equal contents are equal, in any order of their properties.',
  inputs: { items: { dataFlowType: 'ARRAY', required: true, description: 'The list' }, by: BY },
  outputs: { items: { dataFlowType: 'ARRAY', description: 'The list without duplicates' } },
  checks: { by: readable('by') },
  ...BY_COMPUTATION,
  compute({ items, by }) {
    const seen = new Set<string>();
    const keys = keysOf(items, by).map(canonicalJson);
    return { items: items.filter((_item, index) => seen.size < seen.add(keys[index] ?? '').size) };
  },
});
