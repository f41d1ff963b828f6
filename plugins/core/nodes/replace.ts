import { ToolError } from '@errand/contracts';
import { joinText } from './bounded-text.js';
import { defineComputation } from './define-node.js';

export const replace = defineComputation({
  type: 'core:replace',
  displayName: 'Replace',
  description: 'Replaces every occurrence of an exact text in another text. For patterns use core:regex.',
  inputs: {
    text: { dataFlowType: 'STRING', required: true, description: 'The text to search' },
    search: { dataFlowType: 'STRING', required: true, description: 'The exact text to replace' },
    replacement: { dataFlowType: 'STRING', description: 'The new text', config: { default: '' } },
  },
  outputs: { text: { dataFlowType: 'STRING', description: 'The text with the replacements' } },
  compute({ text, search, replacement }) {
    if (search === '') throw new ToolError('ParameterValidationError', "'search' must not be empty");
    return { text: joinText(text.split(search), replacement) };
  },
});
