import { cookieWith, tokenIn } from './login-cookie.js';

it.each([
  ['errand_session=abc', 'abc'],
  ['theme=dark; errand_session=abc; x=y', 'abc'],
  ['errand_session=', ''],
  ['theme=dark', undefined],
  ['my_errand_session=abc', undefined],
  ['errand_session=abc; errand_session=def', undefined],
  ['', undefined],
  [undefined, undefined],
])('The token of the cookies %j is %j', (cookies, token) => {
  expect(tokenIn(cookies)).toBe(token);
});

it('A header of 16 KiB of cookies takes linear time', () => {
  expect(tokenIn(`${' ;'.repeat(8_000)}errand_session=abc`)).toBe('abc');
});

it('No script can read the cookie, and other sites cannot send it', () => {
  expect(cookieWith('abc', undefined)).toBe('errand_session=abc; Path=/; Max-Age=604800; HttpOnly; SameSite=Strict');
});

it('The cookie needs https if the public address does', () => {
  expect(cookieWith('abc', 'https://errand.example')).toMatch(/; Secure$/);
  expect(cookieWith('abc', 'http://errand.example')).not.toContain('Secure');
});

it('A cookie without a token takes the old one away', () => {
  expect(cookieWith('', undefined)).toContain('errand_session=; Path=/; Max-Age=0;');
});
