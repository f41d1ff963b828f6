import type { ProblemCode } from '@errand/contracts';
import { PROBLEM_TYPE, problemBody, type Logger } from '@errand/platform';
import { LateReplicasError, QueueFullError, refusalOf } from '@errand/queue';
import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { PlainReply } from './plain-reply.js';
import { isMcpPath, sendMcpProblem } from './mcp-problem.js';
import { ProblemError } from './problem-error.js';
import type { ProblemResponse } from './problem-response.js';

/** Commands that were sent before the connection broke may have arrived. */
const REDIS_AWAY =
  'Redis cannot be reached; try again soon. A submission may have been accepted. It is safe to send it again with the same Idempotency-Key';

/** Turns every error into an RFC 9457 problem. An unexpected error is logged in full; the response says only 500. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(private readonly logger: Logger) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    if (isMcpPath(reply.request.url)) return sendMcpProblem(reply, this.problemOf(thrown), thrown);
    this.answer(thrown, reply);
  }

  /** Sends the problem of an error. */
  answer(thrown: unknown, reply: PlainReply): void {
    sendProblem(reply, this.problemOf(thrown));
  }

  private problemOf(thrown: unknown): ProblemResponse {
    const problem = toProblem(thrown);
    if (problem.status >= 500) this.logger.error({ err: thrown, code: problem.code }, 'request failed');
    return problem;
  }
}

export function sendProblem(reply: PlainReply, { status, body, retryAfter }: ProblemResponse): void {
  if (retryAfter !== undefined) void reply.header('retry-after', String(retryAfter));
  void reply.status(status).header('content-type', PROBLEM_TYPE).send(JSON.stringify(body));
}

/** The response to an error. The order matters: errors of Errand, then Redis, then errors of Nest and Fastify. */
export function toProblem(thrown: unknown): ProblemResponse {
  if (thrown instanceof ProblemError) {
    return problemOf(
      thrown.code,
      thrown.detail,
      thrown.more.status,
      {
        ...(thrown.more.errors && { errors: thrown.more.errors }),
        ...(thrown.more.observation !== undefined && { observation: thrown.more.observation }),
        ...(thrown.more.messages && { messages: thrown.more.messages }),
      },
      thrown.more.retryAfterSeconds,
    );
  }
  if (thrown instanceof QueueFullError)
    return problemOf('queue_full', thrown.message, undefined, {}, thrown.retryAfterSeconds);
  if (thrown instanceof LateReplicasError) return problemOf('unavailable', lateReplicas(thrown), undefined, {}, 2);
  if (cannotStore(thrown))
    return problemOf(
      'unavailable',
      'Redis cannot store anything now; nothing was accepted, try again later',
      undefined,
      {},
      10,
    );
  if (isRedisAway(thrown)) return problemOf('unavailable', REDIS_AWAY, undefined, {}, 2);
  const status =
    thrown instanceof HttpException ? thrown.getStatus() : Number((thrown as { statusCode?: unknown })?.statusCode);
  const detail = thrown instanceof Error ? thrown.message : '';
  if (status === 404) return problemOf('not_found', detail);
  if (status === 413) return problemOf('payload_too_large', `${detail}; ERRAND_BODY_LIMIT sets the limit`);
  if (status === 415)
    return problemOf('invalid_request', 'Send the body as JSON, with content-type: application/json', 415);
  if (status >= 400 && status < 500) return problemOf('invalid_request', detail, status);
  return problemOf('internal_error', 'Internal error: the log of the API has the details');
}

function problemOf(
  code: ProblemCode,
  detail: string,
  status?: number,
  rest: { errors?: readonly object[] } = {},
  retryAfter?: number,
): ProblemResponse {
  const body = { ...problemBody(code, detail, status), ...rest };
  return { status: body.status, code, body, ...(retryAfter !== undefined && { retryAfter }) };
}

/** ioredis has no common class for an unreachable Redis. These are the names and messages of its errors. */
function isRedisAway(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  return (
    thrown.name === 'MaxRetriesPerRequestError' ||
    ['ECONNREFUSED', 'ECONNRESET', 'EPIPE'].includes((thrown as { code?: string }).code ?? '') ||
    /^(Command timed out|Command aborted|Connection is closed|Stream isn't writeable|LOADING)/.test(thrown.message)
  );
}

/** Redis responds but stores nothing: it is full, a replica, without a disk, or a node of a Cluster that does not have the keys. */
function cannotStore(thrown: unknown): boolean {
  if (refusalOf(thrown) !== undefined) return true;
  // The error of a transaction has that of the refused command in its text.
  return (
    thrown instanceof Error &&
    /^EXECABORT|\b(OOM command|READONLY|MISCONF|NOREPLICAS|CLUSTERDOWN)\b/.test(thrown.message)
  );
}

function lateReplicas({ wanted }: LateReplicasError): string {
  return (
    `Redis has stored the submission, but fewer than ${wanted} of its replicas have confirmed that in time, so a failover can lose it. ` +
    'It is safe to send it again with the same Idempotency-Key'
  );
}
