import { FEED_TOPICS, INVOCATION_ID, type FeedEventName } from '@errand/contracts';
import { STREAM_FILTERS } from './list-filters.js';
import { commaList, parameter, problem } from './path-terms.js';
import { anything, list, object, ref, text, whole } from './schema-terms.js';

/** The stream of everything that changes. */
export const FEED_PATHS = {
  '/v1/events': {
    get: {
      operationId: 'followEverything',
      tags: ['invocations'],
      summary: 'Follow everything that changes for a tenant in one stream. It needs the scope `read`',
      parameters: [
        commaList('topics', 'Only events of these topics. By default all', { enum: FEED_TOPICS }),
        commaList(
          'follow',
          'Also every event of these invocations, as in their own streams',
          { type: 'string', pattern: INVOCATION_ID.source },
          { maxItems: 20 },
        ),
        ...STREAM_FILTERS,
        parameter('header', 'Last-Event-ID', 'Resume after this event, at any process of the API'),
      ],
      responses: {
        200: {
          description:
            'Server-sent events without end. The schema is that of the `data` of one event. `id` is a Last-Event-ID',
          content: { 'text/event-stream': { schema: ref('FeedEvent') } },
        },
        400: problem('`invalid_request`: a malformed topic or filter'),
        403: problem('`forbidden`: the key lacks the scope `read`, or names another tenant'),
      },
    },
  },
};

const data = (event: FeedEventName, meaning: string, schema: object) => ({
  description: `The data of \`event: ${event}\`: ${meaning}`,
  ...schema,
});
const textOrNull = { type: ['string', 'null'] };

const EVENTS = {
  FeedInvocation: data('invocation', 'an invocation has changed. It is its row', ref('InvocationRow')),
  FeedFollowed: data(
    'followed',
    'an event of an invocation of `follow`',
    object({ invocationId: text, event: text, data: anything }),
  ),
  FeedQueue: data('queue', 'the numbers of a queue have changed. It is the queue', ref('Queue')),
  FeedProcess: data('process', 'a process has changed', ref('Process')),
  FeedInbox: data(
    'inbox',
    'a wait for a person has opened or closed',
    object({
      kind: { enum: ['answer', 'approval', 'budget'] },
      id: text,
      invocationId: text,
      state: { enum: ['open', 'closed'] },
    }),
  ),
  FeedRefusal: data(
    'refusal',
    'a submission was refused',
    object({ id: text, code: text, toolIds: list(text), agent: textOrNull, session: textOrNull }),
  ),
  FeedLibrary: data(
    'library',
    'the library has changed. It has the first 100 problems of its files',
    object({ problems: list({ type: 'object', additionalProperties: true }) }),
  ),
  FeedDropped: data('dropped', 'so many changes were left out, because there were too many', object({ count: whole })),
  FeedReset: data(
    'reset',
    'the position of the client is not known any more: it must read again what it shows',
    object({ reason: text }),
  ),
};

/** The events of the stream. */
export const FEED_SCHEMAS = {
  FeedEvent: {
    description: 'The data of one server-sent event. Its `event` names the kind',
    anyOf: Object.keys(EVENTS).map(ref),
  },
  ...EVENTS,
};
