import type { AccessScope } from '@errand/contracts';
import { ProblemError } from '../http/problem-error.js';
import type { Caller } from './callers.js';

/** Scopes that include another one. */
const INCLUDING: Readonly<Record<AccessScope, readonly AccessScope[]>> = {
  invoke: ['invoke', 'admin'],
  read: ['read', 'operate', 'admin'],
  operate: ['operate', 'admin'],
  admin: ['admin'],
};

/** @throws ProblemError forbidden if the caller lacks the scope */
export function requireScope({ scopes }: Caller, scope: AccessScope): void {
  if (INCLUDING[scope].some((each) => scopes.includes(each))) return;
  throw new ProblemError('forbidden', `This needs the scope \`${scope}\`, which your key does not have`);
}

/** @throws ProblemError forbidden unless the caller is the operator */
export function requireOperator({ isOperator }: Caller): void {
  if (isOperator) return;
  throw new ProblemError('forbidden', 'This needs the operator: a key of the tenant `default` with the scope `admin`');
}
