import type { JsonObject } from '@errand/contracts';
import { asText } from './as-text.js';
import { requireLength } from './bounded-text.js';
import { defineComputation } from './define-node.js';
import { parsePath, walkPath } from './walk-path.js';

const PLACEHOLDER = /\{\{([^{}]*)\}\}/g;

export const template = defineComputation({
  type: 'core:template',
  displayName: 'Template',
  description: 'Fills the places {{name}} of a text with values; {{user.name}} and {{items.0}} read nested values.',
  inputs: {
    template: { dataFlowType: 'STRING', required: true, description: 'The text with places such as {{name}}' },
    data: { dataFlowType: 'OBJECT', description: 'The values by name', config: { default: {} } },
  },
  outputs: { text: { dataFlowType: 'STRING', description: 'The text, filled in' } },
  compute: (inputs) => ({ text: fill(inputs.template, inputs.data) }),
});

function fill(text: string, data: JsonObject): string {
  let length = text.length;
  return text.replace(PLACEHOLDER, (placeholder, name: string) => {
    const value = valueAt(placeholder, name.trim(), data);
    requireLength((length += value.length));
    return value;
  });
}

function valueAt(placeholder: string, name: string, data: JsonObject): string {
  try {
    return asText(walkPath(data, parsePath(name), 'data'));
  } catch (error) {
    throw new Error(`${placeholder} cannot be filled: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}
