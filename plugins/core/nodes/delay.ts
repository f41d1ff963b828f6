import { setTimeout } from 'node:timers/promises';
import { ToolError } from '@errand/contracts';
import { defineNode } from './define-node.js';

/** A timer of the runtime cannot be set further. */
const LONGEST_MS = 2 ** 31 - 1;

export const delay = defineNode({
  type: 'core:delay',
  displayName: 'Delay',
  description: 'Waits for some milliseconds and then gives back the value that it got.',
  inputs: {
    ms: {
      dataFlowType: 'INTEGER',
      required: true,
      description: 'How long to wait, in milliseconds',
      min: 0,
      max: LONGEST_MS,
    },
    value: { dataFlowType: 'WILDCARD', description: 'Any JSON value to pass on' },
  },
  outputs: { value: { dataFlowType: 'WILDCARD', description: 'The value, or null' } },
  async run({ ms, value }, { signal }) {
    if (ms < 0 || ms > LONGEST_MS) {
      throw new ToolError('ParameterValidationError', `'ms' must be between 0 and ${LONGEST_MS}, got ${ms}`);
    }
    return { value: await setTimeout(ms, value ?? null, { signal }) };
  },
});
