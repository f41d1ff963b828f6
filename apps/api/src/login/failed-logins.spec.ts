import { FailedLogins } from './failed-logins.js';

const fail = (logins: FailedLogins, times: number, address = '192.0.2.1', now = 0) =>
  Array.from({ length: times }, () => logins.add(address, now)).at(-1);

it('The first 30 failures of an address in a minute do not have to wait, further ones do', () => {
  const logins = new FailedLogins();
  expect(fail(logins, 30)).toBeUndefined();
  expect(logins.add('192.0.2.1', 15_000)).toBe(45);
});

it('A minute after its first failure, an address begins again', () => {
  const logins = new FailedLogins();
  expect(fail(logins, 31)).toBe(60);
  expect(logins.add('192.0.2.1', 60_000)).toBeUndefined();
});

it('Another address does not wait', () => {
  const logins = new FailedLogins();
  fail(logins, 31);
  expect(logins.add('192.0.2.2', 0)).toBeUndefined();
});

it('All addresses of an IPv6 network count together', () => {
  const logins = new FailedLogins();
  for (let n = 0; n < 30; n++) logins.add(`2001:db8::${n.toString(16)}`, 0);
  expect(logins.add('2001:db8::ffff:1', 0)).toBe(60);
});

it('A flood from many addresses keeps the memory bounded', () => {
  const logins = new FailedLogins();
  fail(logins, 31);
  for (let n = 0; n < 10_000; n++) logins.add(`10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`, 0);
  expect(logins.add('192.0.2.1', 0)).toBeUndefined();
});
