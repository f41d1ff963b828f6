import { ToolError, type ErrorType } from '@errand/contracts';

/** Whether the server can have run the tool: `none` if it certainly has not. */
export type Outcome = 'none' | 'unknown';

/** A failed exchange with a server. */
export class RemoteError extends ToolError {
  constructor(
    type: ErrorType,
    message: string,
    readonly outcome: Outcome,
    { details, cause }: { details?: Record<string, unknown>; cause?: unknown } = {},
  ) {
    super(type, message, details, { cause });
  }
}

/** What is known about a failed exchange besides the error. */
export interface FailureContext {
  server: string;
  mask: (text: string) => string;
  /** The failure of the HTTP request, if it failed. */
  failure?: unknown;
  /** Whether the request of the tool was sent. */
  isSent: boolean;
  timeoutMs: number;
}

const MAX_MESSAGE = 2_000;
/** The connection was not made, so that no request arrived. */
const UNSENT =
  /^(ECONNREFUSED|ENOTFOUND|EAI_\w+|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT|CERT_\w+|DEPTH_ZERO_\w+|SELF_SIGNED_\w+|ERR_TLS_\w+)$/;
/** The status codes by which a server says that it has not run anything. */
const NOT_RUN = new Set([401, 403, 404, 405, 406, 413, 415, 421, 429, 501, 503, 505]);

/** The error of a call from what the SDK or `fetch` threw. Its message names the server and has no secret. */
export function toRemoteError(thrown: unknown, context: FailureContext): RemoteError {
  if (thrown instanceof RemoteError) return thrown;
  const { server, isSent } = context;
  const name = `The server '${server}'`;
  const cause = context.failure instanceof ToolError ? context.failure : findToolError(thrown);
  if (cause instanceof RemoteError) return cause;
  if (cause) return fromToolError(name, cause, context);
  const status = statusOf(thrown);
  if (status !== undefined) return fromStatus(name, status, context);
  const code = codeOf(thrown);
  const text = shown(thrown instanceof Error ? thrown.message : String(thrown), context);
  if (code === 'REQUEST_TIMEOUT')
    return new RemoteError('TimeoutError', `${name} did not answer within ${context.timeoutMs} ms`, outcomeOf(isSent));
  if (code === -32602) return new RemoteError('NodeError', `${name} refused the arguments: ${text}`, 'none');
  if (typeof code === 'number')
    return new RemoteError('NodeError', `${name} answered with error ${code}: ${text}`, outcomeOf(isSent));
  return new RemoteError('ServiceError', `${name} did not answer as MCP demands: ${text}`, outcomeOf(isSent));
}

/** A text of a server for a message: without secrets, and cut. */
export function shown(text: string, { mask }: Pick<FailureContext, 'mask'>): string {
  const masked = mask(text.slice(0, MAX_MESSAGE * 2));
  return masked.length <= MAX_MESSAGE ? masked : `${masked.slice(0, MAX_MESSAGE)}…`;
}

function fromToolError(name: string, error: ToolError, context: FailureContext): RemoteError {
  const { type, details } = error;
  const isUnsent = !context.isSent || type === 'SecurityError' || UNSENT.test(String(codeIn(error)));
  const text = shown(error.message, context);
  return new RemoteError(type, `${name} failed: ${text}`, outcomeOf(!isUnsent), {
    ...(details && { details: JSON.parse(context.mask(JSON.stringify(details))) as Record<string, unknown> }),
  });
}

function fromStatus(name: string, status: number, { isSent }: FailureContext): RemoteError {
  const outcome = outcomeOf(isSent && !NOT_RUN.has(status));
  const isTemporary = status >= 500 || status === 408 || status === 429;
  const hint = status === 401 || status === 403 ? '; check its headers in mcp.json' : '';
  // Another attempt cannot help, so `tried` says that there is none.
  const details = { status, ...(!isTemporary && { tried: 1 }) };
  return new RemoteError('ServiceError', `${name} answered with HTTP ${status}${hint}`, outcome, { details });
}

function outcomeOf(isSent: boolean): Outcome {
  return isSent ? 'unknown' : 'none';
}

function findToolError(thrown: unknown): ToolError | undefined {
  for (let error = thrown; error instanceof Error; error = error.cause) if (error instanceof ToolError) return error;
  return undefined;
}

function codeIn(thrown: unknown): unknown {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== undefined) return code;
    if (error instanceof AggregateError) return codeIn(error.errors[0]);
  }
  return undefined;
}

/** The HTTP status of an error of the SDK. */
function statusOf(thrown: unknown): number | undefined {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    const { status } = (error as { data?: { status?: unknown } }).data ?? {};
    if (typeof status === 'number') return status;
  }
  return undefined;
}

function codeOf(thrown: unknown): unknown {
  return (thrown as { code?: unknown }).code;
}
