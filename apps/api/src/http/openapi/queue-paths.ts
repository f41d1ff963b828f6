import { QueueQuery } from '../control-requests.js';
import { LIST_TENANT, NAMES_ANOTHER, NOT_FOUND, parameter, problem, queryOf, responds, takes } from './path-terms.js';
import { list, object, PARTIAL, partialPage, ref, text, whole } from './schema-terms.js';

const FORBIDDEN = problem("`forbidden`: only the operator's key may do this");
const NAME = parameter('path', 'name', '`invocations`, `scripts`, `scripts.<label>` or `deliveries`');
const TENANT = parameter('path', 'id', 'The name of a tenant');

/** Paths of the queues, and of the weights by which tenants share them. */
export const QUEUE_PATHS = {
  '/v1/queues': {
    get: {
      operationId: 'listQueues',
      tags: ['operation'],
      summary: 'Read what waits and runs in each queue, by tenant. A tenant sees its own work',
      parameters: [LIST_TENANT],
      responses: { 200: responds('The queues', 'QueueList'), ...NAMES_ANOTHER },
    },
  },
  '/v1/queues/{name}': {
    get: {
      operationId: 'getQueue',
      tags: ['operation'],
      summary: 'Read what waits and runs in one queue, by tenant',
      parameters: [
        NAME,
        ...queryOf(QueueQuery, {
          limit: [
            'About how many tenants the page has; a small queue may show up to 512',
            { type: 'integer', minimum: 1, maximum: 1_000, default: 1_000 },
          ],
          cursor: 'The `nextCursor` of the queue in the page before',
        }),
      ],
      responses: {
        200: responds('The queue', 'Queue'),
        400: problem('`invalid_request`: a malformed limit or cursor'),
        ...NOT_FOUND,
      },
    },
  },
  '/v1/queues/{name}/pause': {
    post: {
      operationId: 'pauseQueue',
      tags: ['operation'],
      summary:
        "Start no further job of a queue. Running jobs go on, and submissions are accepted. It needs the operator's key",
      parameters: [NAME],
      requestBody: { ...takes('PauseRequest'), required: false },
      responses: {
        200: responds('The queue, paused. One that is paused already keeps its pause', 'Queue'),
        400: problem('`invalid_request`: a malformed note'),
        403: FORBIDDEN,
        ...NOT_FOUND,
      },
    },
  },
  '/v1/queues/{name}/resume': {
    post: {
      operationId: 'resumeQueue',
      tags: ['operation'],
      summary: "End the pause of a queue, if it has one. It needs the operator's key",
      parameters: [NAME],
      responses: { 200: responds('The queue', 'Queue'), 403: FORBIDDEN, ...NOT_FOUND },
    },
  },
  '/v1/tenants/{id}': {
    get: {
      operationId: 'getTenant',
      tags: ['operation'],
      summary: "Read what the operator has set for a tenant. It needs the operator's key",
      parameters: [TENANT],
      responses: { 200: responds('The tenant', 'Tenant'), 403: FORBIDDEN, ...NOT_FOUND },
    },
    patch: {
      operationId: 'changeTenant',
      tags: ['operation'],
      summary:
        "Set the weight of a tenant: its part of the slots while others have work waiting. It needs the operator's key",
      parameters: [TENANT],
      requestBody: takes('TenantRequest'),
      responses: {
        200: responds('The tenant', 'Tenant'),
        400: problem('`invalid_request`'),
        403: FORBIDDEN,
        ...NOT_FOUND,
      },
    },
  },
};

const share = {
  type: 'number',
  description: 'The part of the starts that its weight gives it among the tenants with work',
};
const age = { ...whole, description: 'The age of its oldest next job in ms; 0 if none waits' };
const work = { waiting: whole, active: whole };

const maybe = { type: ['string', 'null'] };
const NEXT = {
  ...list(ref('JobInHand')),
  description: 'Only of one queue: up to 20 jobs that start next, with the time of their acceptance as `since`',
};
const QUEUE = {
  name: text,
  paused: {
    anyOf: [ref('QueuePause'), { type: 'null' }],
    description: 'Who has paused it, since when and why',
  },
  ...work,
  later: { ...whole, description: 'Delayed jobs: they wait for a retry, a time or an answer' },
  owed: { ...whole, description: 'Deliveries of invocations that have not ended' },
  oldestMs: age,
  consumers: { ...whole, description: 'The processes that take its jobs' },
  perMinute: { ...whole, description: 'Jobs that ended in the last minute' },
  p50WaitMs: {
    ...whole,
    description: 'The median time from acceptance to start of the jobs that ended last, in ms; 0 if none has ended',
  },
  slots: { ...whole, description: 'How many jobs all consumers run at the same time' },
  tenants: {
    ...list(ref('TenantWork')),
    description: 'A page of the tenants with work. A tenant may stand on two pages if work comes and goes meanwhile',
  },
  nextCursor: { type: ['string', 'null'], description: 'Where the next page of `tenants` begins' },
};

/** Queues and tenants. */
export const QUEUE_SCHEMAS = {
  QueueList: partialPage('Queue'),
  Queue: object({ ...QUEUE, next: NEXT, ...PARTIAL }, Object.keys(QUEUE)),
  QueuePause: object({ at: maybe, by: maybe, note: maybe }),
  TenantWork: object({ tenant: text, ...work, share, oldestMs: age }),
  Tenant: object({ id: text, weight: { type: 'number' } }),
} satisfies Record<string, object>;
