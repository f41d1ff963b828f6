import { parseApiKeys } from './api-keys.js';

const LONG = 'a-key-of-some-length';

describe('parseApiKeys', () => {
  it('takes keys with and without a tenant, several of one tenant among them', () => {
    expect(parseApiKeys(` ${LONG}  acme:${LONG}-1\nacme:${LONG}-2 `)).toEqual([
      { tenant: 'default', key: LONG },
      { tenant: 'acme', key: `${LONG}-1` },
      { tenant: 'acme', key: `${LONG}-2` },
    ]);
  });

  it('lets the key itself have colons', () => {
    expect(parseApiKeys(`acme:${LONG}:x`)).toEqual([{ tenant: 'acme', key: `${LONG}:x` }]);
  });

  it.each([
    ['nothing', ' ', 'must hold a key'],
    ['a short one', `${LONG} short`, 'key 2 is shorter than 16 characters'],
    ['a short one of a tenant', 'a-tenant-of-some-length:short', 'key 1 is shorter than 16 characters'],
    ['a name that is none', `Acme:${LONG}`, "key 1 has no tenant's name before its colon"],
    ['no name', `:${LONG}`, "key 1 has no tenant's name before its colon"],
    ['keys with a comma between', `${LONG},${LONG}-1`, 'key 1 has a character that no key has'],
    ['a letter that no header carries', `${LONG}é`, 'key 1 has a character that no key has'],
    ['a key of two tenants', `acme:${LONG} corp:${LONG}`, 'key 2 stands for another tenant already'],
  ])('refuses %s, and does not show it', (_what, text, message) => {
    expect(() => parseApiKeys(text)).toThrow(message);
    expect(() => parseApiKeys(text)).not.toThrow(LONG);
  });
});
