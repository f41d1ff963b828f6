import { CHALLENGE, header, parameter, TRACE } from './path-terms.js';
import { free, ref } from './schema-terms.js';

/** The messages of MCP have schemas of their own, which its specification publishes. */
export const MCP_SCHEMAS = {
  McpMessage: { ...free, description: 'A message of JSON-RPC 2.0, as the specification of MCP describes it' },
};

const message = { 'application/json': { schema: ref('McpMessage') } };
const error = (description: string, headers?: object) => ({
  description,
  ...(headers && { headers }),
  content: message,
});
const RETRY_AFTER = { 'Retry-After': header('The seconds to wait before the next attempt') };

const responses = {
  200: {
    description: 'The answer. It is an event stream where messages come before it, and for `subscriptions/listen`',
    content: { ...message, 'text/event-stream': { schema: ref('McpMessage') } },
  },
  202: { description: 'A notification is accepted' },
  400: error(
    'An invalid message (`-32600`, `-32602`), no JSON (`-32700`), or a capability that the client lacks (`-32021`)',
  ),
  401: error('The key is missing or wrong', CHALLENGE),
  404: error('An unknown agent (`-32602`) or an unknown method (`-32601`)'),
  413: error('The body is too large; ERRAND_BODY_LIMIT sets the limit'),
  415: error('The body is not JSON in UTF-8, or is compressed'),
  429: error('The queue is full (`-32603`)', RETRY_AFTER),
  500: error('An internal error (`-32603`)'),
  503: error('Redis cannot accept it now (`-32603`)', RETRY_AFTER),
};

const post = (operationId: string, summary: string, parameters: object[]) => ({
  operationId,
  tags: ['tools'],
  summary: `${summary}. Streamable HTTP, revision 2026-07-28 and earlier ones, without sessions`,
  parameters: [parameter('header', 'MCP-Protocol-Version', 'The revision of the message'), TRACE, ...parameters],
  requestBody: { required: true, content: message },
  responses,
});

/** Paths for MCP clients. */
export const MCP_PATHS = {
  '/mcp': { post: post('callMcpServer', 'The MCP server with all tools', []) },
  '/mcp/{agent}': {
    post: post('callMcpServerOfAgent', 'The MCP server with the inventory of an agent', [
      parameter('path', 'agent', 'The id of an agent'),
    ]),
  },
};
