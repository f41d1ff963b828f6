import { STATUSES } from '@errand/contracts';
import { parameter, answers, takes, problem, ID, MAKING, NOT_FOUND } from './path-terms.js';

const WAIT = parameter('query', 'wait', 'Wait at most this many seconds (60 at the most) for the end', {
  type: 'number',
});

/** Submitting, reading and following invocations. */
export const INVOCATION_PATHS = {
  '/v1/invocations': {
    get: {
      tags: ['invocations'],
      summary: 'List invocations, newest first; `observation` and the nodes of steps are left out',
      parameters: [
        parameter('query', 'status', 'Only those that stand so', { enum: STATUSES }),
        parameter('query', 'toolId', 'Only those that call this tool'),
        parameter('query', 'agent', 'Only those of this agent'),
        parameter('query', 'session', 'Only those of this session'),
        parameter('query', 'metadata.{key}', 'Only those whose metadata have this text, number or boolean there'),
        parameter('query', 'from', 'Only those accepted at this time (ISO 8601) or later'),
        parameter('query', 'to', 'Only those accepted before this time'),
        parameter('query', 'limit', 'At most this many; a page may have fewer, and a nextCursor all the same', {
          type: 'integer',
          minimum: 1,
          maximum: 1000,
          default: 20,
        }),
        parameter('query', 'cursor', 'The nextCursor of the page before, with the same filters'),
      ],
      responses: { 200: answers('A page', 'InvocationList'), 400: problem('A filter, limit or cursor that is none') },
    },
    post: {
      tags: ['invocations'],
      summary: 'Submit text or calls',
      parameters: [...MAKING, parameter('header', 'traceparent', 'W3C trace context')],
      requestBody: takes('SubmitRequest'),
      responses: {
        200: {
          description: 'It ended while you waited; or the text calls nothing',
          content: {
            'application/json': {
              schema: {
                oneOf: [{ $ref: '#/components/schemas/Invocation' }, { $ref: '#/components/schemas/NoAction' }],
              },
            },
          },
        },
        202: answers('Accepted', 'Invocation'),
        400: problem('Not a valid request'),
        409: problem('The Idempotency-Key was used with another body'),
        413: problem('The body is too large'),
        422: problem(
          'The text cannot be parsed, a call does not fit its tool, or the callback may not be called; nothing was enqueued',
        ),
        429: problem('`queue_full`: nothing was accepted; `Retry-After` says when to come back'),
        503: problem('Redis cannot take it now; where it cannot be reached, only a key makes it safe to send it again'),
      },
    },
  },
  '/v1/invocations/batch': {
    post: {
      tags: ['invocations'],
      summary: 'Submit up to 1,000 at once; each is accepted or refused on its own',
      parameters: [
        parameter('header', 'Idempotency-Key', 'The same key and body again give the same invocations, once run'),
        parameter('header', 'traceparent', 'W3C trace context'),
      ],
      requestBody: takes('BatchRequest'),
      responses: {
        200: answers('What became of each item, in order', 'BatchAnswer'),
        400: problem('Not a valid request'),
        409: problem('The Idempotency-Key was used with another body'),
        413: problem('The body is too large'),
        503: problem('Redis cannot take it now; where it cannot be reached, only a key makes it safe to send it again'),
      },
    },
  },
  '/v1/invocations/{id}': {
    get: {
      tags: ['invocations'],
      summary: 'Read, or wait for, an invocation',
      parameters: [ID, WAIT],
      responses: { 200: answers('The invocation', 'Invocation'), ...NOT_FOUND },
    },
  },
  '/v1/invocations/{id}/events': {
    get: {
      tags: ['invocations'],
      summary: 'Follow an invocation: status, step, progress, log, output, end',
      parameters: [ID, parameter('header', 'Last-Event-ID', 'Go on after this event, on any process of the API')],
      responses: {
        204: { description: 'Nothing follows after this event: it was the end' },
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
      summary: 'What scripts wrote to stderr, and what nodes logged',
      parameters: [ID, parameter('query', 'step', 'Only this step, from 0', { type: 'integer' })],
      responses: { 200: answers('The lines', 'LogList'), ...NOT_FOUND },
    },
  },
  '/v1/invocations/{id}/result': {
    get: {
      tags: ['invocations'],
      summary: 'A part of the result, by characters, or the places where a text stands in it',
      parameters: [
        ID,
        parameter('query', 'path', 'Only the value at this JSON Pointer'),
        parameter('query', 'q', 'Look for this text, whether in capitals or not'),
        parameter('query', 'offset', 'From this character', { type: 'integer', default: 0 }),
        parameter('query', 'limit', 'At most so many characters (8,000 unless told); with `q`, places (20)', {
          type: 'integer',
        }),
      ],
      responses: {
        200: answers('The part, or the places', 'ResultPartOrMatches'),
        ...NOT_FOUND,
        409: problem('There is no result (yet)'),
      },
    },
  },
  '/v1/invocations/{id}/artifacts/{name}': {
    get: {
      tags: ['invocations'],
      summary: 'A file that a script of the invocation handed out, to be saved',
      parameters: [
        ID,
        parameter('path', 'name', 'Its name; a `/` in it as `%2F`'),
        parameter('query', 'step', 'Of this step, where several have one of that name', { type: 'integer' }),
      ],
      responses: {
        200: {
          description: 'Its bytes',
          content: { 'application/octet-stream': { schema: { type: 'string', contentMediaType: '*/*' } } },
        },
        ...NOT_FOUND,
      },
    },
  },
};
