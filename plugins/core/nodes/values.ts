import { defineNode } from './define-node.js';

export const echo = defineNode({
  type: 'core:echo',
  displayName: 'Echo',
  effects: 'none',
  description: 'Returns its value unchanged.',
  inputs: { value: { dataFlowType: 'WILDCARD', required: true, description: 'Any JSON value' } },
  outputs: { value: { dataFlowType: 'WILDCARD', description: 'The same value' } },
  run: ({ value }) => ({ value }),
});

export const coalesce = defineNode({
  type: 'core:coalesce',
  displayName: 'Coalesce',
  effects: 'none',
  description:
    'Returns the first of several values that is not null, or null. At the end of several branches of a workflow it returns the value of the branch that was taken.',
  inputs: {
    values: {
      dataFlowType: 'WILDCARD',
      multi: true,
      required: true,
      description: 'The values, the preferred one first',
    },
  },
  outputs: { value: { dataFlowType: 'WILDCARD', description: 'The first value that is not null' } },
  run: ({ values }) => ({ value: values.find((value) => value !== null) ?? null }),
});
