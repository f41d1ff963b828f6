import { isObject } from '@errand/contracts';
import type { ServerContext } from '@modelcontextprotocol/server';
import type { ProblemResponse } from '../http/problem-response.js';
import type { RequestScope } from '../http/request-scope.js';
import type { McpListRequest } from './mcp-list-responses.js';

/** The SDK, which is loaded when the first request comes. */
export type McpSdk = typeof import('@modelcontextprotocol/server');

/** One request to an MCP endpoint. */
export interface McpExchange {
  scope: RequestScope;
  /** The agent whose inventory the endpoint has; undefined for all tools. */
  agent: string | undefined;
  /** W3C trace context. */
  trace: string | undefined;
  /** Whether the client has not read yet what was sent. */
  isBusy: () => boolean;
  /** Set if the message is one `tools/list`. */
  list: McpListRequest | undefined;
  /** Set if the request was refused with an HTTP status of its own (429, 503, 500). */
  refusal?: ProblemResponse;
}

/** A request that a handler of the SDK serves. */
export interface McpRequest {
  sdk: McpSdk;
  exchange: McpExchange;
  context: ServerContext;
  client: McpClientTerms;
  /** Seals what the client keeps for the next round of a call. */
  seal: (state: McpCallState) => Promise<string>;
}

/** What a client keeps between two rounds of a call. It is signed, not secret. */
export interface McpCallState {
  /** The id of the invocation. */
  id: string;
  /** Makes each state differ from the last one. */
  nonce: string;
}

/** The declared capabilities of a client that decide about a call. */
export interface McpClientTerms {
  /** It understands tasks. */
  tasks: boolean;
  /** It can show a form to its user. */
  forms: boolean;
}

export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';
const CLIENT_CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';

/** The capabilities that a request declares. Requests of revisions before 2026-07-28 declare none. */
export function clientTermsOf({ mcpReq }: ServerContext): McpClientTerms {
  const envelope: unknown = mcpReq.envelope;
  const declared = isObject(envelope) ? envelope[CLIENT_CAPABILITIES] : undefined;
  const { extensions, elicitation } = isObject(declared) ? declared : {};
  const modes = isObject(elicitation) ? Object.keys(elicitation) : undefined;
  return {
    tasks: isObject(extensions) && extensions[TASKS_EXTENSION] !== undefined,
    // A client that names no mode means forms.
    forms: modes !== undefined && (modes.length === 0 || modes.includes('form')),
  };
}

/** The refusal of a client that does not understand tasks, where only a task will do. */
export function requireTasks({ sdk, client }: McpRequest): void {
  if (client.tasks) return;
  throw new sdk.MissingRequiredClientCapabilityError({
    requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } },
  });
}
