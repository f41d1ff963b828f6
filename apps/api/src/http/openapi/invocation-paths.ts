import { LogsQuery, ReadInvocationQuery, ResultQuery } from '../control-requests.js';
import { SubmitQuery } from '../submission-requests.js';
import { LIST_FILTERS } from './list-filters.js';
import { LIST_SCHEMAS } from './list-schemas.js';
import {
  commaList,
  found,
  header,
  ID,
  NOT_FOUND,
  NOT_MODIFIED,
  parameter,
  problem,
  queryOf,
  responds,
  SUBMISSION_HEADERS,
  SUBMISSION_REFUSED,
  SUBMITTED,
  TAG_HEADERS,
  takes,
  TRACE,
} from './path-terms.js';
import { COUNT, INDEX } from './query-terms.js';
import { ref } from './schema-terms.js';

/** Paths that submit, read and follow invocations. */
export const INVOCATION_PATHS = {
  '/v1/invocations': {
    get: {
      operationId: 'listInvocations',
      tags: ['invocations'],
      summary: 'List invocations, newest first, or with `updatedAfter` the oldest change first',
      parameters: [
        ...LIST_FILTERS,
        commaList('fields', 'Only these fields, and `id`. By default all but `steps`, `calls` and `observation`', {
          enum: Object.keys(LIST_SCHEMAS.InvocationItem.properties),
        }),
        parameter('query', 'view', '`row`: the items are rows, at most 2 KiB each. It replaces `fields`', {
          enum: ['row'],
        }),
        parameter('query', 'count', '`true`: the response has the number of matches, exact to 10,000', {
          type: 'boolean',
          default: false,
        }),
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
        403: problem('`forbidden`: the key of one tenant names another'),
      },
    },
    post: {
      operationId: 'submitInvocation',
      tags: ['invocations'],
      summary: 'Submit text, calls, or the message of a model API',
      parameters: [
        ...queryOf(SubmitQuery, {
          dryRun: ['`true`: say what would run, or why not. Nothing is stored', { type: 'boolean', default: false }],
        }),
        ...SUBMISSION_HEADERS,
        TRACE,
      ],
      requestBody: takes('SubmitRequest'),
      responses: {
        200: {
          description: 'The invocation ended during the wait, the text has no call, or it was a dry run',
          headers: SUBMITTED,
          content: { 'application/json': { schema: { oneOf: [ref('Invocation'), ref('NoAction'), ref('DryRun')] } } },
        },
        202: responds('Accepted', 'Invocation', SUBMITTED),
        ...SUBMISSION_REFUSED,
        422: problem(
          'The text cannot be parsed, a call does not fit its tool, or the callback address is not allowed. Nothing was enqueued',
        ),
      },
    },
  },
  '/v1/invocations/counts': {
    get: {
      operationId: 'countInvocations',
      tags: ['invocations'],
      summary: 'Count the invocations that match, by status. It costs the same among a million',
      parameters: LIST_FILTERS,
      responses: {
        200: responds('The numbers', 'InvocationCounts'),
        400: problem('`invalid_request`: a malformed filter'),
        403: problem('`forbidden`: the key of one tenant names another'),
      },
    },
  },
  '/v1/invocations/{id}': {
    get: {
      operationId: 'getInvocation',
      tags: ['invocations'],
      summary: 'Read an invocation, or wait for its end',
      parameters: [
        ID,
        ...queryOf(ReadInvocationQuery, {
          wait: ['Wait at most this many seconds (60 at most) for the end', { type: 'number', minimum: 0 }],
          maxResultChars: [
            'Show the Observation with this many characters of each result at most, in place of `options.maxResultChars`',
            { type: 'integer', minimum: 200, maximum: 10_000_000 },
          ],
        }),
      ],
      responses: {
        200: responds('The invocation. It has an ETag when it has ended', 'Invocation', TAG_HEADERS),
        ...NOT_MODIFIED,
        ...NOT_FOUND,
      },
    },
  },
  '/v1/invocations/{id}/events': {
    get: {
      operationId: 'followInvocation',
      tags: ['invocations'],
      summary: 'Follow an invocation: status, step, progress, log, output, gap, end',
      parameters: [ID, parameter('header', 'Last-Event-ID', 'Resume after this event, at any process of the API')],
      responses: {
        204: { description: 'The event was the last one' },
        200: {
          description:
            'Server-sent events until the invocation ends. The schema is that of the `data` of one event. `id` is a Last-Event-ID',
          content: { 'text/event-stream': { schema: ref('InvocationEvent') } },
        },
        ...NOT_FOUND,
      },
    },
  },
  '/v1/invocations/{id}/logs': {
    get: {
      operationId: 'getInvocationLogs',
      tags: ['invocations'],
      summary: 'Read or search the log lines of scripts (their stderr) and nodes',
      parameters: [
        ID,
        ...queryOf(LogsQuery, {
          after: ['Only lines behind the one with this number', INDEX],
          limit: ['Highest number of lines (10,000 by default and at most); not for `format=text`', COUNT],
          q: 'Only lines with this text, case-insensitive',
          step: ['Only this step, from 0', INDEX],
          format: '`text`: all lines that fit, as a file to save',
        }),
      ],
      responses: {
        200: {
          description: 'A page of the lines, or with `format=text` a file, with `Content-Disposition: attachment`',
          content: { 'application/json': { schema: ref('LogPage') }, 'text/plain': { schema: { type: 'string' } } },
        },
        400: problem('`invalid_request`: a malformed number, text or format'),
        ...NOT_FOUND,
      },
    },
  },
  '/v1/invocations/{id}/timeline': {
    get: {
      operationId: 'getTimeline',
      tags: ['invocations'],
      summary: 'Read when the invocation, its steps and their nodes have changed their status',
      parameters: [ID],
      responses: found('The changes, oldest first', 'Timeline'),
    },
  },
  '/v1/invocations/{id}/steps/{step}/graph': {
    get: {
      operationId: 'getStepGraph',
      tags: ['invocations'],
      summary: 'Read the graph that a step runs, with the state of each node',
      parameters: [ID, parameter('path', 'step', 'The number of the step, from 0', INDEX)],
      responses: {
        200: responds(
          'The graph of the definition that the step runs, whatever the file of the tool has now',
          'StepGraph',
        ),
        ...NOT_FOUND,
        409: problem('`conflict`: the step calls neither a workflow nor a node'),
      },
    },
  },
  '/v1/invocations/{id}/result': {
    get: {
      operationId: 'getInvocationResult',
      tags: ['invocations'],
      summary: 'Read a part of the result by characters, or search the result for a text',
      parameters: [
        ID,
        ...queryOf(ResultQuery, {
          path: 'Only the value at this JSON Pointer',
          q: 'Search for this text, case-insensitive',
          offset: ['From this character', { ...INDEX, default: 0 }],
          limit: [
            'Highest number of characters (default 8,000, highest 1,000,000), or of matches with `q` (default 20, highest 100)',
            COUNT,
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
      operationId: 'downloadArtifact',
      tags: ['invocations'],
      summary: 'Download a file that a script of the invocation handed out',
      parameters: [
        ID,
        parameter('path', 'name', 'The name of the file, with `%2F` for `/`'),
        parameter('query', 'step', 'The step, if several steps have a file with this name', INDEX),
      ],
      responses: {
        200: {
          description: 'The bytes of the file',
          headers: {
            'Content-Disposition': header('`attachment`, with the name of the file'),
            ETag: header('The SHA-256 of the file'),
          },
          content: { '*/*': { schema: { type: 'string', format: 'binary' } } },
        },
        ...NOT_FOUND,
      },
    },
  },
};
