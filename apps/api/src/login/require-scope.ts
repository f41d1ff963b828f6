import type { AccessScope } from '@errand/contracts';
import { ProblemError } from '../http/problem-error.js';
import type { Caller } from './callers.js';

/** The scopes that include another one. */
const INCLUDED_IN: { [scope in AccessScope]?: readonly AccessScope[] } = {
  invoke: ['admin'],
  read: ['operate', 'admin'],
  operate: ['admin'],
};

/** @throws ProblemError forbidden that names the missing scope */
export function requireScope({ scopes }: Caller, scope: AccessScope): void {
  if ([scope, ...(INCLUDED_IN[scope] ?? [])].some((each) => scopes.includes(each))) return;
  throw new ProblemError(
    'forbidden',
    `This needs the scope \`${scope}\`, and the key has ${scopes.join(', ') || 'none'}`,
  );
}

/** @throws ProblemError forbidden for everybody but the operator */
export function requireOperator({ isOperator }: Caller): void {
  if (isOperator) return;
  const detail = 'This concerns all tenants and needs the scope `admin`: a key that has no tenant in ERRAND_API_KEYS';
  throw new ProblemError('forbidden', detail);
}
