import { isInvocationId } from '@errand/contracts';
import { readInvocation, type Queues, type StoredInvocation } from '@errand/queue';
import { ProblemError } from './problem-error.js';

/** @throws ProblemError not_found, also for an invocation of another tenant */
export async function findInvocation(queues: Queues, tenant: string, id: string): Promise<StoredInvocation> {
  const found = isInvocationId(id) ? await readInvocation(queues, tenant, id) : undefined;
  return found ?? notFound(id);
}

export function notFound(id: string): never {
  throw new ProblemError('not_found', `There is no invocation ${id.slice(0, 80)}; retention may have removed it`);
}
