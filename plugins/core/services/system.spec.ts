import { currentTime } from './system.js';

const WINTER = new Date('2026-01-31T23:05:09.999Z');

describe('The current time', () => {
  it.each([
    [{}, '2026-01-31T23:05:09Z'],
    [{ timezone: 'Europe/Berlin' }, '2026-02-01T00:05:09+01:00'],
    [{ timezone: 'Asia/Kolkata' }, '2026-02-01T04:35:09+05:30'],
    [{ timezone: 'America/New_York', format: 'YYYY-MM-DD HH:mm' }, '2026-01-31 18:05'],
    [{ format: 'unix' }, '1769900709'],
  ])('The time with %j is %s', (args, expected) => {
    expect(currentTime(args, WINTER)).toBe(expected);
  });

  it('The time follows daylight saving', () => {
    expect(currentTime({ timezone: 'Europe/Berlin' }, new Date('2026-07-01T12:00:00Z'))).toBe(
      '2026-07-01T14:00:00+02:00',
    );
  });

  it('An unknown time zone is refused', () => {
    expect(() => currentTime({ timezone: 'Europe/Berln' }, WINTER)).toThrow("did you mean 'Europe/Berlin'?");
    expect(() => currentTime({ timezone: 'Middle-earth' }, WINTER)).toThrow('use an IANA name');
  });

  it('A format without a time is refused', () => {
    expect(() => currentTime({ format: 'pretty' }, WINTER)).toThrow("got 'pretty'");
  });
});
