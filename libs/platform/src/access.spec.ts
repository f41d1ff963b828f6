import { isOperator, judgeCallers, requireSafeBinding } from './access.js';

const KEY = 'a-key-of-some-length';
const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
const withKeys = judgeCallers([
  { tenant: 'default', key: KEY },
  { tenant: 'acme', key: 'another' },
]);

describe('judgeCallers with keys', () => {
  it.each([
    ['a key', `Bearer ${KEY}`, { tenant: 'default' }],
    ['a key with its tenant', `Bearer default:${KEY}`, { tenant: 'default' }],
    ['a key of a tenant', 'Bearer another', { tenant: 'acme' }],
    ['the same with its tenant', 'Bearer acme:another', { tenant: 'acme' }],
    ['a key with a tenant that is not its own', 'Bearer default:another', { refused: true }],
    ['none', undefined, { refused: true }],
    ['a wrong one', 'Bearer wrong', { refused: true }],
    ['an empty one', 'Bearer ', { refused: true }],
    ['a tenant without a key', 'Bearer acme:', { refused: true }],
    ['a key as a password, where programs come', basic(`me:${KEY}`), { refused: true }],
  ])('%s', (_what, authorization, judged) => {
    expect(withKeys({ authorization })).toEqual(judged);
  });

  it.each([
    ['a key', basic(`me:${KEY}`), { tenant: 'default' }],
    ['a key of a nameless one', basic(`:${KEY}`), { tenant: 'default' }],
    ['a key of a tenant', basic('me:another'), { tenant: 'acme' }],
    ['a wrong one', basic('me:wrong'), { refused: true }],
    ['no colon', basic(KEY), { refused: true }],
    ['no base64', 'Basic §§', { refused: true }],
  ])('%s as a password, where people come', (_what, authorization, judged) => {
    expect(withKeys({ authorization, byPassword: true })).toEqual(judged);
  });

  it('tell the operator from a tenant', () => {
    expect(isOperator({ tenant: 'default' })).toBe(true);
    expect(isOperator({ tenant: 'acme' })).toBe(false);
    expect(isOperator({ refused: true })).toBe(false);
  });
});

describe('judgeCallers without keys', () => {
  it('takes everybody for the default tenant', () => {
    expect(judgeCallers([])({ authorization: undefined })).toEqual({ tenant: 'default' });
    expect(judgeCallers([])({ authorization: 'Bearer any' })).toEqual({ tenant: 'default' });
  });
});

describe('requireSafeBinding', () => {
  const local = { setting: 'ERRAND_HEALTH_HOST', keys: [], allowNoAuth: false } as const;

  it.each(['localhost', '127.0.0.1', '127.9.9.9', '::1', '[::1]'])(
    'lets a server without keys listen on %s',
    (host) => {
      expect(() => requireSafeBinding({ ...local, host })).not.toThrow();
    },
  );

  it.each(['0.0.0.0', '::', '10.0.0.1', 'api.localhost', '127.0.0.1.evil.example', '127.1', ''])(
    'does not let a server without keys listen on %j',
    (host) => {
      expect(() => requireSafeBinding({ ...local, host })).toThrow('ERRAND_HEALTH_HOST=');
    },
  );

  it('does not listen where others come, and names the setting', () => {
    const open = { ...local, host: '0.0.0.0' } as const;
    expect(() => requireSafeBinding({ ...open, allowNoAuth: false })).toThrow('ERRAND_HEALTH_HOST=0.0.0.0');
    expect(() => requireSafeBinding({ ...open, allowNoAuth: true })).not.toThrow();
    expect(() =>
      requireSafeBinding({ ...open, keys: [{ tenant: 'acme', key: KEY }], allowNoAuth: false }),
    ).not.toThrow();
  });
});
