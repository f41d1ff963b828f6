import { CALLBACK_EVENTS } from '@errand/contracts';
import { text, whole, anything, free, ref, list, object } from './schema-terms.js';
import { PROTOCOLS } from '../protocols.js';

const ONE_OF = 'One of: `text`; `calls`; `toolId` with `arguments`.';
const onError = { enum: ['stop', 'continue'], default: 'stop', description: 'What follows where a call fails' };
const submission = {
  text,
  protocol: ref('Protocol'),
  calls: list(ref('CallRequest')),
  toolId: text,
  arguments: free,
  agent: text,
  session: text,
  metadata: free,
  attachments: {
    ...list(ref('AttachmentRequest')),
    maxItems: 32,
    description: 'Files that the scripts of the invocation find in $ERRAND_IN',
  },
  options: ref('OptionsRequest'),
  callback: ref('CallbackRequest'),
};

/** What requests carry; the properties are those of the DTOs: a test compares them. */
export const REQUEST_SCHEMAS = {
  SubmitRequest: { description: ONE_OF, ...object(submission, []) },
  BatchItemRequest: {
    description: `${ONE_OF} \`idempotencyKey\` stands for the header of that name.`,
    ...object({ ...submission, idempotencyKey: text }, []),
  },
  BatchRequest: object({ items: { ...list(ref('BatchItemRequest')), minItems: 1, maxItems: 1000 } }),
  AttachmentRequest: object({ name: text, contentType: text, base64: { ...text, contentEncoding: 'base64' } }, [
    'name',
    'base64',
  ]),
  CallRequest: object({ toolId: text, arguments: free, onError }, ['toolId']),
  OptionsRequest: object(
    {
      priority: { ...whole, minimum: 1, description: '1 is the most urgent; none at all goes before every one' },
      delayMs: whole,
      timeoutMs: whole,
      attempts: { ...whole, minimum: 1, maximum: 25, description: 'Tries of a failure that a retry may mend' },
      backoff: ref('BackoffRequest'),
      mode: { enum: ['sequence', 'parallel'], default: 'sequence' },
      concurrency: { ...whole, minimum: 1, maximum: 100, default: 20, description: 'Calls side by side at a time' },
      onError,
      maxResultChars: { ...whole, minimum: 200, default: 8000, description: 'Budget of the observation' },
    },
    [],
  ),
  CallbackRequest: object(
    {
      url: { ...text, format: 'uri', description: 'http or https, of a public host or one that the operator allows' },
      events: { ...list({ enum: CALLBACK_EVENTS }), description: 'Only these ends; all without it' },
      secret: { ...text, description: '`whsec_…`: signs in place of the operator’s secrets; never shown' },
    },
    ['url'],
  ),
  BackoffRequest: object({ type: { enum: ['fixed', 'exponential'] }, delayMs: whole, maxDelayMs: whole }, [
    'type',
    'delayMs',
  ]),
  ParseRequest: object({ text, protocol: ref('Protocol'), agent: text, tools: list(ref('ParseToolRequest')) }, [
    'text',
  ]),
  ParseToolRequest: object({ toolId: text, description: text, parameters: free }, ['toolId']),
  RetryRequest: object(
    {
      steps: {
        type: 'object',
        additionalProperties: object({ inputs: free }),
        description:
          'Inputs that take the place of those that were: by node (`node`, `group/node`), by the number of a step for its ' +
          'arguments, or, where there are several steps, by `step/node`',
      },
    },
    [],
  ),
  AnswerRequest: {
    description: 'One of `result` and `error`. `nodeId` says which, where several nodes of the step wait.',
    ...object({ result: anything, error: ref('AnswerErrorRequest'), nodeId: text }, []),
  },
  AnswerErrorRequest: object({ message: text }),
  PreviewRequest: object({ workflowId: text, workflow: free }),
  Protocol: { ...text, enum: PROTOCOLS, default: 'auto' },
} satisfies Record<string, object>;
