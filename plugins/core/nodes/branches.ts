import { ToolError, type JsonObject, type StoredSlot } from '@errand/contracts';
import { defineNode } from './define-node.js';

const ANY: StoredSlot = { dataFlowType: 'WILDCARD' };

export const ifElse = defineNode({
  type: 'core:if',
  displayName: 'If',
  description: "Passes a value on to its output 'true' or 'false'; what hangs on the other one is skipped.",
  inputs: {
    condition: { dataFlowType: 'BOOLEAN', required: true, description: 'Which way to go' },
    value: { ...ANY, description: 'What to pass on; null if nothing is connected' },
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
  description:
    "Passes a value on to the output that is named like the key, or to 'default'; what hangs on the others is skipped.",
  inputs: {
    key: { dataFlowType: 'STRING', required: true, description: 'Which output to take' },
    value: { ...ANY, description: 'What to pass on; null if nothing is connected' },
  },
  outputs: { default: { ...ANY, description: 'The value, if no case is named like the key' } },
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
  description:
    'Gives the value, or the fallback where the node that should give the value failed or was skipped: the failure ends here.',
  inputs: {
    value: { ...ANY, acceptsFailure: true, description: 'The value that may fail' },
    fallback: { ...ANY, acceptsFailure: true, description: 'What to give instead; null if nothing is connected' },
  },
  outputs: {
    value: { ...ANY, description: 'The value or the fallback' },
    error: { dataFlowType: 'OBJECT', description: 'Only after a failure: its type and message' },
  },
  bypassBehavior: { passThrough: { value: 'value' }, skipRest: true },
  run({ value, fallback = null }, { failures }) {
    if (value !== undefined) return { value };
    if (failures.fallback) throw new ToolError(failures.fallback.type, failures.fallback.message);
    const { value: failure } = failures;
    return { value: fallback, ...(failure && { error: { type: failure.type, message: failure.message } }) };
  },
});

/** The configured cases; numbers count as their text. What is no name is told of where the setting is checked. */
function casesOf({ cases }: JsonObject): string[] {
  if (!Array.isArray(cases)) return [];
  return cases.filter((name) => typeof name === 'string' || typeof name === 'number').map(String);
}
