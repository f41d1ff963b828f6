import { REFUSAL_ID } from '@errand/contracts';
import { RefusalsQuery, RefusalSummaryQuery, REFUSAL_CODES, REFUSAL_GROUPS } from '../../refusals/refusal-requests.js';
import { found, ID, NOT_FOUND, parameter, problem, queryOf, responds } from './path-terms.js';
import { FILTER, TIME } from './query-terms.js';
import { PROBLEM_FIELDS } from './problem-schema.js';
import { list, object, partialPage, ref, text, TEXT_RANGE, time, VALUE_PLACES, whole } from './schema-terms.js';

const RANGE = {
  from: ['Only refusals at this time (ISO 8601) or later', TIME],
  to: ['Only refusals before this time', TIME],
  tenant: 'The tenant whose refusals are read; only the operator may name another than its own',
} as const;
const REFUSED_LIST = {
  400: problem('`invalid_request`: a malformed filter, limit or cursor'),
  403: problem('`forbidden`: the key has no scope `read`, or the key of one tenant names another'),
};

/** Paths of the texts that submissions came as, and of refused submissions. */
export const REFUSAL_PATHS = {
  '/v1/invocations/{id}/source': {
    get: {
      operationId: 'getInvocationSource',
      tags: ['invocations'],
      summary: 'Read the text that a submission came as, with the places of its calls',
      parameters: [ID],
      responses: {
        200: responds('The text', 'InvocationSource'),
        404: problem('`not_found`: unknown, of another tenant, or without a text; the detail says why'),
      },
    },
  },
  '/v1/refusals': {
    get: {
      operationId: 'listRefusals',
      tags: ['refusals'],
      summary: 'List the submissions that were refused with 422, newest first',
      parameters: queryOf(RefusalsQuery, {
        ...RANGE,
        code: ['Only refusals with this code', { enum: REFUSAL_CODES }],
        toolId: ['Only refusals of submissions that called this tool', FILTER],
        agent: ['Only refusals of this agent', FILTER],
        session: ['Only refusals of this session', FILTER],
        limit: ['Highest number of items', { type: 'integer', minimum: 1, maximum: 100, default: 20 }],
        cursor: 'The nextCursor of the previous page, with the same filters',
      }),
      responses: { 200: responds('A page', 'RefusalList'), ...REFUSED_LIST },
    },
  },
  '/v1/refusals/summary': {
    get: {
      operationId: 'sumRefusals',
      tags: ['refusals'],
      summary: 'Count refusals by tool, parameter, code or agent, the most frequent first',
      parameters: queryOf(RefusalSummaryQuery, {
        ...RANGE,
        by: ['What refusals are counted by', { enum: [...REFUSAL_GROUPS] }],
      }).map((each) => (each.name === 'by' ? { ...each, required: true } : each)),
      responses: { 200: responds('The counts', 'RefusalSummaryList'), ...REFUSED_LIST },
    },
  },
  '/v1/refusals/{id}': {
    get: {
      operationId: 'getRefusal',
      tags: ['refusals'],
      summary: 'Read a refused submission',
      parameters: [
        parameter('path', 'id', 'The id of a refusal, `ref_…`', { type: 'string', pattern: REFUSAL_ID.source }),
      ],
      responses: { ...found('The refusal', 'Refusal'), 403: REFUSED_LIST[403], ...NOT_FOUND },
    },
  },
};

const orNull = { type: ['string', 'null'] };

/** Texts and refusals. */
export const REFUSAL_SCHEMAS = {
  InvocationSource: object({
    text: { ...text, description: 'The text, with secrets of the operator masked' },
    protocol: orNull,
    responseText: text,
    trailingText: text,
    calls: list(
      object({
        index: { ...whole, description: 'The number of the step' },
        place: TEXT_RANGE,
        places: VALUE_PLACES,
      }),
    ),
    warnings: list(ref('Warning')),
  }),
  DryRun: {
    ...object({
      calls: list(object({ toolId: text, version: text, arguments: { type: 'object', additionalProperties: true } })),
      warnings: list(ref('Warning')),
      queue: { ...orNull, description: 'The queue that the invocation would wait in; null without a call' },
      etaMs: { type: ['integer', 'null'], description: 'The time until its end in ms, estimated' },
    }),
    description: 'The response with `dryRun=true`',
  },
  Refusal: object({
    id: text,
    at: time,
    agent: orNull,
    session: orNull,
    code: { enum: REFUSAL_CODES },
    toolIds: list(text),
    errors: list(object(PROBLEM_FIELDS, ['message'])),
    observation: orNull,
    text: { ...text, description: 'The submitted text, or its calls as JSON; 64 KiB at most, with secrets masked' },
    recoveredBy: {
      ...orNull,
      description: 'The first invocation of the same session that called one of the tools within 10 min',
    },
  }),
  RefusalList: partialPage('Refusal', {
    kept: { const: false, description: 'Set while the server keeps no refusals (`ERRAND_REFUSALS_COUNT` is 0)' },
  }),
  RefusalSummary: object({
    key: { ...text, description: 'A tool id, `<tool id>/<parameter>`, a code, or an agent; `(none)`, or `other`' },
    refused: whole,
    accepted: { ...whole, description: 'The accepted invocations with this key, in whole quarters of an hour' },
    recovered: whole,
    sample: { ...text, description: 'The id of the newest refusal with this key' },
  }),
  RefusalSummaryList: partialPage('RefusalSummary'),
} satisfies Record<string, object>;
