import { EventRequest, SessionMessagesQuery, SessionStateQuery } from '../../sessions/session-requests.js';
import {
  found,
  idempotencyKey,
  NOT_FOUND,
  parameter,
  problem,
  queryOf,
  responds,
  SUBMISSION_REFUSED,
  takes,
  TRACE,
} from './path-terms.js';
import { schemaOf } from './schema-of-dto.js';
import { free, list, MESSAGE_ROLE, object, page, ref, text, whole } from './schema-terms.js';

const SESSION = parameter('path', 'session', 'The name of a session, as submissions give it', {
  type: 'string',
  minLength: 1,
  maxLength: 256,
});
const STATE = queryOf(SessionStateQuery, { agent: 'The private state of this agent; by default the world state' });

/** Paths of the sessions of agents. */
export const SESSION_PATHS = {
  '/v1/sessions/{session}': {
    get: {
      operationId: 'getSession',
      tags: ['sessions'],
      summary: 'Read a session: its agents, its world state and the number of its turns',
      parameters: [SESSION],
      responses: found('The session', 'Session'),
    },
    delete: {
      operationId: 'deleteSession',
      tags: ['sessions'],
      summary: 'Delete the messages and states of a session. Its invocations stay',
      parameters: [SESSION],
      responses: {
        204: { description: 'The session is deleted' },
        ...NOT_FOUND,
        409: problem('`conflict`: a turn of the session has not ended'),
      },
    },
  },
  '/v1/sessions/{session}/messages': {
    get: {
      operationId: 'listSessionMessages',
      tags: ['sessions'],
      summary: 'List the messages of a session, oldest first',
      parameters: [
        SESSION,
        ...queryOf(SessionMessagesQuery, {
          agent: 'The conversation of this agent; by default those of all agents, in the order of writing',
          limit: [
            'The most messages of a page. A page of large messages has fewer',
            { ...whole, minimum: 1, maximum: 1_000, default: 20 },
          ],
          cursor: 'The `nextCursor` of the page before',
        }),
      ],
      responses: found('A page of messages', 'SessionMessageList'),
    },
  },
  '/v1/sessions/{session}/events': {
    post: {
      operationId: 'publishSessionEvent',
      tags: ['sessions'],
      summary: 'Publish an event. It begins a turn of each agent whose triggers match',
      parameters: [SESSION, idempotencyKey('begin the same turns once'), TRACE],
      requestBody: takes('EventRequest'),
      responses: {
        202: responds('The turns that the event has begun', 'EventTurns'),
        ...NOT_FOUND,
        ...SUBMISSION_REFUSED,
        422: problem('`invalid_parameters`: an unknown agent, or a payload above 64 KiB'),
      },
    },
  },
  '/v1/sessions/{session}/state': {
    get: {
      operationId: 'getSessionState',
      tags: ['sessions'],
      summary: 'Read the world state of a session, or the private state of an agent in it',
      parameters: [SESSION, ...STATE],
      responses: found('The state', 'SessionState'),
    },
    patch: {
      operationId: 'patchSessionState',
      tags: ['sessions'],
      summary: 'Change a state by a merge patch (RFC 7396)',
      parameters: [SESSION, ...STATE],
      requestBody: {
        required: true,
        content: {
          'application/merge-patch+json': { schema: ref('SessionState') },
          ...takes('SessionState').content,
        },
      },
      responses: {
        200: responds('The state after the change', 'SessionState'),
        ...NOT_FOUND,
        422: problem('`invalid_parameters`: the state would be too large or nest too deep'),
      },
    },
  },
};

const COUNT = { ...whole, minimum: 0 };

export const SESSION_SCHEMAS = {
  EventRequest: schemaOf(EventRequest, {
    payload: { description: 'Any JSON value, of 64 KiB at most' },
    agents: {
      ...list(text),
      maxItems: 64,
      description: 'Agents that get the event also if they have not acted in the session',
    },
  }),
  EventTurns: object({ turns: list(object({ agent: text, invocationId: text })) }),
  Session: object({
    session: text,
    agents: { ...list(text), description: 'The agents that have acted in the session' },
    worldState: ref('SessionState'),
    createdAt: { ...text, format: 'date-time' },
    updatedAt: { ...text, format: 'date-time' },
    turns: {
      description: '`waiting` counts turns that wait for an answer, `running` all other open turns',
      ...object({ running: COUNT, waiting: COUNT, ended: COUNT }),
    },
  }),
  SessionState: { ...free, description: 'Any JSON object: 256 KiB for the world state, 64 KiB for a private state' },
  SessionMessageList: page('SessionMessage'),
  SessionMessage: object(
    {
      id: { ...text, description: 'Follows from the turn and the round' },
      role: MESSAGE_ROLE,
      content: text,
      toolCalls: {
        ...list(ref('SessionToolCall')),
        description: "The calls of a message of the model, in OpenAI's form",
      },
      toolCallId: { ...text, description: 'The call that a message of the role `tool` answers' },
      name: text,
      invocationId: { ...text, description: 'The turn that wrote the message' },
      round: { type: ['integer', 'null'], minimum: 0 },
      at: { ...text, format: 'date-time' },
      agent: { ...text, description: 'Given if the page has messages of several agents' },
    },
    ['id', 'role', 'content', 'invocationId', 'round', 'at'],
  ),
  SessionToolCall: object({
    id: text,
    type: { const: 'function' },
    function: object({ name: text, arguments: { ...text, description: 'JSON' } }),
  }),
};
