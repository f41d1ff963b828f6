import type { AccessScope } from '@errand/contracts';
import { ProblemError } from '../http/problem-error.js';
import type { Caller } from './callers.js';

/** @throws ProblemError forbidden with the missing scope. `operate` includes `read`. */
export function requireScope({ scopes }: Caller, scope: AccessScope): void {
  if (scopes.includes(scope) || (scope === 'read' && scopes.includes('operate'))) return;
  throw new ProblemError('forbidden', `This needs the scope \`${scope}\`, which your key does not have`);
}

/** @throws ProblemError forbidden for every caller but the operator */
export function requireOperator({ isOperator }: Caller): void {
  if (isOperator) return;
  const detail = 'This concerns all tenants and needs the scope `admin`: a key that has no tenant in ERRAND_API_KEYS';
  throw new ProblemError('forbidden', detail);
}
