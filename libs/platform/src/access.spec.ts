import { isOperator, judgeCallers, requireSafeBinding } from './access.js';

const KEY = 'a-key-of-some-length';
const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
const withKeys = judgeCallers({
  setting: 'ERRAND_HOST',
  host: '0.0.0.0',
  keys: [
    { tenant: 'default', key: KEY },
    { tenant: 'acme', key: 'another' },
  ],
  allowNoAuth: false,
});
const hostname = 'errand.example';

describe('judgeCallers with keys', () => {
  it.each([
    ['a key', `Bearer ${KEY}`, { tenant: 'default' }],
    ['a key with its tenant', `Bearer default:${KEY}`, { tenant: 'default' }],
    ['a key of a tenant', 'Bearer another', { tenant: 'acme' }],
    ['the same with its tenant', 'Bearer acme:another', { tenant: 'acme' }],
    ['a key with a tenant that is not its own', 'Bearer default:another', { refusal: 'key' }],
    ['none', undefined, { refusal: 'key' }],
    ['a wrong one', 'Bearer wrong', { refusal: 'key' }],
    ['an empty one', 'Bearer ', { refusal: 'key' }],
    ['a tenant without a key', 'Bearer acme:', { refusal: 'key' }],
    ['a key as a password, where programs come', basic(`me:${KEY}`), { refusal: 'key' }],
  ])('%s', (_what, authorization, judged) => {
    expect(withKeys({ authorization, hostname })).toEqual(judged);
  });

  it.each([
    ['a key', basic(`me:${KEY}`), { tenant: 'default' }],
    ['a key of a nameless one', basic(`:${KEY}`), { tenant: 'default' }],
    ['a key of a tenant', basic('me:another'), { tenant: 'acme' }],
    ['a wrong one', basic('me:wrong'), { refusal: 'key' }],
    ['no colon', basic(KEY), { refusal: 'key' }],
    ['no base64', 'Basic §§', { refusal: 'key' }],
  ])('%s as a password, where people come', (_what, authorization, judged) => {
    expect(withKeys({ authorization, hostname, byPassword: true })).toEqual(judged);
  });

  it('tell the operator from a tenant', () => {
    expect(isOperator({ tenant: 'default' })).toBe(true);
    expect(isOperator({ tenant: 'acme' })).toBe(false);
    expect(isOperator({ refusal: 'key' })).toBe(false);
  });
});

describe('judgeCallers without keys', () => {
  const local = { setting: 'ERRAND_HEALTH_HOST', host: '127.0.0.1', keys: [] } as const;

  it.each([
    ['localhost', { tenant: 'default' }],
    ['127.0.0.1', { tenant: 'default' }],
    ['[::1]', { tenant: 'default' }],
    ['127.0.0.1.evil.example', { refusal: 'name' }],
    ['', { refusal: 'name' }],
  ])('called as %j', (name, judged) => {
    expect(judgeCallers({ ...local, allowNoAuth: false })({ authorization: undefined, hostname: name })).toEqual(
      judged,
    );
  });

  it('lets anyone in where the operator says so', () => {
    expect(judgeCallers({ ...local, allowNoAuth: true })({ authorization: undefined, hostname })).toEqual({
      tenant: 'default',
    });
  });

  it('does not listen where others come, and names the setting', () => {
    const open = { ...local, host: '0.0.0.0' };
    expect(() => requireSafeBinding({ ...open, allowNoAuth: false })).toThrow('ERRAND_HEALTH_HOST=0.0.0.0');
    expect(() => requireSafeBinding({ ...open, allowNoAuth: true })).not.toThrow();
    expect(() =>
      requireSafeBinding({ ...open, keys: [{ tenant: 'acme', key: KEY }], allowNoAuth: false }),
    ).not.toThrow();
  });
});
