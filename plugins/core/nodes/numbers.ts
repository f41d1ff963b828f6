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
  effects: 'none',
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

const MODES = {
  // Halves round away from zero, as people expect; Math.round rounds them up.
  nearest: (value: number) => Math.sign(value) * Math.round(Math.abs(value)),
  up: Math.ceil,
  down: Math.floor,
};

export const round = defineNode({
  type: 'core:round',
  displayName: 'Round',
  effects: 'none',
  description: 'Rounds a number to decimal places, or to tens and hundreds.',
  inputs: {
    value: { dataFlowType: 'FLOAT', required: true, description: 'The number' },
    decimals: {
      dataFlowType: 'INTEGER',
      description: 'The number of decimal places; -3 rounds to thousands',
      config: { default: 0 },
      min: -15,
      max: 15,
    },
    mode: {
      dataFlowType: 'STRING',
      description: 'nearest (halves away from zero), up or down',
      matchCategories: ['ComboOption'],
      config: { default: 'nearest', suggestions: Object.keys(MODES) },
    },
  },
  outputs: { result: { dataFlowType: 'FLOAT', description: 'The rounded number' } },
  run({ value, decimals, mode }) {
    const rounded = oneOf(MODES, 'mode', mode)(shift(value, decimals));
    return { result: shift(rounded, -decimals) || 0 };
  },
});

/** Shifts by decimal places in the text of the number: 1.005 becomes 100.5, but 1.005 * 100 is 100.49999999999999. */
function shift(value: number, places: number): number {
  const [digits, exponent = '0'] = String(value).split('e');
  return Number(`${digits}e${Number(exponent) + places}`);
}
