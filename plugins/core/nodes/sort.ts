import { compareKeys, sortKeyOf } from './compare-values.js';
import { defineComputation } from './define-node.js';
import { readable } from './evaluate-expression.js';
import { BY, BY_COMPUTATION, keysOf } from './keys-of.js';
import { oneOf } from './one-of.js';

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
    const keys = keysOf(items, by).map(sortKeyOf);
    const places = items.map((_item, index) => index);
    places.sort((a, b) => direction * compareKeys(keys[a]!, keys[b]!));
    return { items: places.map((place) => items[place]!) };
  },
});
