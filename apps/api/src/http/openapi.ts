import { PROBLEM_CODES, STATUSES } from '@errand/contracts';
import { SCHEMAS } from './openapi-schemas.js';

type Parameter = {
  name: string;
  in: 'path' | 'query' | 'header';
  description: string;
  required?: boolean;
  schema: object;
};

const parameter = (
  where: Parameter['in'],
  name: string,
  description: string,
  schema: object = { type: 'string' },
): Parameter => ({
  name,
  in: where,
  description,
  ...(where === 'path' && { required: true }),
  schema,
});
const json = (name: string) => ({ 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } });
const answers = (description: string, name: string) => ({ description, content: json(name) });
const takes = (name: string) => ({ required: true, content: json(name) });
const problem = (description: string) => ({
  description,
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
});

const ID = parameter('path', 'id', 'The id of an invocation, `inv_…`');
const AGENT = parameter('query', 'agent', 'Only what exists for this agent');
const WAIT = parameter('query', 'wait', 'Wait at most this many seconds (60 at the most) for the end', {
  type: 'number',
});
const PROTOCOL = { type: 'string', enum: ['auto', 'action', 'tam', 'tam2', 'vcp'], default: 'auto' };
const NOT_FOUND = { 404: problem('No such thing, or not yours') };

const catalogue = {
  get: {
    tags: ['tools'],
    summary: 'The catalogue of tools',
    parameters: [
      parameter('query', 'namespace', 'What stands before the colon of the id'),
      parameter('query', 'tag', 'A tag'),
      parameter('query', 'kind', 'What stands behind the tool', {
        enum: ['node', 'workflow', 'service', 'script', 'external'],
      }),
      AGENT,
      parameter(
        'query',
        'q',
        'Words to look for in id, name, description, tags and parameters; the best fit comes first',
      ),
      parameter('query', 'limit', 'At most this many; all without it', { type: 'integer', minimum: 1, maximum: 1000 }),
      parameter('query', 'cursor', 'The nextCursor of the page before'),
    ],
    responses: { 200: answers('The tools', 'ToolList'), 400: problem('Not a valid filter') },
  },
};

/** The HTTP API as OpenAPI 3.1. Written by hand beside the controllers; a test holds it against the routes and the DTOs. */
export const OPENAPI = {
  openapi: '3.1.0',
  info: {
    title: 'Errand',
    version: '1',
    description:
      'Runs the tools of AI agents as durable background jobs. Submit text with an `<ACTION>` or TAM block, or JSON; ' +
      'then wait, poll, or follow the event stream. Every error is `application/problem+json`; its `code` is one of: ' +
      `${Object.keys(PROBLEM_CODES)
        .map((code) => `\`${code}\``)
        .join(', ')}. An invocation is ${STATUSES.map((status) => `\`${status}\``).join(', ')}.`,
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  },
  paths: {
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
        parameters: [
          parameter('header', 'Prefer', '`wait=20` answers with the finished invocation if it ends in time'),
          parameter('header', 'Idempotency-Key', 'The same key and body again give the same invocation, once run'),
          parameter('header', 'traceparent', 'W3C trace context'),
        ],
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
          503: problem('Redis cannot take it now; nothing was accepted'),
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
          503: problem('Redis cannot take it now; nothing was accepted'),
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
        parameters: [ID],
        requestBody: { ...takes('RetryRequest'), required: false },
        responses: {
          202: answers('The new invocation', 'Invocation'),
          ...NOT_FOUND,
          409: problem('It succeeded, or has not ended'),
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
    '/v1/parse': {
      post: {
        tags: ['protocols'],
        summary: 'Dry run: what would a text call?',
        requestBody: takes('ParseRequest'),
        responses: {
          200: answers('Calls, errors and warnings with their places', 'ParseResult'),
          400: problem('Not a valid request'),
        },
      },
    },
    '/v1/tools': catalogue,
    '/api/tools': catalogue,
    '/v1/tools/problems': {
      get: {
        tags: ['tools'],
        summary: 'Files of the library that were left out, and why',
        responses: { 200: answers('The problems', 'LibraryProblemList') },
      },
    },
    '/v1/tools/prompt': {
      get: {
        tags: ['tools'],
        summary: 'The tools as text for a system prompt, or as the tool definitions of another API',
        parameters: [
          AGENT,
          parameter('query', 'format', 'The form', {
            enum: ['action', 'tam', 'openai', 'anthropic', 'mcp', 'json'],
            default: 'action',
          }),
          parameter('query', 'q', 'Only tools that fit these words, the best first'),
          parameter('query', 'limit', 'At most this many tools', { type: 'integer', minimum: 1, maximum: 1000 }),
          parameter('query', 'maxChars', 'Leave out examples, then shorten descriptions, to fit', { type: 'integer' }),
        ],
        responses: {
          200: {
            description: 'The prompt',
            content: { 'text/plain': { schema: { type: 'string' } }, 'application/json': {} },
          },
        },
      },
    },
    '/v1/tools/preview': {
      post: {
        tags: ['tools'],
        summary: 'The tool that a workflow would become; nothing is kept',
        requestBody: takes('PreviewRequest'),
        responses: {
          200: answers('The tool', 'ToolPreview'),
          400: problem('Not a valid request'),
          422: problem('The workflow cannot run: every problem, as a path into the request'),
        },
      },
    },
    '/v1/tools/{id}': {
      get: {
        tags: ['tools'],
        summary: 'One tool, with its versions',
        parameters: [parameter('path', 'id', 'An id, an alias, or an id with a range: `core:echo@^1`'), AGENT],
        responses: { 200: answers('The tool', 'Tool'), ...NOT_FOUND },
      },
    },
    '/v1/tools/{id}/graph': {
      get: {
        tags: ['tools'],
        summary: 'The graph of a workflow or node, as data and as Mermaid text',
        parameters: [parameter('path', 'id', 'An id, an alias, or an id with a range: `core:echo@^1`'), AGENT],
        responses: {
          200: answers('The graph', 'ToolGraph'),
          ...NOT_FOUND,
          409: problem('The tool is neither a workflow nor a node'),
        },
      },
    },
    '/healthz': {
      get: { tags: ['operation'], summary: 'The process lives', responses: { 200: { description: 'It does' } } },
    },
    '/readyz': {
      get: {
        tags: ['operation'],
        summary: 'A submission would be accepted now',
        responses: { 200: answers('It would', 'Readiness'), 503: answers('It would not, and why', 'Readiness') },
      },
    },
    '/metrics': {
      get: {
        tags: ['operation'],
        summary: 'Figures of this process, and the depth of the queues, for Prometheus',
        responses: { 200: { description: 'Figures', content: { 'text/plain': { schema: { type: 'string' } } } } },
      },
    },
  },
  webhooks: {
    invocationEnded: {
      post: {
        summary: 'What `callback.url` is sent, signed after Standard Webhooks; 2xx takes it, 410 wants no more',
        parameters: [
          parameter('header', 'webhook-id', 'The same however often it is sent'),
          parameter('header', 'webhook-timestamp', 'Seconds since 1970, of this attempt'),
          parameter('header', 'webhook-signature', '`v1,…` by each secret, separated by blanks'),
        ],
        requestBody: takes('InvocationEnded'),
        responses: { '2XX': { description: 'It is taken' } },
      },
    },
  },
  components: { schemas: { ...SCHEMAS, Protocol: PROTOCOL } },
};
