import { BATCH_ID } from '@errand/contracts';
import { ReadQuery } from '../control-requests.js';
import {
  IDEMPOTENCY,
  NOT_FOUND,
  parameter,
  problem,
  queryOf,
  QUEUE_FULL,
  REDIS_AWAY,
  responds,
  takes,
  TRACE,
} from './path-terms.js';

const WAIT = 'Wait at most this many seconds (60 at most) for the ends of all invocations';

/** Paths that submit and read batches. */
export const BATCH_PATHS = {
  '/v1/invocations/batch': {
    post: {
      operationId: 'submitBatch',
      tags: ['invocations'],
      summary: 'Submit up to 1,000 items at once. Each is accepted or refused by itself',
      parameters: [
        parameter(
          'header',
          'Prefer',
          '`wait=20` waits at most 20 s (highest value: 60) for the ends of all invocations',
        ),
        parameter(
          'header',
          'Idempotency-Key',
          'The same key and body return the same batch and invocations, which run once',
          IDEMPOTENCY,
        ),
        TRACE,
      ],
      requestBody: takes('BatchRequest'),
      responses: {
        200: responds('The outcome of each item, in order', 'BatchAnswer'),
        400: problem('`invalid_request`'),
        409: problem('`conflict`: the Idempotency-Key was used with another body'),
        413: problem('`payload_too_large`: ERRAND_BODY_LIMIT sets the limit'),
        429: QUEUE_FULL,
        503: REDIS_AWAY,
      },
    },
  },
  '/v1/batches/{id}': {
    get: {
      operationId: 'getBatch',
      tags: ['invocations'],
      summary: 'Count the invocations of a batch by status, or wait for their ends',
      parameters: [
        parameter('path', 'id', 'The id of a batch, `bat_…`', { type: 'string', pattern: BATCH_ID.source }),
        ...queryOf(ReadQuery, { wait: [WAIT, { type: 'number', minimum: 0 }] }),
        parameter('header', 'Prefer', '`wait=20`, like the parameter `wait`'),
      ],
      responses: { 200: responds('The batch', 'Batch'), ...NOT_FOUND },
    },
  },
};
