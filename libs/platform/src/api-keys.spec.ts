import { parseApiKeys } from './api-keys.js';

const LONG = 'a-key-of-some-length';

describe('parseApiKeys', () => {
  it('Keys may have a tenant, and a tenant may have several keys', () => {
    expect(parseApiKeys(` ${LONG}  acme:${LONG}-1\nacme:${LONG}-2 `)).toEqual([
      { tenant: 'default', key: LONG },
      { tenant: 'acme', key: `${LONG}-1` },
      { tenant: 'acme', key: `${LONG}-2` },
    ]);
  });

  it('A key may contain colons', () => {
    expect(parseApiKeys(`acme:${LONG}:x`)).toEqual([{ tenant: 'acme', key: `${LONG}:x` }]);
  });

  it.each([
    ['a blank setting', ' ', 'must hold a key'],
    ['a short key', `${LONG} short`, 'key 2 is shorter than 16 characters'],
    ['a short key of a tenant', 'a-tenant-of-some-length:short', 'key 1 is shorter than 16 characters'],
    ['an invalid tenant name', `Acme:${LONG}`, 'key 1 needs the name of a tenant before its colon'],
    ['an empty tenant name', `:${LONG}`, 'key 1 needs the name of a tenant before its colon'],
    ['keys separated by a comma', `${LONG},${LONG}-1`, 'key 1 has an invalid character'],
    ['a letter that headers cannot contain', `${LONG}é`, 'key 1 has an invalid character'],
    ['a key of two tenants', `acme:${LONG} corp:${LONG}`, 'key 2 already belongs to another tenant'],
  ])('The setting refuses %s without showing it', (_what, text, message) => {
    expect(() => parseApiKeys(text)).toThrow(message);
    expect(() => parseApiKeys(text)).not.toThrow(LONG);
  });
});
