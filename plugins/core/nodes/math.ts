import { defineNode } from './define-node.js';
import { oneOf } from './one-of.js';

const OPERATIONS = {
  add: (a: number, b: number) => a + b,
  subtract: (a: number, b: number) => a - b,
  multiply: (a: number, b: number) => a * b,
  divide: (a: number, b: number) => a / nonZero(b),
  power: (a: number, b: number) => a ** b,
  modulo: (a: number, b: number) => a % nonZero(b),
};

export const math = defineNode({
  type: 'core:math',
  displayName: 'Math',
  description: 'Calculates with two numbers.',
  inputs: {
    op: {
      dataFlowType: 'STRING',
      required: true,
      description: 'add, subtract, multiply, divide, power or modulo',
      matchCategories: ['ComboOption'],
      config: { suggestions: Object.keys(OPERATIONS) },
    },
    a: { dataFlowType: 'FLOAT', required: true, description: 'The first number' },
    b: { dataFlowType: 'FLOAT', required: true, description: 'The second number' },
  },
  outputs: { result: { dataFlowType: 'FLOAT', description: 'The result' } },
  run({ op, a, b }) {
    const result = oneOf(OPERATIONS, 'op', op)(a, b);
    if (!Number.isFinite(result)) throw new Error(`the result of ${a} ${op} ${b} is not a finite number`);
    return { result };
  },
});

function nonZero(divisor: number): number {
  if (divisor === 0) throw new Error('division by zero');
  return divisor;
}
