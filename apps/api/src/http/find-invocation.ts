import { isInvocationId } from '@errand/contracts';
import { readInvocation, type Queues, type StoredInvocation } from '@errand/queue';
import { ProblemError } from './problem-error.js';

/** @throws ProblemError not_found, which says nothing of whether it is another's */
export async function findInvocation(queues: Queues, tenant: string, id: string): Promise<StoredInvocation> {
  const found = isInvocationId(id) ? await readInvocation(queues, tenant, id) : undefined;
  return found ?? notFound(id);
}

export function notFound(id: string): never {
  throw new ProblemError('not_found', `There is no invocation ${id.slice(0, 80)}; it may have been too long ago`);
}
