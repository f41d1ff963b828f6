import { canonicalJson } from '@errand/contracts';
import { defineNode } from './define-node.js';
import { readable } from './evaluate-expression.js';
import { BY, keysOf } from './keys-of.js';

export const dedupe = defineNode({
  type: 'core:dedupe',
  displayName: 'Dedupe',
  description:
    'Removes duplicates from a list: of the items with the same key the first one stays. Objects are the same if their contents are, in any order of their properties.',
  inputs: { items: { dataFlowType: 'ARRAY', required: true, description: 'The list' }, by: BY },
  outputs: { items: { dataFlowType: 'ARRAY', description: 'The list without duplicates' } },
  checks: { by: readable('by') },
  run({ items, by }) {
    const seen = new Set<string>();
    const keys = keysOf(items, by).map(canonicalJson);
    return { items: items.filter((_item, index) => seen.size < seen.add(keys[index]!).size) };
  },
});
