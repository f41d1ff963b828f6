import type { JsonObject } from '@errand/contracts';
import { cel } from './cel-environment.js';
import { languageLimits } from './computation.js';
import { defineComputation } from './define-node.js';
import { readable, withExpression } from './evaluate-expression.js';
import { isCheapExpression } from './expression-cost.js';

export const expression = defineComputation({
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
      description: "The values that the expression may use, by name; all of them are data, as in data['odd name']",
      config: { default: {} },
    },
  },
  outputs: { result: { dataFlowType: 'WILDCARD', description: 'What the expression comes to' } },
  bypassBehavior: { passThrough: { result: 'data' } },
  checks: { expression: readable('expression') },
  limits: languageLimits('expression'),
  isCheap: (inputs) => namesOfTypes(inputs.data).length === 0 && isCheapExpression(inputs.expression, inputs.data),
  compute({ expression: source, data }) {
    const variables = { data, ...data, ...(namesOfTypes(data).length > 0 && { [WHOLE]: data }) };
    const bind = (inner: string, name: string) => `cel.bind(${name}, ${WHOLE}.${name}, ${inner}\n)`;
    return {
      result: withExpression(
        'expression',
        source,
        (evaluate) => evaluate(variables),
        namesOfTypes(data).reduce(bind, source),
      ),
    };
  },
});

/** Stands for the data where a value is to hide one of CEL's own names. */
const WHOLE = 'whole_of_the_data';

const TYPES = cel.getDefinitions().variables.map(({ name }) => name);

/**
 * The values that are called like one of CEL's types (list, map, type, string, …): by itself CEL would take the type for what is meant, and
 * compare that in silence. `cel` comes first, so that the others are bound outside of it.
 */
function namesOfTypes(data: JsonObject): string[] {
  return TYPES.filter((name) => Object.hasOwn(data, name)).toSorted(
    (a, b) => Number(b === 'cel') - Number(a === 'cel'),
  );
}
