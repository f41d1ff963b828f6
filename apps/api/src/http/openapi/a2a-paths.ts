import { CHALLENGE, NOT_FOUND, parameter, responds, RETRY_AFTER, tagged, takes } from './path-terms.js';
import { anything, free, object, ref, text } from './schema-terms.js';

const AGENT = parameter('path', 'agent', 'The id of an agent that can run here');
const VERSION = parameter('header', 'A2A-Version', 'The version of A2A. Without this header it is 0.3', {
  enum: ['1.0', '0.3'],
});
const refused = (description: string) => responds(description, 'RpcResponse');
const CARD = 'The card: in 1.0 that of A2A 1.0, otherwise with the fields of both versions';

/** Paths of A2A. */
export const A2A_PATHS = {
  '/a2a/{agent}': {
    post: {
      operationId: 'callAgent',
      tags: ['agents'],
      summary: 'Call an agent by A2A (JSON-RPC). A streaming method gets server-sent events, each with a response',
      parameters: [AGENT, VERSION],
      requestBody: takes('RpcRequest'),
      responses: {
        200: {
          description: 'The result, or an error of A2A',
          content: {
            'application/json': { schema: ref('RpcResponse') },
            'text/event-stream': { schema: text },
          },
        },
        400: refused('-32700: the body is not JSON'),
        401: responds('-32600: the key is missing or wrong', 'RpcResponse', CHALLENGE),
        404: refused('-32602: there is no such agent'),
        413: refused('-32600: ERRAND_BODY_LIMIT sets the limit'),
        415: refused('-32600: the body is not JSON in UTF-8, or is compressed'),
        429: responds('-32603: the queue is full', 'RpcResponse', RETRY_AFTER),
        503: responds('-32603: Redis is away', 'RpcResponse', RETRY_AFTER),
      },
    },
  },
  '/a2a/{agent}/.well-known/agent-card.json': {
    get: {
      operationId: 'getAgentCard',
      tags: ['agents'],
      summary: 'Read the A2A card of an agent',
      parameters: [AGENT, VERSION],
      responses: { ...tagged(CARD, 'AgentCard'), ...NOT_FOUND },
    },
  },
  '/.well-known/agent-card.json': {
    get: {
      operationId: 'getDefaultAgentCard',
      tags: ['agents'],
      summary: 'Read the A2A card of the default agent (`ERRAND_DEFAULT_AGENT`, else the only one that can run)',
      parameters: [VERSION],
      responses: { ...tagged(CARD, 'AgentCard'), ...NOT_FOUND },
    },
  },
};

const ID = { type: ['string', 'integer', 'null'] };

export const A2A_SCHEMAS = {
  RpcRequest: object({ jsonrpc: { const: '2.0' }, id: ID, method: text, params: free }, ['jsonrpc', 'method']),
  RpcResponse: {
    description: 'A response of JSON-RPC 2.0 with `result` or `error`',
    ...object({ jsonrpc: { const: '2.0' }, id: ID, result: anything, error: ref('RpcError') }, ['jsonrpc', 'id']),
  },
  RpcError: object({ code: { type: 'integer' }, message: text, data: anything }, ['code', 'message']),
  AgentCard: { ...free, description: 'An `AgentCard` of A2A' },
};
