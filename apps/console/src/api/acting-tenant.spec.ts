import { actingTenant, addressFor, chooseTenant, isTenantName, namesAnother, withTenant } from './acting-tenant.js';

const OPERATOR = { tenant: 'default', isOperator: true };

describe('The tenant for which the operator acts', () => {
  it('The address names the tenant, and every address of the console names it from then on', () => {
    chooseTenant(OPERATOR, '/console/?tenant=acme');
    expect(actingTenant()).toBe('acme');
    expect(withTenant('/console/queues')).toBe('/console/queues?tenant=acme');
    expect(withTenant('/console/invocations?status=failed#main')).toBe(
      '/console/invocations?status=failed&tenant=acme#main',
    );
    expect(withTenant('/console/?tenant=corp')).toBe('/console/?tenant=corp');
    expect(addressFor('corp')).toBe('/console/?tenant=corp');
    expect(addressFor('default')).toBe('/console/');
  });

  it('An address that names another tenant, or that of the key, is seen', () => {
    chooseTenant(OPERATOR, '/console/?tenant=acme');
    expect(['/console/?tenant=corp', '/console/?tenant=default', '/console/?tenant=a%20b'].map(namesAnother)).toEqual([
      true,
      true,
      true,
    ]);
    expect(['/console/?tenant=acme', '/console/'].map(namesAnother)).toEqual([false, false]);
  });

  it.each(['/console/', '/console/?tenant=default', '/console/?tenant=A%20b', '/console/?tenant='])(
    'The operator acts for its own tenant at %s',
    (url) => {
      chooseTenant(OPERATOR, url);
      expect(actingTenant()).toBeUndefined();
      expect(withTenant('/console/queues')).toBe('/console/queues');
      expect(namesAnother(url)).toBe(false);
    },
  );

  it('Nobody else acts for another tenant', () => {
    chooseTenant({ tenant: 'acme', isOperator: false }, '/console/?tenant=corp');
    expect(actingTenant()).toBeUndefined();
    expect(namesAnother('/console/?tenant=corp')).toBe(false);
  });

  it('A tenant has a short name of plain characters', () => {
    expect(['acme', 'a_b-1', 'x'.repeat(63)].every(isTenantName)).toBe(true);
    expect(['', 'Acme', 'a b', 'x'.repeat(64), 'a\n'].some(isTenantName)).toBe(false);
  });
});
