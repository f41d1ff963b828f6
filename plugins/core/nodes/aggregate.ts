import { ToolError, type Json } from '@errand/contracts';
import { defineComputation } from './define-node.js';
import { readable } from './evaluate-expression.js';
import { BY, BY_COMPUTATION, keysOf } from './keys-of.js';
import { oneOf } from './one-of.js';

const total = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);

const OPERATIONS: Record<string, (values: number[]) => number> = {
  sum: total,
  average: (values) => total(some(values)) / values.length,
  min: (values) => some(values).reduce((least, value) => Math.min(least, value)),
  max: (values) => some(values).reduce((greatest, value) => Math.max(greatest, value)),
  median: (values) => median(some(values).toSorted((a, b) => a - b)),
};

export const aggregate = defineComputation({
  type: 'core:aggregate',
  displayName: 'Aggregate',
  description:
    'Reduces a list of numbers, or of objects with a number in each, to one number: sum, average, min, max or median.',
  inputs: {
    items: { dataFlowType: 'ARRAY', required: true, description: 'The list' },
    op: {
      dataFlowType: 'STRING',
      required: true,
      description: 'sum, average, min, max or median; an empty list has only a sum (0)',
      matchCategories: ['ComboOption'],
      config: { suggestions: Object.keys(OPERATIONS) },
    },
    by: {
      ...BY,
      description: 'A CEL expression on item that gives the number, such as item.price; without it, the item itself',
    },
  },
  outputs: { result: { dataFlowType: 'FLOAT', description: 'The number' } },
  checks: { by: readable('by') },
  ...BY_COMPUTATION,
  compute({ items, op, by }) {
    const numbers = keysOf(items, by).map(numberAt);
    return { result: oneOf(OPERATIONS, 'op', op)(numbers) };
  },
});

function numberAt(value: Json, index: number): number {
  if (typeof value === 'number') return value;
  throw new ToolError(
    'ParameterValidationError',
    `item ${index} is not a number but ${JSON.stringify(value).slice(0, 60)}; name its number with 'by', such as item.price`,
  );
}

function some(values: number[]): number[] {
  if (values.length > 0) return values;
  throw new Error('an empty list has no such number');
}

function median(sorted: readonly number[]): number {
  const middle = sorted.slice((sorted.length - 1) >> 1, (sorted.length >> 1) + 1);
  return total(middle) / middle.length;
}
