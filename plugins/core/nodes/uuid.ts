import { randomUUID } from 'node:crypto';
import { defineNode } from './define-node.js';

export const uuid = defineNode({
  type: 'core:uuid',
  displayName: 'UUID',
  description: 'Makes a new random UUID (version 4), for use as a unique name.',
  inputs: {},
  outputs: { uuid: { dataFlowType: 'STRING', description: 'The UUID, in lower case' } },
  run: () => ({ uuid: randomUUID() }),
});
