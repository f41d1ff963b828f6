import type { JsonObject } from '@errand/contracts';
import { TYPES } from './cel-environment.js';
import { computation, expressionLimits } from './computation.js';
import { defineNode } from './define-node.js';
import { readable, withExpression } from './evaluate-expression.js';
import { isCheapExpression } from './expression-cost.js';

export const expression = defineNode({
  type: 'core:expression',
  displayName: 'Expression',
  effects: 'none',
  description:
    "Evaluates a CEL expression over named values and returns its result, such as price * count > 100 ? 'big' : 'small'. Use it for calculations, comparisons and values inside JSON.",
  inputs: {
    expression: {
      dataFlowType: 'STRING',
      required: true,
      description:
        "A CEL expression: a + 1, a >= 18 && name.startsWith('A'), items.map(i, i.price), size(items), sum(list), has(user.email)",
    },
    data: {
      dataFlowType: 'OBJECT',
      description:
        "Values that the expression uses, by name; in the expression, data holds all values, as in data['odd name']",
      config: { default: {} },
    },
  },
  otherInputs: {
    dataFlowType: 'WILDCARD',
    description:
      'A value that the expression uses, by the name of the input; it replaces the value of data with that name',
  },
  outputs: { result: { dataFlowType: 'WILDCARD', description: 'The value of the expression' } },
  bypassBehavior: { passThrough: { result: 'data' } },
  checks: { expression: readable('expression') },
  // The thread gets one object of all values, because an input of any name could have the name of a field of the task.
  run: ({ expression: source, data, ...named }, context) =>
    evaluate({ expression: source, data: { ...data, ...named } }, context),
});

const evaluate = computation<{ expression: string; data: JsonObject }>('core:expression', {
  limits: expressionLimits('expression'),
  isCheap: (inputs) => namesOfTypes(inputs.data).length === 0 && isCheapExpression(inputs.expression, inputs.data),
  compute({ expression: source, data }) {
    const variables = { data, ...data, ...(namesOfTypes(data).length > 0 && { [WHOLE]: data }) };
    const bind = (inner: string, name: string) => `cel.bind(${name}, ${WHOLE}.${name}, ${inner}\n)`;
    return {
      result: withExpression(
        'expression',
        source,
        (evaluateWith) => evaluateWith(variables),
        namesOfTypes(data).reduce(bind, source),
      ),
    };
  },
});

/** The name of the data if a value must hide one of CEL's own names. */
const WHOLE = 'whole_of_the_data';

/**
 * The values with the name of one of CEL's types (list, map, type, string, …). CEL would use the type instead and compare it without an
 * error. `cel` comes first, so that the others are bound outside of it.
 */
function namesOfTypes(data: JsonObject): string[] {
  return TYPES.filter((name) => Object.hasOwn(data, name)).toSorted(
    (a, b) => Number(b === 'cel') - Number(a === 'cel'),
  );
}
