import { INBOX_KINDS } from '@errand/contracts';
import { InboxQuery } from '../../inbox/read-inbox-query.js';
import { problem, queryOf, responds } from './path-terms.js';
import { anything, free, object, partialPage, text, time, whole } from './schema-terms.js';

/** The path of what waits for people. */
export const INBOX_PATHS = {
  '/v1/inbox': {
    get: {
      operationId: 'listInbox',
      tags: ['invocations'],
      summary: 'List everything that waits for a person, soonest deadline first. Each wait is one item',
      parameters: queryOf(InboxQuery, {
        kind: 'Only items of this kind. `approval` and `budget` have items only where the server has these features',
        toolId: 'Only waits of steps with this tool, given without a version',
        agent: 'Only waits of invocations of this agent',
        limit: ['The most items of the page', { type: 'integer', minimum: 1, maximum: 100, default: 20 }],
        cursor: 'The `nextCursor` of the page before. With filters, a page may have fewer items than `limit`',
        tenant: 'Only for the operator: the tenant whose inbox it is',
      }),
      responses: {
        200: responds('A page of the inbox', 'InboxList'),
        400: problem('`invalid_request`: an unknown filter, or a malformed limit or cursor'),
        403: problem('`forbidden`: the key does not have the scope `read`, or names another tenant'),
      },
    },
  },
};

const textOrNull = { type: ['string', 'null'] };
const ITEM = {
  kind: { enum: INBOX_KINDS },
  id: { ...text, description: 'The id of the wait, the same for as long as the wait lasts' },
  invocationId: text,
  step: whole,
  nodeId: { ...textOrNull, description: 'The node of the step that waits. Send it with the answer' },
  key: { ...textOrNull, description: 'The key of this wait of the node' },
  prompt: anything,
  output: { ...anything, description: 'The JSON Schema of the answer; `null` if any JSON value is an answer' },
  askedAt: { type: 'string', format: 'date-time' },
  until: { ...time, description: 'The deadline; `null` without one' },
  toolId: { ...text, description: 'The tool of the step' },
  arguments: free,
  agent: textOrNull,
  session: textOrNull,
  links: object({ invocation: text, answer: { ...text, description: 'Where the answer is posted' } }),
};

/** What waits for people. */
export const INBOX_SCHEMAS = {
  InboxList: partialPage('InboxItem'),
  InboxItem: object({ ...ITEM, tenant: text }, Object.keys(ITEM)),
} satisfies Record<string, object>;
