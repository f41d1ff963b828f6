import { ERROR_KINDS, PROBLEM_CODES } from '@errand/contracts';
import { list, MESSAGES, object, text, whole } from './schema-terms.js';

/** The fields of one problem of a value or text. */
export const PROBLEM_FIELDS = {
  path: { ...text, description: 'A JSON Pointer into the value; empty for the whole' },
  message: text,
  kind: { enum: ERROR_KINDS, description: 'Set for a problem of a call' },
  call: { ...whole, description: 'The number of the call in the text, from 0' },
  line: whole,
  column: whole,
  suggestion: { ...text, description: 'The nearest valid name' },
  callId: { ...text, description: 'The id that a model gave the call' },
};

/** The body of each error. */
export const PROBLEM_SCHEMA = {
  Problem: object(
    {
      type: text,
      title: text,
      status: whole,
      detail: text,
      code: { enum: Object.keys(PROBLEM_CODES) },
      errors: {
        ...list(object(PROBLEM_FIELDS, ['message'])),
        description: 'The wrong parts of the request; empty where `detail` says everything',
      },
      observation: { ...text, description: 'The text for the model' },
      messages: { ...MESSAGES, description: `${MESSAGES.description}. In every 422 to a \`message\`` },
    },
    ['type', 'title', 'status', 'detail', 'code', 'errors'],
  ),
};
