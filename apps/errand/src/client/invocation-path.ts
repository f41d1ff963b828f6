import { isInvocationId, isObject, type Invocation } from '@errand/contracts';
import { UsageError } from '../command-line.js';
import { UnreachableError } from './client-errors.js';

/**
 * The path of an invocation. An id is checked first, because a path with `..` would be another path.
 * @throws UsageError for a text that cannot be an id
 */
export function invocationPath(id: string): string {
  if (isInvocationId(id)) return `/v1/invocations/${id}`;
  throw new UsageError(`'${id.slice(0, 80)}' is not the id of an invocation: inv_ with 20 or more characters a-z, 0-9`);
}

/** @throws UnreachableError if a response is not an invocation: the server is then not Errand */
export function requireInvocation(body: unknown, url: string): Invocation {
  const isInvocation =
    isObject(body) && typeof body.id === 'string' && isInvocationId(body.id) && typeof body.status === 'string';
  if (isInvocation) return { ...body, steps: Array.isArray(body.steps) ? body.steps : [] } as unknown as Invocation;
  throw new UnreachableError(
    `The server at ${url} is not Errand: its response is not an invocation`,
    'check the address',
  );
}
