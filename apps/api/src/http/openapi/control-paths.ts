import { parameter, answers, takes, problem, ID, MAKING, NOT_FOUND } from './path-terms.js';

/** What becomes of an invocation by request: cancelled, repaired, answered, told again. */
export const CONTROL_PATHS = {
  '/v1/invocations/{id}/cancel': {
    post: {
      tags: ['invocations'],
      summary:
        'Cancel: it ends as `cancelled`, when all that runs for it has been stopped; one that waits never starts',
      parameters: [ID],
      responses: {
        202: answers('It is cancelled, or will be in a moment', 'Invocation'),
        ...NOT_FOUND,
        409: problem('`not_cancellable`: it has ended already'),
      },
    },
  },
  '/v1/invocations/{id}/retry': {
    post: {
      tags: ['invocations'],
      summary: 'Go on from one that failed or was cancelled, in a new invocation; what succeeded is kept',
      parameters: [ID, ...MAKING],
      requestBody: { ...takes('RetryRequest'), required: false },
      responses: {
        200: answers('The new invocation, which ended while you waited', 'Invocation'),
        202: answers('The new invocation', 'Invocation'),
        ...NOT_FOUND,
        409: problem('It succeeded, or has not ended; or the Idempotency-Key was used with another body'),
        422: problem('There is no such step, node or input, or the inputs do not fit the tool'),
      },
    },
  },
  '/v1/invocations/{id}/steps/{step}/result': {
    post: {
      tags: ['invocations'],
      summary:
        'Answer to a step, or one of its nodes, that waits for somebody outside; the same answer may be sent again',
      parameters: [ID, parameter('path', 'step', 'The number of the step, from 0', { type: 'integer' })],
      requestBody: takes('AnswerRequest'),
      responses: {
        202: answers('The answer is stored', 'Invocation'),
        ...NOT_FOUND,
        409: problem('Nothing waits there, or it has another answer'),
        422: problem('The result is not what the tool declares'),
      },
    },
  },
  '/v1/invocations/{id}/deliveries': {
    get: {
      tags: ['invocations'],
      summary: 'What became of the callback, with every attempt',
      parameters: [ID],
      responses: { 200: answers('The deliveries, oldest first', 'DeliveryList'), ...NOT_FOUND },
    },
  },
  '/v1/invocations/{id}/deliveries/{n}/redeliver': {
    post: {
      tags: ['invocations'],
      summary: 'Send the message of a delivery once more, with the same webhook-id; also after a success',
      parameters: [ID, parameter('path', 'n', 'The index or the id of the delivery')],
      responses: {
        202: answers('The new delivery', 'Delivery'),
        ...NOT_FOUND,
        409: problem('The invocation has not ended, or was redelivered a hundred times'),
      },
    },
  },
};
