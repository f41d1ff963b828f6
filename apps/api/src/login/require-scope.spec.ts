import type { AccessScope } from '@errand/contracts';
import { requireOperator, requireScope } from './require-scope.js';

const caller = (...scopes: AccessScope[]) => ({ tenant: 'acme', scopes, isOperator: false });

describe('The scopes of a caller', () => {
  it('The scope operate includes read, and each scope includes itself', () => {
    expect(() => requireScope(caller('operate'), 'read')).not.toThrow();
    for (const scope of ['invoke', 'read', 'operate', 'admin'] as const)
      expect(() => requireScope(caller(scope), scope)).not.toThrow();
  });

  it.each([
    ['operate', 'read'],
    ['operate', 'invoke'],
    ['read', 'invoke'],
    ['admin', 'operate'],
  ] as const)('A caller without %s is refused by name, whatever else it has', (needed, given) => {
    expect(() => requireScope(caller(given), needed)).toThrow(`needs the scope \`${needed}\``);
  });

  it('Only the operator passes for the operator', () => {
    expect(() => requireOperator({ ...caller('admin'), isOperator: true })).not.toThrow();
    expect(() => requireOperator(caller('admin'))).toThrow('needs the scope `admin`');
  });
});
