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
