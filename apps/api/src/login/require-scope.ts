import type { AccessScope } from '@errand/contracts';
import { ProblemError } from '../http/problem-error.js';
import type { Caller } from './callers.js';

/** The scopes that include another one. */
const INCLUDES: Readonly<Record<AccessScope, readonly AccessScope[]>> = {
  invoke: ['invoke', 'admin'],
  read: ['read', 'operate', 'admin'],
  operate: ['operate', 'admin'],
  admin: ['admin'],
};

/** @throws ProblemError forbidden, which names the scope, unless the caller has it or one that includes it */
export function requireScope(caller: Caller, scope: AccessScope): void {
  if (INCLUDES[scope].some((one) => caller.scopes.includes(one))) return;
  throw new ProblemError('forbidden', `This needs the scope \`${scope}\`, which your key does not have`);
}

/** @throws ProblemError forbidden unless the caller is the operator: it has the scope `admin` of the tenant `default` */
export function requireOperator(caller: Caller): void {
  if (caller.isOperator) return;
  const detail =
    'This concerns all tenants and needs the scope `admin` of the tenant `default`: a key that has no tenant in ERRAND_API_KEYS';
  throw new ProblemError('forbidden', detail);
}
