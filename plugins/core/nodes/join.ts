import { asText } from './as-text.js';
import { joinText } from './bounded-text.js';
import { defineComputation } from './define-node.js';

export const join = defineComputation({
  type: 'core:join',
  displayName: 'Join',
  description:
    'Joins parts to one text, in their order, with a separator between them. A list adds its items. A part that is not a text is written as JSON.',
  inputs: {
    parts: {
      dataFlowType: 'WILDCARD',
      multi: true,
      required: true,
      description: 'The parts, in order, or lists of them',
    },
    separator: { dataFlowType: 'STRING', description: 'The text between two parts', config: { default: '' } },
  },
  outputs: { text: { dataFlowType: 'STRING', description: 'The joined text' } },
  compute: ({ parts, separator }) => ({ text: joinText(parts.flat().map(asText), separator) }),
});
