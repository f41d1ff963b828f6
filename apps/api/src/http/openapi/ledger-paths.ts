import { STATUSES } from '@errand/contracts';
import { DeliveriesQuery, EffectsQuery } from '../list-requests.js';
import { INVOCATION_SCHEMAS } from './invocation-schemas.js';
import { found, ID, NAMES_ANOTHER, problem, queryOf, responds, TENANT_OF_LIST } from './path-terms.js';
import { FILTER, TIME } from './query-terms.js';
import { free, list, object, partialPage, text, whole } from './schema-terms.js';

const LIMIT = { type: 'integer', minimum: 1, maximum: 1_000, default: 20 };
const PAGE = { limit: ['The size of the page', LIMIT], cursor: 'The `nextCursor` of the page before' } as const;
const MALFORMED = { 400: problem('`invalid_request`: a malformed filter, limit or cursor') };

/** Paths of the lists of deliveries and effects of all invocations, and of the impact of a cancel. */
export const LEDGER_PATHS = {
  '/v1/deliveries': {
    get: {
      operationId: 'listAllDeliveries',
      tags: ['invocations'],
      summary: 'List the callback deliveries of all invocations, the newest invocation first',
      parameters: queryOf(DeliveriesQuery, {
        status: 'Only deliveries in this state. `failed` leaves out those that were repeated',
        receiver: ['Only deliveries to this host and port, such as `hooks.example:8443`', FILTER],
        from: ['Only deliveries of invocations that were accepted at this time or later', TIME],
        ...PAGE,
        tenant: TENANT_OF_LIST,
      }),
      responses: { 200: responds('The deliveries', 'ListedDeliveryList'), ...MALFORMED, ...NAMES_ANOTHER },
    },
  },
  '/v1/effects': {
    get: {
      operationId: 'listEffects',
      tags: ['invocations'],
      summary: 'List the effects of tools with `effects: "once"`, with the equal calls that did not run again',
      parameters: queryOf(EffectsQuery, {
        session: ['Only effects of this session', FILTER],
        toolId: ['Only effects of this tool', FILTER],
        ...PAGE,
        tenant: TENANT_OF_LIST,
      }),
      responses: { 200: responds('The effects, newest first', 'EffectList'), ...MALFORMED, ...NAMES_ANOTHER },
    },
  },
  '/v1/invocations/{id}/impact': {
    get: {
      operationId: 'getInvocationImpact',
      tags: ['invocations'],
      summary: 'Read what a cancel of the invocation would touch',
      parameters: [ID],
      responses: found('What a cancel would touch', 'Impact'),
    },
  },
};

const at = { ...text, format: 'date-time' };
const STEP = { invocationId: text, step: whole };

const { properties: delivery, required } = INVOCATION_SCHEMAS.Delivery;

/** The lists of deliveries and effects of all invocations, and the impact of a cancel. */
export const LEDGER_SCHEMAS = {
  ListedDeliveryList: partialPage('ListedDelivery'),
  ListedDelivery: object(
    {
      ...delivery,
      invocationId: text,
      receiver: { ...text, description: 'Host and port of the address' },
      tenant: text,
    },
    [...required, 'invocationId', 'receiver'],
  ),
  EffectList: partialPage('EffectEntry'),
  EffectEntry: object({
    session: text,
    toolId: text,
    arguments: { ...free, type: ['object', 'null'], description: 'Null if they are longer than 8,192 characters' },
    ...STEP,
    status: { enum: [...STATUSES, null], description: 'The status of the step; null if it is not stored any more' },
    at,
    repeats: { ...list(object({ ...STEP, at })), description: 'Equal calls, which got the result of the first one' },
  }),
  Impact: object(
    {
      running: {
        ...list(
          object({ step: whole, nodeId: text, where: { enum: ['worker', 'script-runner', 'server'] } }, [
            'step',
            'where',
          ]),
        ),
        description: 'What runs now',
      },
      children: { ...whole, description: 'The number of scripts and calls of turns that end, too' },
      waiters: { ...list(text), description: 'Up to 1,000 invocations that wait for its end' },
      moreWaiters: { ...whole, description: 'How many others wait for its end; absent for none' },
      callbackOwed: { type: 'boolean', description: 'Its callback has not been delivered yet' },
      effectsDone: {
        ...list(object({ step: whole, toolId: text })),
        description: 'Effects that have happened. A cancel does not undo them',
      },
    },
    ['running', 'children', 'waiters', 'callbackOwed', 'effectsDone'],
  ),
} satisfies Record<string, object>;
