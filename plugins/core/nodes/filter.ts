import { languageLimits } from './computation.js';
import { defineComputation } from './define-node.js';
import { eachItem } from './each-item.js';
import { isTrue, readable, withExpression } from './evaluate-expression.js';
import { isCheapExpression } from './expression-cost.js';

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
  limits: languageLimits('condition'),
  isCheap: (inputs) => isCheapExpression(inputs.condition, inputs.items),
  compute: ({ items, condition }) => ({
    items: withExpression('condition', condition, (evaluate) => {
      const kept = eachItem(items, (variables) => isTrue('condition', evaluate(variables)));
      return items.filter((_item, index) => kept[index]);
    }),
  }),
});
