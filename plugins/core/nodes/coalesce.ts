import { defineNode } from './define-node.js';

export const coalesce = defineNode({
  type: 'core:coalesce',
  displayName: 'Coalesce',
  description:
    'Gives the first of several values that is not null; null if there is none. Connected to the ends of several branches, it goes on with the one that was taken.',
  inputs: {
    values: {
      dataFlowType: 'WILDCARD',
      multi: true,
      required: true,
      description: 'The values, the preferred one first',
    },
  },
  outputs: { value: { dataFlowType: 'WILDCARD', description: 'The first value that is there' } },
  run: ({ values }) => ({ value: values.find((value) => value !== null) ?? null }),
});
