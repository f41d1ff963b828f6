import { BULK_KINDS, BULK_STATES, STATUSES } from '@errand/contracts';
import { BulkListQuery } from '../../bulk/bulk-requests.js';
import {
  NAMES_ANOTHER,
  NOT_FOUND,
  parameter,
  problem,
  queryOf,
  responds,
  RETRY_AFTER,
  takes,
  TENANT_OF_LIST,
} from './path-terms.js';
import { free, list, object, page, ref, text, time, whole } from './schema-terms.js';

export const NEEDS_OPERATE = { 403: problem('`forbidden`: the key lacks the scope `operate`') };
const BULK_ID = parameter('path', 'id', 'The id of a bulk action, `blk_…`');
const LIMIT = { type: 'integer', minimum: 1, maximum: 1_000, default: 20 };

/** Paths of actions on many invocations. */
export const BULK_PATHS = {
  '/v1/bulk': {
    post: {
      operationId: 'startBulkAction',
      tags: ['invocations'],
      summary:
        'Say what an action on many invocations would touch (`dryRun`), or begin it with the token of that dry run. It touches nothing that was accepted later',
      requestBody: takes('BulkRequest'),
      responses: {
        200: responds('What the action would touch, and the token that begins it, once and for 10 min', 'BulkDryRun'),
        202: responds('The action has begun', 'BulkAction'),
        ...NEEDS_OPERATE,
        404: problem('`not_found`: unknown or expired token'),
        409: problem('`conflict`: the token has begun its action already'),
        429: { ...problem('`rate_limited`: 5 actions of the tenant run already'), headers: RETRY_AFTER },
      },
    },
    get: {
      operationId: 'listBulkActions',
      tags: ['invocations'],
      summary: 'List the bulk actions of the last 7 days, newest first',
      parameters: queryOf(BulkListQuery, {
        limit: ['The size of the page', LIMIT],
        cursor: 'The `nextCursor` of the page before',
        tenant: TENANT_OF_LIST,
      }),
      responses: {
        200: responds('The bulk actions', 'BulkActionList'),
        400: problem('`invalid_request`: a malformed limit or cursor'),
        ...NAMES_ANOTHER,
      },
    },
  },
  '/v1/bulk/{id}': {
    get: {
      operationId: 'getBulkAction',
      tags: ['invocations'],
      summary: 'Read a bulk action with its progress',
      parameters: [BULK_ID],
      responses: { 200: responds('The bulk action', 'BulkAction'), ...NOT_FOUND },
    },
  },
  '/v1/bulk/{id}/abort': {
    post: {
      operationId: 'abortBulkAction',
      tags: ['invocations'],
      summary: 'Stop a bulk action. What it has done so far stays done, and one that has ended stays as it is',
      parameters: [BULK_ID],
      responses: {
        200: responds('The action', 'BulkAction'),
        ...NEEDS_OPERATE,
        ...NOT_FOUND,
      },
    },
  },
};

const failure = object({ id: text, code: text });

export const BULK_SCHEMAS = {
  BulkActionList: page('BulkAction'),
  BulkDryRun: object({
    token: text,
    matched: whole,
    byStatus: {
      type: 'object',
      properties: Object.fromEntries(STATUSES.map((status) => [status, whole])),
      additionalProperties: false,
    },
    sample: { ...list(ref('InvocationRow')), maxItems: 10 },
    asOf: { ...text, format: 'date-time', description: 'The action touches nothing that was accepted after this time' },
    expiresAt: { ...text, format: 'date-time' },
  }),
  BulkAction: object({
    id: text,
    action: { enum: BULK_KINDS },
    name: { type: ['string', 'null'] },
    filter: { ...free, type: ['object', 'null'], description: 'The filter of the dry run; null if it named ids' },
    asOf: { ...text, format: 'date-time' },
    by: { ...text, description: 'Who began it' },
    startedAt: { ...text, format: 'date-time' },
    finishedAt: time,
    state: { enum: BULK_STATES },
    matched: whole,
    done: whole,
    skipped: {
      ...whole,
      description: 'Invocations that had changed since the dry run, so that nothing was left to do',
    },
    failed: { ...list(failure), maxItems: 1_000, description: 'The first 1,000 failures' },
    failedCount: whole,
  }),
} satisfies Record<string, object>;
