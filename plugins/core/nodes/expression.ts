import { defineNode } from './define-node.js';
import { withExpression } from './evaluate-expression.js';

export const expression = defineNode({
  type: 'core:expression',
  displayName: 'Expression',
  description:
    "Evaluates a CEL expression over named values and returns its result, such as price * count > 100 ? 'big' : 'small'. Good for calculations, comparisons and for picking values out of JSON.",
  inputs: {
    expression: {
      dataFlowType: 'STRING',
      required: true,
      description:
        "A CEL expression: a + 1, a >= 18 && name.startsWith('A'), items.map(i, i.price), size(items), sum(list), has(user.email)",
    },
    data: {
      dataFlowType: 'OBJECT',
      description: 'The values that the expression may use, by name',
      config: { default: {} },
    },
  },
  outputs: { result: { dataFlowType: 'WILDCARD', description: 'What the expression comes to' } },
  run: (inputs) => ({
    result: withExpression('expression', inputs.expression, (evaluate) => evaluate(inputs.data)),
  }),
});
