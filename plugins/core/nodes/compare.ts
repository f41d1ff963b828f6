import { isObject, ToolError, type Json } from '@errand/contracts';
import { defineComputation } from './define-node.js';
import { oneOf } from './one-of.js';

type Operation = (a: Json, b: Json) => boolean;

const OPERATIONS: Record<string, Operation> = {
  eq: isEqualJson,
  ne: (a, b) => !isEqualJson(a, b),
  lt: (a, b) => order('lt', a, b) < 0,
  le: (a, b) => order('le', a, b) <= 0,
  gt: (a, b) => order('gt', a, b) > 0,
  ge: (a, b) => order('ge', a, b) >= 0,
  contains: (a, b) => holds({ name: 'a', value: a }, { name: 'b', value: b }),
  in: (a, b) => holds({ name: 'b', value: b }, { name: 'a', value: a }),
};

export const compare = defineComputation({
  type: 'core:compare',
  displayName: 'Compare',
  description:
    "Compares two values and returns true or false. The orders lt, le, gt and ge take two numbers or two texts; texts compare by character code, so that '10' comes before '9'.",
  inputs: {
    a: { dataFlowType: 'WILDCARD', required: true, description: 'The first value' },
    op: {
      dataFlowType: 'STRING',
      required: true,
      description:
        'eq, ne: whether the values are equal as JSON, or not; lt, le, gt, ge: less, at most, greater, at least; contains: whether the text a has the text b, the list a an item b, or the object a the name b; in: the same with a and b swapped',
      matchCategories: ['ComboOption'],
      config: { suggestions: Object.keys(OPERATIONS) },
    },
    b: { dataFlowType: 'WILDCARD', required: true, description: 'The second value' },
  },
  outputs: { result: { dataFlowType: 'BOOLEAN', description: 'Whether it is so' } },
  // A bypassed node compares nothing, so neither value may become the answer.
  bypassBehavior: {},
  compute: ({ a, op, b }) => ({ result: oneOf(OPERATIONS, 'op', op)(a, b) }),
});

/** Below 0, 0 or above 0. @throws ParameterValidationError for anything but two numbers or two texts */
function order(op: string, a: Json, b: Json): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'string' && typeof b === 'string') return a < b ? -1 : Number(a > b);
  throw new ToolError(
    'ParameterValidationError',
    `'${op}' compares two numbers or two texts, got ${kindOf(a)} in 'a' and ${kindOf(b)} in 'b'`,
  );
}

interface Given {
  name: string;
  value: Json;
}

function holds(whole: Given, part: Given): boolean {
  const { value } = whole;
  if (Array.isArray(value)) return value.some((item) => isEqualJson(item, part.value));
  if (typeof value !== 'string' && !isObject(value))
    throw new ToolError(
      'ParameterValidationError',
      `'${whole.name}' must be a text, a list or an object to search in, got ${kindOf(value)}`,
    );
  if (typeof part.value === 'string')
    return typeof value === 'string' ? value.includes(part.value) : Object.hasOwn(value, part.value);
  throw new ToolError(
    'ParameterValidationError',
    `'${part.name}' must be a text to search for in ${kindOf(value)}, got ${kindOf(part.value)}`,
  );
}

function kindOf(value: Json): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return 'a text';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** Whether two values are equal as JSON: the order of an object's names does not count, and 1 is 1.0. Linear in their size. */
export function isEqualJson(a: Json, b: Json): boolean {
  if (a === b) return true;
  if (Array.isArray(a))
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => isEqualJson(item, b[index] ?? null));
  if (!isObject(a) || !isObject(b) || Array.isArray(b)) return false;
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && isEqualJson(a[name] ?? null, b[name] ?? null))
  );
}
