import { isObject, ToolError, type Json, type JsonObject } from '@errand/contracts';
import { defineNode } from './define-node.js';
import { oneOf } from './one-of.js';

/** How many levels of objects are merged. */
const MODES = { deep: Infinity, shallow: 1 };

export const makeObject = defineNode({
  type: 'core:object',
  displayName: 'Object',
  effects: 'none',
  description: 'Makes an object from its inputs, whose names you choose. Each input is a property with the same name.',
  inputs: {},
  otherInputs: { dataFlowType: 'WILDCARD', description: 'The value of the property with this name' },
  outputs: { value: { dataFlowType: 'OBJECT', description: 'The object; an input without a value is left out' } },
  // A bypassed node makes no object, so none of its inputs may stand for it.
  bypassBehavior: {},
  run: (inputs) => ({ value: inputs }),
});

export const merge = defineNode({
  type: 'core:merge',
  displayName: 'Merge',
  effects: 'none',
  description:
    'Merges objects into one. If two have the same property, the later one wins. Deep merging also merges inner objects; it replaces lists and does not join them. It can also join the branches of a workflow.',
  inputs: {
    objects: { dataFlowType: 'OBJECT', multi: true, required: true, description: 'The objects; later ones win' },
    mode: {
      dataFlowType: 'STRING',
      description: 'deep or shallow (only the outermost properties)',
      matchCategories: ['ComboOption'],
      config: { default: 'deep', suggestions: Object.keys(MODES) },
    },
  },
  outputs: { object: { dataFlowType: 'OBJECT', description: 'The merged object' } },
  run({ objects, mode }) {
    const levels = oneOf(MODES, 'mode', mode);
    const tree: Tree = new Map();
    for (const object of objects) mergeInto(tree, object, levels);
    return { object: objectOf(tree) };
  },
});

export const pick = defineNode({
  type: 'core:pick',
  displayName: 'Pick',
  effects: 'none',
  description: 'Keeps only the named properties of an object. Names that the object does not have are ignored.',
  inputs: {
    object: { dataFlowType: 'OBJECT', required: true, description: 'The object' },
    keys: { dataFlowType: 'ARRAY', required: true, description: 'The names of the properties to keep' },
  },
  outputs: { object: { dataFlowType: 'OBJECT', description: 'The object with these properties only' } },
  run({ object, keys }) {
    const wanted = namesIn(keys);
    return { object: Object.fromEntries(Object.entries(object).filter(([key]) => wanted.has(key))) };
  },
});

export const omit = defineNode({
  type: 'core:omit',
  displayName: 'Omit',
  effects: 'none',
  description: 'Removes the named properties from an object and keeps the others.',
  inputs: {
    object: { dataFlowType: 'OBJECT', required: true, description: 'The object' },
    keys: { dataFlowType: 'ARRAY', required: true, description: 'The names of the properties to remove' },
  },
  outputs: { object: { dataFlowType: 'OBJECT', description: 'The object without these properties' } },
  run({ object, keys }) {
    const unwanted = namesIn(keys);
    return { object: Object.fromEntries(Object.entries(object).filter(([key]) => !unwanted.has(key))) };
  },
});

/** The intermediate result: Maps, so that `__proto__` is an ordinary property and no object is copied repeatedly. */
type Tree = Map<string, Json | Tree>;

function mergeInto(tree: Tree, from: JsonObject, levels: number): void {
  for (const [key, value] of Object.entries(from)) {
    if (levels <= 1 || !isObject(value)) {
      tree.set(key, value);
      continue;
    }
    const old = tree.get(key);
    const branch: Tree = old instanceof Map ? old : new Map();
    mergeInto(branch, value, levels - 1);
    tree.set(key, branch);
  }
}

function objectOf(tree: Tree): JsonObject {
  return Object.fromEntries([...tree].map(([key, value]) => [key, value instanceof Map ? objectOf(value) : value]));
}

function namesIn(keys: readonly Json[]): Set<Json> {
  const wrong = keys.findIndex((key) => typeof key !== 'string');
  if (wrong < 0) return new Set(keys);
  throw new ToolError(
    'ParameterValidationError',
    `'keys' must be a list of names, got ${JSON.stringify(keys[wrong])} at ${wrong}`,
  );
}
