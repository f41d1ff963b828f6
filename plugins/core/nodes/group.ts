import type { Json } from '@errand/contracts';
import { asText } from './as-text.js';
import { defineComputation } from './define-node.js';
import { readable } from './evaluate-expression.js';
import { BY, BY_COMPUTATION, keysOf } from './keys-of.js';

export const group = defineComputation({
  type: 'core:group',
  displayName: 'Group',
  description:
    'Sorts the items of a list into groups by a key. Returns an object with a list of items for each key; the items keep their order.',
  inputs: {
    items: { dataFlowType: 'ARRAY', required: true, description: 'The list' },
    by: {
      ...BY,
      description: 'A CEL expression on item that gives the key, such as item.city; a number is written as text',
    },
  },
  outputs: { groups: { dataFlowType: 'OBJECT', description: 'The items of each key, by key' } },
  checks: { by: readable('by') },
  ...BY_COMPUTATION,
  compute({ items, by }) {
    const groups = new Map<string, Json[]>();
    for (const [index, key] of keysOf(items, by).entries()) {
      const name = asText(key);
      if (!groups.has(name)) groups.set(name, []);
      groups.get(name)!.push(items[index]!);
    }
    return { groups: Object.fromEntries(groups) };
  },
});
