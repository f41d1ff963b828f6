import { isInvocationId } from '@errand/contracts';
import { readInvocation, type Queues, type StoredInvocation, type TenantReach } from '@errand/queue';
import { ProblemError } from './problem-error.js';

/** @throws ProblemError not_found, also for an invocation of a tenant out of reach */
export async function findInvocation(queues: Queues, reach: TenantReach, id: string): Promise<StoredInvocation> {
  const found = isInvocationId(id) ? await readInvocation(queues, reach, id) : undefined;
  return found ?? notFound(id);
}

export function notFound(id: string): never {
  throw new ProblemError('not_found', `There is no invocation ${id.slice(0, 80)}; retention may have removed it`);
}
