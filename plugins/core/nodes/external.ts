import { ToolError } from '@errand/contracts';
import { defineNode } from './define-node.js';

export const external = defineNode({
  type: 'core:external',
  displayName: 'External',
  description:
    'Asks somebody outside (a person, or a tool of the client) and waits for the answer, which is its result. It uses no resources meanwhile and survives restarts.',
  inputs: { prompt: { dataFlowType: 'WILDCARD', description: 'The question, a text or any JSON' } },
  outputs: { result: { dataFlowType: 'WILDCARD', description: 'The answer' } },
  // A bypassed node asks nobody, so its question must not become the answer.
  bypassBehavior: {},
  config: {
    timeoutMs: {
      type: 'integer',
      minimum: 1,
      description: 'How long to wait for the answer, in milliseconds; then it fails',
    },
  },
  async run({ prompt }, { config: { timeoutMs }, park }) {
    if (timeoutMs !== undefined && !(Number.isInteger(timeoutMs) && Number(timeoutMs) > 0))
      throw new ToolError(
        'ParameterValidationError',
        `the setting 'timeoutMs' must be a whole number above 0, got ${JSON.stringify(timeoutMs)}`,
      );
    const answer = await park({
      for: 'answer',
      ...(timeoutMs !== undefined && { timeoutMs: Number(timeoutMs) }),
      ...(prompt !== undefined && { prompt }),
    });
    return { result: answer ?? null };
  },
});
