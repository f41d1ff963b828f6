import { canonicalJson } from '@errand/contracts';
import { defineComputation } from './define-node.js';
import { readable } from './evaluate-expression.js';
import { BY, BY_COMPUTATION, keysOf } from './keys-of.js';

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
    return { items: items.filter((_item, index) => seen.size < seen.add(keys[index]!).size) };
  },
});
