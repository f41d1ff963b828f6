import { setTimeout } from 'node:timers/promises';
import { defineNode } from './define-node.js';

/** The longest timer of the runtime. */
const LONGEST_MS = 2 ** 31 - 1;

export const delay = defineNode({
  type: 'core:delay',
  displayName: 'Delay',
  description: 'Waits for a number of milliseconds and then returns its value.',
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
  bypassBehavior: { passThrough: { value: 'value' } },
  async run({ ms, value }, { signal }) {
    return { value: await setTimeout(ms, value ?? null, { signal }) };
  },
});
