import { EVERY_TENANT } from '@errand/queue';
import { resolveScope } from './request-scope.js';

const none = { header: undefined, query: undefined };
const operator = { caller: 'default', isOperator: true, hasKey: true, ...none };
const acme = { caller: 'acme', isOperator: false, hasKey: true, ...none };

const refused = (...given: Parameters<typeof resolveScope>) => {
  try {
    return resolveScope(...given);
  } catch (error) {
    return error as { code: string; detail: string };
  }
};

describe('The scope of a request', () => {
  it('The operator creates data of its own tenant, and finds an id of every tenant', () => {
    expect(resolveScope(operator)).toEqual({ tenant: 'default', reach: EVERY_TENANT, showsTenant: true });
  });

  it('An API without keys shows the tenant only to a request that names one', () => {
    const open = { ...operator, hasKey: false };
    expect(resolveScope(open)).toMatchObject({ reach: EVERY_TENANT, showsTenant: false });
    expect(resolveScope({ ...open, header: 'corp' })).toMatchObject({ reach: 'corp', showsTenant: true });
  });

  it.each([{ header: 'corp' }, { query: 'corp' }, { header: 'corp', query: 'corp' }])(
    'The operator acts for the one tenant that %j names',
    (named) => {
      expect(resolveScope({ ...operator, ...named })).toEqual({ tenant: 'corp', reach: 'corp', showsTenant: true });
    },
  );

  it.each([{}, { header: 'acme' }, { query: 'acme' }])('A key of a tenant keeps its tenant with %j', (named) => {
    expect(resolveScope({ ...acme, ...named })).toEqual({ tenant: 'acme', reach: 'acme', showsTenant: false });
  });

  it.each([{ header: 'corp' }, { query: 'corp' }, { header: 'default' }])(
    'A key of a tenant that names another one with %j is refused',
    (named) => {
      expect(refused({ ...acme, ...named })).toMatchObject({
        code: 'forbidden',
        detail: expect.stringContaining("belongs to the tenant 'acme'"),
      });
    },
  );

  it.each<[string, object]>([
    ['an empty name', { header: '' }],
    ['a name that would be a part of another key in Redis', { query: 'acme:tool' }],
    ['a pattern', { header: '*' }],
    ['a list of names', { header: 'acme, corp' }],
    ['two parameters', { query: ['acme', 'corp'] }],
    ['an object', { query: { $ne: 'acme' } }],
    ['an upper-case name', { header: 'Acme' }],
    ['a name of 64 characters', { header: 'a'.repeat(64) }],
    ['a header and a parameter that differ', { header: 'acme', query: 'corp' }],
  ])('The operator gets an explanation for %s', (_what, named) => {
    expect(refused({ ...operator, ...named })).toMatchObject({
      code: 'invalid_request',
      detail: expect.stringMatching(/must be the name of a tenant|different tenants/),
    });
  });
});
