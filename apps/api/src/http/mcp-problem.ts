import type { FastifyReply } from 'fastify';
import { ProblemError } from './problem-error.js';
import type { ProblemResponse } from './problem-response.js';

/** JSON-RPC 2.0, 5.1. */
const CODES = { parse: -32700, request: -32600, params: -32602, internal: -32603 };

/** Whether a request is for an MCP endpoint, also by a wrong method. */
export function isMcpPath(url: string): boolean {
  return /^\/mcp(?:[/?]|$)/.test(url);
}

/** Sends an error of an MCP endpoint as JSON-RPC, with the status and headers that it has everywhere. */
export function sendMcpProblem(reply: FastifyReply, problem: ProblemResponse, thrown?: unknown): void {
  if (problem.retryAfter !== undefined) void reply.header('retry-after', String(problem.retryAfter));
  const text = JSON.stringify(mcpProblem(problem, thrown));
  void reply.status(problem.status).header('content-type', 'application/json').send(text);
}

/** The JSON-RPC error of a refusal. `data.code` is the code of the problem. */
export function mcpProblem({ status, code, body }: ProblemResponse, thrown?: unknown, id: unknown = null): object {
  const { detail, errors } = body;
  const error = {
    code: jsonRpcCode(status, thrown),
    message: detail,
    data: { code, ...(errors.length > 0 && { errors }) },
  };
  return { jsonrpc: '2.0', id, error };
}

function jsonRpcCode(status: number, thrown: unknown): number {
  if (thrown instanceof ProblemError && thrown.more.isSyntax) return CODES.parse;
  if (status >= 500 || status === 429) return CODES.internal;
  return status === 404 ? CODES.params : CODES.request;
}
