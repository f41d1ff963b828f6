import { STATUSES } from '@errand/contracts';
import { LogsQuery, ReadQuery, ResultQuery } from '../control-requests.js';
import { ID, NOT_FOUND, parameter, problem, queryOf, responds, SUBMISSION_HEADERS, takes } from './path-terms.js';

const REDIS_AWAY =
  '`unavailable`: Redis cannot accept it now. If Redis cannot be reached, only an Idempotency-Key makes a second request safe';

/** Paths that submit, read and follow invocations. */
export const INVOCATION_PATHS = {
  '/v1/invocations': {
    get: {
      tags: ['invocations'],
      summary: 'List invocations, newest first, without `observation` and without the nodes of steps',
      parameters: [
        parameter('query', 'status', 'Only invocations with this status', { enum: STATUSES }),
        parameter('query', 'toolId', 'Only invocations that call this tool'),
        parameter('query', 'agent', 'Only invocations of this agent'),
        parameter('query', 'session', 'Only invocations of this session'),
        parameter(
          'query',
          'metadata.{key}',
          'Only invocations whose metadata has this text, number or boolean at the key',
        ),
        parameter('query', 'from', 'Only invocations that were accepted at this time (ISO 8601) or later'),
        parameter('query', 'to', 'Only invocations that were accepted before this time'),
        parameter('query', 'limit', 'Highest number of items. A page may have fewer and still have a nextCursor', {
          type: 'integer',
          minimum: 1,
          maximum: 1000,
          default: 20,
        }),
        parameter('query', 'cursor', 'The nextCursor of the previous page, with the same filters'),
      ],
      responses: {
        200: responds('A page', 'InvocationList'),
        400: problem('`invalid_request`: a malformed filter, limit or cursor'),
      },
    },
    post: {
      tags: ['invocations'],
      summary: 'Submit text, calls, or the message of a model API',
      parameters: [...SUBMISSION_HEADERS, parameter('header', 'traceparent', 'W3C trace context')],
      requestBody: takes('SubmitRequest'),
      responses: {
        200: {
          description: 'The invocation ended during the wait, or the text has no call',
          content: {
            'application/json': {
              schema: {
                oneOf: [{ $ref: '#/components/schemas/Invocation' }, { $ref: '#/components/schemas/NoAction' }],
              },
            },
          },
        },
        202: responds('Accepted', 'Invocation'),
        400: problem('`invalid_request`'),
        409: problem('`conflict`: the Idempotency-Key was used with another body'),
        413: problem('`payload_too_large`: ERRAND_BODY_LIMIT sets the limit'),
        422: problem(
          'The text cannot be parsed, a call does not fit its tool, or the callback address is not allowed. Nothing was enqueued',
        ),
        429: problem('`queue_full`: nothing was accepted. `Retry-After` has the seconds to wait'),
        503: problem(REDIS_AWAY),
      },
    },
  },
  '/v1/invocations/batch': {
    post: {
      tags: ['invocations'],
      summary: 'Submit up to 1,000 items at once. Each is accepted or refused by itself',
      parameters: [
        parameter('header', 'Idempotency-Key', 'The same key and body return the same invocations, which run once'),
        parameter('header', 'traceparent', 'W3C trace context'),
      ],
      requestBody: takes('BatchRequest'),
      responses: {
        200: responds('The outcome of each item, in order', 'BatchAnswer'),
        400: problem('`invalid_request`'),
        409: problem('`conflict`: the Idempotency-Key was used with another body'),
        413: problem('`payload_too_large`: ERRAND_BODY_LIMIT sets the limit'),
        503: problem(REDIS_AWAY),
      },
    },
  },
  '/v1/invocations/{id}': {
    get: {
      tags: ['invocations'],
      summary: 'Read an invocation, or wait for its end',
      parameters: [
        ID,
        ...queryOf(ReadQuery, {
          wait: ['Wait at most this many seconds (60 at most) for the end', { type: 'number' }],
        }),
      ],
      responses: { 200: responds('The invocation', 'Invocation'), ...NOT_FOUND },
    },
  },
  '/v1/invocations/{id}/events': {
    get: {
      tags: ['invocations'],
      summary: 'Follow an invocation: status, step, progress, log, output, end',
      parameters: [ID, parameter('header', 'Last-Event-ID', 'Resume after this event, at any process of the API')],
      responses: {
        204: { description: 'The event was the last one' },
        200: {
          description: 'Server-sent events until the invocation ends',
          content: { 'text/event-stream': { schema: { type: 'string' } } },
        },
        ...NOT_FOUND,
      },
    },
  },
  '/v1/invocations/{id}/logs': {
    get: {
      tags: ['invocations'],
      summary: 'Read the log lines of scripts (their stderr) and nodes',
      parameters: [ID, ...queryOf(LogsQuery, { step: ['Only this step, from 0', { type: 'integer' }] })],
      responses: { 200: responds('The lines', 'LogList'), ...NOT_FOUND },
    },
  },
  '/v1/invocations/{id}/result': {
    get: {
      tags: ['invocations'],
      summary: 'Read a part of the result by characters, or search the result for a text',
      parameters: [
        ID,
        ...queryOf(ResultQuery, {
          path: 'Only the value at this JSON Pointer',
          q: 'Search for this text, case-insensitive',
          offset: ['From this character', { type: 'integer', default: 0 }],
          limit: [
            'Highest number of characters (default 8,000), or of matches with `q` (default 20)',
            { type: 'integer' },
          ],
        }),
      ],
      responses: {
        200: responds('The part, or the matches', 'ResultPartOrMatches'),
        ...NOT_FOUND,
        409: problem('`conflict`: the invocation has no result (yet)'),
      },
    },
  },
  '/v1/invocations/{id}/artifacts/{name}': {
    get: {
      tags: ['invocations'],
      summary: 'Download a file that a script of the invocation handed out',
      parameters: [
        ID,
        parameter('path', 'name', 'The name of the file, with `%2F` for `/`'),
        parameter('query', 'step', 'The step, if several steps have a file with this name', { type: 'integer' }),
      ],
      responses: {
        200: {
          description: 'The bytes of the file',
          content: { 'application/octet-stream': { schema: { type: 'string', contentMediaType: '*/*' } } },
        },
        ...NOT_FOUND,
      },
    },
  },
};
