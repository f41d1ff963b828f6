import { isFinal } from '@errand/contracts';
import type { StoredInvocation } from '@errand/queue';
import { ProblemError } from '../../http/problem-error.js';

/** @throws ProblemError conflict unless the invocation failed or was cancelled */
export function requireFailed({ status }: StoredInvocation): void {
  if (status === 'failed' || status === 'cancelled') return;
  const why = isFinal(status) ? 'it succeeded, and there is nothing to repair' : `it is ${status}; cancel it first`;
  throw new ProblemError('conflict', `Only an invocation that failed or was cancelled can be retried: ${why}`);
}

/** @throws ProblemError invalid_request unless the invocation is a turn of an agent: nothing else has limits */
export function requireTurn({ record }: StoredInvocation): void {
  if (record.calls.some(({ kind }) => kind === 'agent')) return;
  throw new ProblemError('invalid_request', 'limits: only a turn of an agent has limits', {
    errors: [{ path: '/limits', message: 'only a turn of an agent has limits' }],
  });
}
