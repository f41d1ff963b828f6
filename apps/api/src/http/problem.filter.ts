import type { ProblemCode } from '@errand/contracts';
import { PROBLEM_TYPE, problemBody, type Logger } from '@errand/platform';
import { QueueFullError } from '@errand/queue';
import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ProblemError } from './problem-error.js';

/** What was on its way when the connection broke may have arrived. */
const REDIS_AWAY =
  'Redis cannot be reached; try again soon. Whether a submission was taken is not known: under the same Idempotency-Key it is safe to send it again';

/** Makes every error an RFC 9457 problem. What we did not foresee is logged whole and told as nothing but a 500. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(private readonly logger: Logger) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const problem = toProblem(thrown);
    if (problem.status >= 500) this.logger.error({ err: thrown, code: problem.code }, 'request failed');
    sendProblem(reply, problem);
  }
}

export function sendProblem(reply: FastifyReply, { status, body, retryAfter }: Answer): void {
  if (retryAfter !== undefined) void reply.header('retry-after', String(retryAfter));
  void reply.status(status).header('content-type', PROBLEM_TYPE).send(JSON.stringify(body));
}

interface Answer {
  status: number;
  code: string;
  body: object;
  retryAfter?: number;
}

/** What a thrown thing says to a caller. Order matters: ours, then Redis away, then what Nest and Fastify refuse. */
export function toProblem(thrown: unknown): Answer {
  if (thrown instanceof ProblemError) {
    return answer(
      thrown.code,
      thrown.detail,
      thrown.more.status,
      {
        ...(thrown.more.errors && { errors: thrown.more.errors }),
        ...(thrown.more.observation !== undefined && { observation: thrown.more.observation }),
      },
      thrown.more.retryAfterSeconds,
    );
  }
  if (thrown instanceof QueueFullError)
    return answer('queue_full', thrown.message, undefined, {}, thrown.retryAfterSeconds);
  if (cannotStore(thrown))
    return answer(
      'unavailable',
      'Redis cannot store anything now; nothing was accepted, try again later',
      undefined,
      {},
      10,
    );
  if (isRedisAway(thrown)) return answer('unavailable', REDIS_AWAY, undefined, {}, 2);
  const status =
    thrown instanceof HttpException ? thrown.getStatus() : Number((thrown as { statusCode?: unknown })?.statusCode);
  const detail = thrown instanceof Error ? thrown.message : '';
  if (status === 404) return answer('not_found', detail);
  if (status === 413) return answer('payload_too_large', `${detail}; ERRAND_BODY_LIMIT sets the limit`);
  if (status === 415)
    return answer('invalid_request', 'Send the body as JSON, with content-type: application/json', 415);
  if (status >= 400 && status < 500) return answer('invalid_request', detail, status);
  return answer('internal_error', 'Something failed that should not; the log of the API has the details');
}

function answer(code: ProblemCode, detail: string, status?: number, rest: object = {}, retryAfter?: number): Answer {
  const body = { ...problemBody(code, detail, status), ...rest };
  return { status: body.status, code, body, ...(retryAfter !== undefined && { retryAfter }) };
}

/** ioredis has no common class for "no answer": these are its names and words for it. */
function isRedisAway(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  return (
    thrown.name === 'MaxRetriesPerRequestError' ||
    ['ECONNREFUSED', 'ECONNRESET', 'EPIPE'].includes((thrown as { code?: string }).code ?? '') ||
    /^(Command timed out|Connection is closed|Stream isn't writeable|LOADING)/.test(thrown.message)
  );
}

/** It is there and takes nothing: full, a replica, without a disk to write to, or a cluster without a majority. */
function cannotStore(thrown: unknown): boolean {
  return thrown instanceof Error && /\b(OOM command|READONLY|MISCONF|NOREPLICAS|CLUSTERDOWN)\b/.test(thrown.message);
}
