import { ToolError, type JsonObject, type StoredSlot } from '@errand/contracts';
import { defineNode } from './define-node.js';

const ANY: StoredSlot = { dataFlowType: 'WILDCARD' };

export const ifElse = defineNode({
  type: 'core:if',
  displayName: 'If',
  effects: 'none',
  description: "Passes a value on to its output 'true' or 'false'. Nodes that depend on the other output are skipped.",
  inputs: {
    condition: { dataFlowType: 'BOOLEAN', required: true, description: 'The condition' },
    value: { ...ANY, description: 'The value to pass on; null without a connection' },
  },
  outputs: {
    true: { ...ANY, description: 'The value, if the condition is true' },
    false: { ...ANY, description: 'The value, if the condition is false' },
  },
  bypassBehavior: { passThrough: { true: 'value' }, skipRest: true },
  run: ({ condition, value = null }) => ({ [`${condition}`]: value }),
});

export const switchCase = defineNode({
  type: 'core:switch',
  displayName: 'Switch',
  effects: 'none',
  description:
    "Passes a value on to the output with the name of the key, or to 'default'. Nodes that depend on the other outputs are skipped.",
  inputs: {
    key: { dataFlowType: 'STRING', required: true, description: 'The name of the output' },
    value: { ...ANY, description: 'The value to pass on; null without a connection' },
  },
  outputs: { default: { ...ANY, description: 'The value, if no case has the name of the key' } },
  bypassBehavior: { passThrough: { default: 'value' }, skipRest: true },
  config: { cases: { type: 'array', items: { type: 'string' }, description: 'The names of the outputs', default: [] } },
  outputsFor: (config) => ({ ...Object.fromEntries(casesOf(config).map((name) => [name, ANY])), default: ANY }),
  run: ({ key, value = null }, { config }) => ({
    [casesOf(config).includes(key) ? key : 'default']: value,
  }),
});

export const tryElse = defineNode({
  type: 'core:try',
  displayName: 'Try',
  effects: 'none',
  description:
    'Returns the value. If the node before it failed or was skipped, returns the fallback, and the failure ends here.',
  inputs: {
    value: { ...ANY, acceptsFailure: true, description: 'The value that may fail' },
    fallback: { ...ANY, acceptsFailure: true, description: 'The value after a failure; null without a connection' },
  },
  outputs: {
    value: { ...ANY, description: 'The value or the fallback' },
    error: { dataFlowType: 'OBJECT', description: 'The type and message of a failure; no value without one' },
  },
  bypassBehavior: { passThrough: { value: 'value' }, skipRest: true },
  run({ value, fallback = null }, { failures }) {
    if (value !== undefined) return { value };
    if (failures.fallback) throw new ToolError(failures.fallback.type, failures.fallback.message);
    const { value: failure } = failures;
    return { value: fallback, ...(failure && { error: { type: failure.type, message: failure.message } }) };
  },
});

/** The configured cases; numbers count as their text. The check of the setting reports other values. */
function casesOf({ cases }: JsonObject): string[] {
  if (!Array.isArray(cases)) return [];
  return cases.filter((name) => typeof name === 'string' || typeof name === 'number').map(String);
}
