import { BATCH_ID } from '@errand/contracts';
import { ReadQuery } from '../control-requests.js';
import {
  found,
  parameter,
  queryOf,
  responds,
  SUBMISSION_REFUSED,
  submissionHeaders,
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
        ...submissionHeaders('the ends of all invocations', 'return the same batch and invocations, which run once'),
        TRACE,
      ],
      requestBody: takes('BatchRequest'),
      responses: {
        200: responds('The outcome of each item, in order', 'BatchAnswer'),
        ...SUBMISSION_REFUSED,
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
      responses: found('The batch', 'Batch'),
    },
  },
};
