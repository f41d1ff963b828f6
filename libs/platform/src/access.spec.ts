import { isOperator, createAccessCheck, requireSafeBinding } from './access.js';

const KEY = 'a-key-of-some-length';
const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
const KEYS = [
  { tenant: 'default', key: KEY },
  { tenant: 'acme', key: 'another' },
] as const;
const withKeys = createAccessCheck(KEYS);
const [asDefault, asAcme] = KEYS.map((key) => ({ tenant: key.tenant, key }));

describe('judgeCallers with keys', () => {
  it.each([
    ['a key', `Bearer ${KEY}`, asDefault],
    ['a key with its tenant', `Bearer default:${KEY}`, asDefault],
    ['a key of a tenant', 'Bearer another', asAcme],
    ['a tenant key with its tenant', 'Bearer acme:another', asAcme],
    ['a key with another tenant', 'Bearer default:another', { refused: true }],
    ['no key', undefined, { refused: true }],
    ['a wrong key', 'Bearer wrong', { refused: true }],
    ['an empty key', 'Bearer ', { refused: true }],
    ['a tenant without a key', 'Bearer acme:', { refused: true }],
    ['a key as a Basic password', basic(`me:${KEY}`), { refused: true }],
  ])('The verdict is right for an API request with %s', (_what, authorization, decision) => {
    expect(withKeys({ authorization })).toEqual(decision);
  });

  it.each([
    ['a key', basic(`me:${KEY}`), asDefault],
    ['a key without a user name', basic(`:${KEY}`), asDefault],
    ['a key of a tenant', basic('me:another'), asAcme],
    ['a wrong key', basic('me:wrong'), { refused: true }],
    ['no colon', basic(KEY), { refused: true }],
    ['invalid base64', 'Basic §§', { refused: true }],
  ])('The verdict is right for Basic authentication with %s', (_what, authorization, decision) => {
    expect(withKeys({ authorization, byPassword: true })).toEqual(decision);
  });

  it('Only the caller of the default tenant is the operator', () => {
    expect(isOperator({ tenant: 'default' })).toBe(true);
    expect(isOperator({ tenant: 'acme' })).toBe(false);
    expect(isOperator({ refused: true })).toBe(false);
  });
});

describe('judgeCallers without keys', () => {
  it('Every caller is the default tenant', () => {
    expect(createAccessCheck([])({ authorization: undefined })).toEqual({ tenant: 'default' });
    expect(createAccessCheck([])({ authorization: 'Bearer any' })).toEqual({ tenant: 'default' });
  });
});

describe('requireSafeBinding', () => {
  const local = { setting: 'ERRAND_HEALTH_HOST', keys: [], allowNoAuth: false } as const;

  it.each(['localhost', '127.0.0.1', '127.9.9.9', '::1', '[::1]'])(
    'The binding check lets a server without keys listen on %s',
    (host) => {
      expect(() => requireSafeBinding({ ...local, host })).not.toThrow();
    },
  );

  it.each(['0.0.0.0', '::', '10.0.0.1', 'api.localhost', '127.0.0.1.evil.example', '127.1', ''])(
    'The binding check refuses a server without keys on %j',
    (host) => {
      expect(() => requireSafeBinding({ ...local, host })).toThrow('ERRAND_HEALTH_HOST=');
    },
  );

  it('A server on all addresses needs keys or permission, and the error names its setting', () => {
    const open = { ...local, host: '0.0.0.0' } as const;
    expect(() => requireSafeBinding({ ...open, allowNoAuth: false })).toThrow('ERRAND_HEALTH_HOST=0.0.0.0');
    expect(() => requireSafeBinding({ ...open, allowNoAuth: true })).not.toThrow();
    expect(() =>
      requireSafeBinding({ ...open, keys: [{ tenant: 'acme', key: KEY }], allowNoAuth: false }),
    ).not.toThrow();
  });
});
