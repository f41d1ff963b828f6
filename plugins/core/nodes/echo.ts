import { defineNode } from './define-node.js';

export const echo = defineNode({
  type: 'core:echo',
  displayName: 'Echo',
  description: 'Returns its value unchanged.',
  inputs: { value: { dataFlowType: 'WILDCARD', required: true, description: 'Any JSON value' } },
  outputs: { value: { dataFlowType: 'WILDCARD', description: 'The same value' } },
  run: ({ value }) => ({ value }),
});
