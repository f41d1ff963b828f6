import { defineNode } from './define-node.js';
import { parsePath, walkPath } from './walk-path.js';

export const jsonPath = defineNode({
  type: 'core:json-path',
  displayName: 'JSON path',
  description:
    'Takes a part out of a JSON value by its path, such as $.user.name, $.items[0] or $.items[*].id (a list of all).',
  inputs: {
    value: { dataFlowType: 'WILDCARD', required: true, description: 'The value to look into' },
    path: { dataFlowType: 'STRING', required: true, description: 'Where to look: $.a.b[0]' },
  },
  outputs: { value: { dataFlowType: 'WILDCARD', description: 'What is there' } },
  run: ({ value, path }) => ({ value: walkPath(value, parsePath(path)) }),
});
