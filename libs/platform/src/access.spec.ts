import { judgeCallers, requireSafeBinding } from './access.js';

const KEY = 'a-key-of-some-length';
const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
const withKeys = judgeCallers({ setting: 'ERRAND_HOST', host: '0.0.0.0', keys: [KEY, 'another'], allowNoAuth: false });
const hostname = 'errand.example';

describe('judgeCallers with keys', () => {
  it.each([
    ['a key', `Bearer ${KEY}`, undefined],
    ['another key', 'Bearer another', undefined],
    ['none', undefined, 'key'],
    ['a wrong one', 'Bearer wrong', 'key'],
    ['an empty one', 'Bearer ', 'key'],
    ['a key as a password, where programs come', basic(`me:${KEY}`), 'key'],
  ])('%s', (_what, authorization, refusal) => {
    expect(withKeys({ authorization, hostname })).toBe(refusal);
  });

  it.each([
    ['a key', basic(`me:${KEY}`), undefined],
    ['a key of a nameless one', basic(`:${KEY}`), undefined],
    ['a wrong one', basic('me:wrong'), 'key'],
    ['no colon', basic(KEY), 'key'],
    ['no base64', 'Basic §§', 'key'],
  ])('%s as a password, where people come', (_what, authorization, refusal) => {
    expect(withKeys({ authorization, hostname, byPassword: true })).toBe(refusal);
  });
});

describe('judgeCallers without keys', () => {
  const local = { setting: 'ERRAND_HEALTH_HOST', host: '127.0.0.1', keys: [] } as const;

  it.each([
    ['localhost', undefined],
    ['127.0.0.1', undefined],
    ['[::1]', undefined],
    ['127.0.0.1.evil.example', 'name'],
    ['', 'name'],
  ])('called as %j', (name, refusal) => {
    expect(judgeCallers({ ...local, allowNoAuth: false })({ authorization: undefined, hostname: name })).toBe(refusal);
  });

  it('lets anyone in where the operator says so', () => {
    expect(judgeCallers({ ...local, allowNoAuth: true })({ authorization: undefined, hostname })).toBeUndefined();
  });

  it('does not listen where others come, and names the setting', () => {
    const open = { ...local, host: '0.0.0.0' };
    expect(() => requireSafeBinding({ ...open, allowNoAuth: false })).toThrow('ERRAND_HEALTH_HOST=0.0.0.0');
    expect(() => requireSafeBinding({ ...open, allowNoAuth: true })).not.toThrow();
    expect(() => requireSafeBinding({ ...open, keys: [KEY], allowNoAuth: false })).not.toThrow();
  });
});
