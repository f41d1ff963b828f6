import { ProblemError } from '../http/problem-error.js';
import { toProblem } from '../http/problem.filter.js';
import type { ApiLogger } from '../api-tokens.js';
import type { McpExchange, McpSdk } from './mcp-exchange.js';

/** Codes of JSON-RPC errors (JSON-RPC 2.0, 5.1). */
const INVALID_PARAMS = -32602;
const INTERNAL_ERROR = -32603;

/**
 * The JSON-RPC error for anything that a handler throws. Errors of the SDK stay as they are. A refusal that is not the fault of the request
 * keeps its HTTP status (429, 503), and an unexpected error is logged and shows no detail.
 */
export function toProtocolError(
  sdk: McpSdk,
  exchange: McpExchange,
  thrown: unknown,
  logger: Pick<ApiLogger, 'error'>,
): Error {
  if (thrown instanceof sdk.ProtocolError) return thrown;
  const problem = toProblem(thrown);
  const { status, code, body } = problem;
  if (status >= 500) logger.error({ err: thrown, code }, 'MCP request failed');
  const isOurs = status >= 500 || status === 429;
  if (isOurs) exchange.refusal = problem;
  const { detail, errors } = body;
  return new sdk.ProtocolError(isOurs ? INTERNAL_ERROR : INVALID_PARAMS, detail, { code, ...(errors && { errors }) });
}

/** The refusal of a call of an unknown tool. */
export function unknownTool(name: string, suggestion: string | undefined): ProblemError {
  const hint = suggestion === undefined ? '' : `, did you mean '${suggestion}'?`;
  const message = `Unknown tool '${name.slice(0, 200)}'${hint}`;
  return new ProblemError('unknown_tool', message, {
    errors: [{ path: '/name', message, ...(suggestion !== undefined && { suggestion }) }],
  });
}

/** The refusal of a call while this process shuts down. */
export function shutdownError(consequence: string): ProblemError {
  return new ProblemError('unavailable', `The API is shutting down; ${consequence}`, { retryAfterSeconds: 2 });
}

/** The end of a call whose client has gone. Nobody reads it. */
export function closedError(): ProblemError {
  return new ProblemError('conflict', 'The client closed the response');
}
