import { computation, expressionLimits } from './computation.js';
import { type Json } from '@errand/contracts';
import { defineNode } from './define-node.js';
import { isTrue, readable, withExpression } from './evaluate-expression.js';
import { isCheapExpression } from './expression-cost.js';

const MOST = 10_000;

export const loop = defineNode({
  type: 'core:loop',
  displayName: 'Loop',
  effects: 'none',
  description:
    "Runs a workflow repeatedly: it gets the inputs 'value' and 'index' (from 0), and its result is the value of the next round. Ends when the condition until is true for the result; without until, after maxIterations rounds.",
  inputs: {
    value: { dataFlowType: 'WILDCARD', required: true, description: 'The value of the first round' },
    workflowId: { dataFlowType: 'STRING', required: true, description: 'The id of the workflow to run in each round' },
    until: {
      dataFlowType: 'STRING',
      description:
        'A CEL expression on value (the result of a round) and index that ends the loop, such as value.done == true',
    },
    maxIterations: {
      dataFlowType: 'INTEGER',
      description: 'The maximum number of rounds; with until, it is an error to need more',
      config: { default: 100 },
      min: 1,
      max: MOST,
    },
    inputs: {
      dataFlowType: 'OBJECT',
      description: 'Other inputs of the workflow, the same in each round',
      config: { default: {} },
    },
  },
  outputs: {
    value: { dataFlowType: 'WILDCARD', description: 'The result of the last round' },
    iterations: { dataFlowType: 'INTEGER', description: 'The number of rounds' },
  },
  bypassBehavior: { passThrough: { value: 'value' } },
  workflowInput: 'workflowId',
  checks: { until: readable('until') },
  async run({ value, workflowId, until, maxIterations, inputs }, context) {
    let current = value;
    for (let index = 0; index < maxIterations; index++) {
      current = await context.runWorkflow(workflowId, { ...inputs, value: current, index });
      const ended = until !== undefined && (await isEnd({ until, value: current, index }, context)).isEnd === true;
      if (ended || (until === undefined && index + 1 === maxIterations))
        return { value: current, iterations: index + 1 };
      if (until === undefined) context.progress((index + 1) / maxIterations);
    }
    throw new Error(
      `'until' was not true after ${maxIterations} rounds; raise maxIterations or check the condition: ${until}`,
    );
  },
});

const isEnd = computation<{ until: string; value: Json; index: number }>('core:loop until', {
  limits: expressionLimits('until'),
  compute: ({ until, ...variables }) => ({
    isEnd: withExpression('until', until, (evaluate) => isTrue('until', evaluate(variables))),
  }),
  isCheap: ({ until, ...variables }) => isCheapExpression(until, variables),
});
