import { createHash, randomBytes } from 'node:crypto';
import { ToolError } from '@errand/contracts';
import { defineComputation } from './define-node.js';

/** Random bytes in a number: as many as a double between 0 and 1 holds, less a few bits. */
const BYTES = 6;

export const random = defineComputation({
  type: 'core:random',
  displayName: 'Random number',
  description:
    'Returns a random number from min to max, both included. It is a whole number unless integer is false. The same seed gives the same number.',
  inputs: {
    min: { dataFlowType: 'FLOAT', description: 'The smallest number', config: { default: 0 } },
    max: { dataFlowType: 'FLOAT', description: 'The largest number', config: { default: 100 } },
    integer: {
      dataFlowType: 'BOOLEAN',
      description: 'Whether the result must be a whole number',
      config: { default: true },
    },
    seed: {
      dataFlowType: 'STRING',
      description: 'Any text or number; the same seed gives the same number, and 42 equals its text',
    },
  },
  outputs: { value: { dataFlowType: 'FLOAT', description: 'The number' } },
  bypassBehavior: { passThrough: { value: 'min' } },
  compute({ min, max, integer, seed }) {
    const share = fraction(seed);
    return {
      value: integer ? wholeNumber(min, max, share) : between(min, max, share),
    };
  },
});

/** From 0 up to, but not including, 1. */
function fraction(seed: string | undefined): number {
  const bytes = seed === undefined ? randomBytes(BYTES) : createHash('sha256').update(seed).digest();
  return bytes.readUIntBE(0, BYTES) / 2 ** (8 * BYTES);
}

function wholeNumber(min: number, max: number, share: number): number {
  const [least, greatest] = [Math.ceil(min), Math.floor(max)];
  if (least > greatest)
    throw new ToolError('ParameterValidationError', `there is no whole number from ${min} to ${max}`);
  return least + Math.floor(share * (greatest - least + 1));
}

function between(min: number, max: number, share: number): number {
  if (min > max) throw new ToolError('ParameterValidationError', `'min' (${min}) is greater than 'max' (${max})`);
  return min + share * (max - min);
}
