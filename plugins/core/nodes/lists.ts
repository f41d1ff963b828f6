import { isObject, ToolError, type Json, type JsonObject } from '@errand/contracts';
import { asText } from './as-text.js';
import { computation, dataLimits } from './computation.js';
import { defineNode } from './define-node.js';

/** More than a workflow needs, and little memory for a process. */
const MAX_ITEMS = 100_000;

export const length = defineNode({
  type: 'core:length',
  displayName: 'Length',
  effects: 'none',
  description: 'Counts the items of a list, the characters of a text or the properties of an object.',
  inputs: { value: { dataFlowType: 'WILDCARD', required: true, description: 'A list, a text or an object' } },
  outputs: { length: { dataFlowType: 'INTEGER', description: 'The count' } },
  bypassBehavior: {},
  run: ({ value }, context) =>
    typeof value === 'string' ? lengthOfText({ value }, context) : { length: lengthOf(value) },
});

export const slice = defineNode({
  type: 'core:slice',
  displayName: 'Slice',
  effects: 'none',
  description:
    'Returns a part of a list or a text, from the position start up to, but not including, end. Negative positions count from the end: start -3 returns the last three.',
  inputs: {
    value: { dataFlowType: 'WILDCARD', required: true, description: 'A list or a text' },
    start: { dataFlowType: 'INTEGER', description: 'The first position, from 0', config: { default: 0 } },
    end: {
      dataFlowType: 'INTEGER',
      description: 'The position after the last item; without it, the part reaches to the end',
    },
  },
  outputs: { value: { dataFlowType: 'WILDCARD', description: 'The part; it may be empty' } },
  run: (inputs, context) => (typeof inputs.value === 'string' ? sliceOfText(inputs, context) : sliceOf(inputs)),
});

export const flatten = defineNode({
  type: 'core:flatten',
  displayName: 'Flatten',
  effects: 'none',
  description: 'Replaces the lists inside a list by their items.',
  inputs: {
    items: { dataFlowType: 'ARRAY', required: true, description: 'A list with lists in it' },
    depth: {
      dataFlowType: 'INTEGER',
      description: 'How many levels to flatten',
      config: { default: 1 },
      min: 1,
      max: 64,
    },
  },
  outputs: { items: { dataFlowType: 'ARRAY', description: 'The flat list' } },
  // TypeScript has types only for a depth that is a literal.
  run: ({ items, depth }) => ({ items: (items as unknown[]).flat(depth) as Json[] }),
});

export const zip = defineNode({
  type: 'core:zip',
  displayName: 'Zip',
  effects: 'none',
  description: 'Combines lists item by item: a list of the first items, a list of the second items, and so on.',
  inputs: {
    lists: {
      dataFlowType: 'ARRAY',
      multi: true,
      required: true,
      description: 'The lists; all must have the same length',
    },
  },
  outputs: { items: { dataFlowType: 'ARRAY', description: 'A list of lists' } },
  run({ lists }) {
    const [first = []] = lists;
    for (const [index, { length: count }] of lists.entries())
      if (count !== first.length)
        throw new ToolError(
          'ParameterValidationError',
          `the lists must be equally long: the first has ${first.length} items, number ${index + 1} has ${count}`,
        );
    return { items: first.map((_item, index) => lists.map((list) => list[index] ?? null)) };
  },
});

export const chunk = defineNode({
  type: 'core:chunk',
  displayName: 'Chunk',
  effects: 'none',
  description: 'Divides a list into lists of at most size items.',
  inputs: {
    items: { dataFlowType: 'ARRAY', required: true, description: 'The list' },
    size: { dataFlowType: 'INTEGER', required: true, description: 'The number of items in a portion', min: 1 },
  },
  outputs: { chunks: { dataFlowType: 'ARRAY', description: 'The portions, in order; the last one may be shorter' } },
  run({ items, size }) {
    const starts = Array.from({ length: Math.ceil(items.length / size) }, (_, index) => index * size);
    return { chunks: starts.map((start) => items.slice(start, start + size)) };
  },
});

export const range = defineNode({
  type: 'core:range',
  displayName: 'Range',
  effects: 'none',
  description: 'Makes a list of numbers from start up to, but not including, end.',
  inputs: {
    start: { dataFlowType: 'FLOAT', description: 'The first number', config: { default: 0 } },
    end: { dataFlowType: 'FLOAT', required: true, description: 'The end of the range, which is not in the list' },
    step: {
      dataFlowType: 'FLOAT',
      description: 'The difference between two numbers; negative to count down',
      config: { default: 1 },
    },
  },
  outputs: { items: { dataFlowType: 'ARRAY', description: 'The numbers' } },
  run({ start, end, step }) {
    if (step === 0) throw new ToolError('ParameterValidationError', "'step' must not be 0");
    const count = Math.max(0, Math.ceil((end - start) / step));
    if (count > MAX_ITEMS)
      throw new ToolError('ParameterValidationError', `the list would have ${count} items; ${MAX_ITEMS} are allowed`);
    return { items: Array.from({ length: count }, (_, index) => start + index * step) };
  },
});

function lengthOf(value: Json): number {
  return isObject(value) ? Object.keys(value).length : partsOf(value).length;
}

/** Cutting a list takes constant time; the characters of a text must be counted. */
const lengthOfText = computation<{ value: Json }>('core:length', {
  limits: dataLimits('core:length'),
  compute: ({ value }) => ({ length: lengthOf(value) }),
});

interface Slicing {
  value: Json;
  start: number;
  end: number | undefined;
}

function sliceOf({ value, start, end }: Slicing): JsonObject {
  const part = partsOf(value).slice(start, end);
  return { value: typeof value === 'string' ? part.map(asText).join('') : part };
}

const sliceOfText = computation<Slicing>('core:slice', { limits: dataLimits('core:slice'), compute: sliceOf });

/** The items of a list, or the characters of a text (code points, not UTF-16 units). */
function partsOf(value: Json): Json[] {
  if (Array.isArray(value)) return value;
  if (typeof value === 'string') return Array.from(value);
  throw new ToolError('ParameterValidationError', "'value' must be a list or a text");
}
