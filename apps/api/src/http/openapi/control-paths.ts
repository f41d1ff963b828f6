import {
  ANSWERED,
  found,
  ID,
  NOT_FOUND,
  parameter,
  problem,
  QUEUE_FULL,
  responds,
  SUBMISSION_HEADERS,
  SUBMITTED,
  takes,
} from './path-terms.js';
import { INDEX } from './query-terms.js';

/** Paths that cancel, retry, answer and redeliver. */
export const CONTROL_PATHS = {
  '/v1/invocations/{id}/cancel': {
    post: {
      operationId: 'cancelInvocation',
      tags: ['invocations'],
      summary:
        'Cancel an invocation. It ends as `cancelled` when everything that runs for it has stopped. A waiting one never starts',
      parameters: [ID],
      requestBody: { ...takes('CancelRequest'), required: false },
      responses: {
        202: responds('The invocation is cancelled, or will be in a moment', 'Invocation'),
        ...NOT_FOUND,
        409: problem('`not_cancellable`: the invocation has ended'),
      },
    },
  },
  '/v1/invocations/{id}/retry': {
    post: {
      operationId: 'retryInvocation',
      tags: ['invocations'],
      summary: 'Continue a failed or cancelled invocation in a new one. Finished steps and nodes keep their results',
      parameters: [ID, ...SUBMISSION_HEADERS],
      requestBody: { ...takes('RetryRequest'), required: false },
      responses: {
        200: responds('The new invocation, which ended during the wait', 'Invocation', SUBMITTED),
        202: responds('The new invocation', 'Invocation', SUBMITTED),
        ...NOT_FOUND,
        409: problem(
          '`conflict`: the invocation succeeded, or has not ended, or the Idempotency-Key was used with another body',
        ),
        422: problem(
          '`invalid_request`: unknown step, node or input; `invalid_parameters`: the inputs do not fit the tool',
        ),
        429: QUEUE_FULL,
      },
    },
  },
  '/v1/invocations/{id}/steps/{step}/result': {
    post: {
      operationId: 'answerStep',
      tags: ['invocations'],
      summary: 'Answer a step, or one of its nodes, that waits for an answer. The same answer may be sent again',
      parameters: [ID, parameter('path', 'step', 'The number of the step, from 0', INDEX)],
      requestBody: takes('AnswerRequest'),
      responses: ANSWERED,
    },
  },
  '/v1/invocations/{id}/deliveries': {
    get: {
      operationId: 'listDeliveries',
      tags: ['invocations'],
      summary: 'List the deliveries of the callback, with every attempt',
      parameters: [ID],
      responses: found('The deliveries, oldest first', 'DeliveryList'),
    },
  },
  '/v1/invocations/{id}/deliveries/{n}/redeliver': {
    post: {
      operationId: 'redeliverCallback',
      tags: ['invocations'],
      summary: 'Send the message of a delivery again, with the same webhook-id. This also works after a success',
      parameters: [ID, parameter('path', 'n', 'The index or the id of the delivery')],
      responses: {
        202: responds('The new delivery', 'Delivery'),
        ...NOT_FOUND,
        409: problem('`conflict`: the invocation has not ended, or was redelivered a hundred times'),
      },
    },
  },
};
