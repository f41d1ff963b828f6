import { defineComputation } from './define-node.js';

export const split = defineComputation({
  type: 'core:split',
  displayName: 'Split',
  description: 'Splits a text at each separator into a list of texts. An empty separator splits into characters.',
  inputs: {
    text: { dataFlowType: 'STRING', required: true, description: 'The text to split' },
    separator: { dataFlowType: 'STRING', description: 'The text at which to split', config: { default: ',' } },
    trim: {
      dataFlowType: 'BOOLEAN',
      description: 'Whether to cut blanks off the ends of each part',
      config: { default: false },
    },
  },
  outputs: { parts: { dataFlowType: 'ARRAY', description: 'The parts, in order' } },
  compute({ text, separator, trim }) {
    const parts = separator === '' ? Array.from(text) : text.split(separator);
    return { parts: trim ? parts.map((part) => part.trim()) : parts };
  },
});
