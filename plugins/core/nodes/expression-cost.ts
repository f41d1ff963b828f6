import { isObject, sizeOf } from '@errand/contracts';
import { cel } from './cel-environment.js';

/** Functions that read each part of their arguments at most once. */
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
/** This number of pairs (a part of the expression, a part of the data) takes a fraction of a millisecond. */
const MAX_COST = 2_500;
/** The fixed cost of an item. */
const COST_OF_A_START = 10;

/**
 * Whether an expression is cheap with this data, or with each of its items. A cheap expression has no loops, patterns or other calls that
 * cost more than the length of their arguments. An expression that cannot be parsed is cheap.
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

/** The number of nodes of a syntax tree; infinite if the tree has an expensive call. */
function costOf(node: unknown): number {
  if (Array.isArray(node)) return node.reduce<number>((sum, part) => sum + costOf(part), 0);
  if (!isObject(node)) return 0;
  const { op, args } = node;
  const isCall = op === 'call' || op === 'rcall';
  if (isCall && !(Array.isArray(args) && CHEAP_CALLS.has(String(args[0])))) return Infinity;
  return 1 + costOf(args);
}
