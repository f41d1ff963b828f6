import { defineNode } from './define-node.js';

const LONGEST_MS = 366 * 86_400_000;

export const wait = defineNode({
  type: 'core:wait',
  displayName: 'Wait',
  description:
    'Waits, up to a year, and then returns its value. It uses no resources meanwhile and survives restarts. For waits below a second use core:delay.',
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
  async run({ ms, value }, { park }) {
    await park({ for: 'time', ms });
    return { value: value ?? null };
  },
});
