import type { AccessScope } from '@errand/contracts';
import { ProblemError } from '../http/problem-error.js';
import type { Caller } from './callers.js';

/** The scopes that include another one. */
const INCLUDED_IN: Readonly<Record<AccessScope, readonly AccessScope[]>> = {
  invoke: ['invoke', 'admin'],
  read: ['read', 'operate', 'admin'],
  operate: ['operate', 'admin'],
  admin: ['admin'],
};

/** @throws ProblemError forbidden that names the missing scope */
export function requireScope({ scopes }: Caller, scope: AccessScope): void {
  if (INCLUDED_IN[scope].some((one) => scopes.includes(one))) return;
  throw new ProblemError('forbidden', `This needs the scope \`${scope}\`, which your key does not have`);
}

/** @throws ProblemError forbidden for everybody but the operator */
export function requireOperator({ isOperator }: Caller): void {
  if (isOperator) return;
  throw new ProblemError('forbidden', 'This concerns all tenants and needs the scope `admin` of the operator');
}
