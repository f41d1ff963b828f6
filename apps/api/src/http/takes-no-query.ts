import type { CanActivate, ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ProblemError } from './problem-error.js';

/** For routes that change something and have no query. Without it, `?dryRun=true` would be ignored, and the request would be carried out. */
export class TakesNoQuery implements CanActivate {
  /** @throws ProblemError invalid_request */
  canActivate(context: ExecutionContext): true {
    requireNoQuery(context.switchToHttp().getRequest<FastifyRequest>());
    return true;
  }
}

/** @throws ProblemError invalid_request for a parameter other than `tenant`, which the scope of the request has read */
export function requireNoQuery({ query }: Pick<FastifyRequest, 'query'>): void {
  const unknown = Object.keys(query as object).find((name) => name !== 'tenant');
  if (unknown === undefined) return;
  const name = unknown.slice(0, 80);
  const message = `This request has no parameter '${name}' in its address. Remove it`;
  throw new ProblemError('invalid_request', message, { errors: [{ path: `/${name}`, message }] });
}
