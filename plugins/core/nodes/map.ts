import { languageLimits } from './computation.js';
import { defineComputation } from './define-node.js';
import { eachItem } from './each-item.js';
import { readable, withExpression } from './evaluate-expression.js';
import { isCheapExpression } from './expression-cost.js';

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
  limits: languageLimits('expression'),
  isCheap: (inputs) => isCheapExpression(inputs.expression, inputs.items),
  compute: ({ items, expression }) => ({
    items: withExpression('expression', expression, (evaluate) => eachItem(items, evaluate)),
  }),
});
