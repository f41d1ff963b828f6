import { isInvocationId } from '@errand/contracts';
import { readInvocation, type Queues, type StoredInvocation } from '@errand/queue';
import { ProblemError } from './problem-error.js';

/** Until there are keys of several tenants there is one. */
export const TENANT = 'default';

/** @throws ProblemError not_found, which says nothing of whether it is another's */
export async function findInvocation(queues: Queues, id: string): Promise<StoredInvocation> {
  const found = isInvocationId(id) ? await readInvocation(queues, TENANT, id) : undefined;
  return found ?? notFound(id);
}

export function notFound(id: string): never {
  throw new ProblemError('not_found', `There is no invocation ${id.slice(0, 80)}; it may have been too long ago`);
}
