import { isObject, sizeOf } from '@errand/contracts';
import { cel } from './cel-environment.js';

/** Functions that look at each part of their arguments once at the most. */
const CHEAP_CALLS = new Set([
  'abs',
  'bool',
  'ceil',
  'contains',
  'double',
  'endsWith',
  'floor',
  'has',
  'int',
  'max',
  'min',
  'round',
  'size',
  'startsWith',
  'string',
  'sum',
]);

const MAX_LENGTH = 200;
/** So many pairs of a part of the expression and a part of the data take a fraction of a millisecond. */
const MAX_COST = 2_500;
/** What it costs to begin with an item. */
const COST_OF_A_START = 10;

/**
 * Whether an expression is cheap with this data, or with each item of it, by construction: it has no loops, patterns or other calls that
 * cost more than their arguments are long. What cannot be read is cheap.
 */
export function isCheapExpression(source: string, data: object): boolean {
  if (source.length > MAX_LENGTH) return false;
  let cost: number;
  try {
    cost = costOf(cel.parse(source).ast) + COST_OF_A_START;
  } catch {
    return true;
  }
  return cost * sizeOf(data, MAX_COST) <= MAX_COST;
}

/** The number of nodes of a syntax tree; infinite if a call in it is not cheap. */
function costOf(node: unknown): number {
  if (Array.isArray(node)) return node.reduce<number>((sum, part) => sum + costOf(part), 0);
  if (!isObject(node)) return 0;
  const { op, args } = node;
  const isCall = op === 'call' || op === 'rcall';
  if (isCall && !(Array.isArray(args) && CHEAP_CALLS.has(String(args[0])))) return Infinity;
  return 1 + costOf(args);
}
