import * as fc from 'fast-check';
import type { JsonObject } from '@errand/contracts';
import { randomRuns } from '../../../test/support/random-runs.js';
import { runCoreNode, textFromNode } from '../test/run-core-node.js';

const BERLIN = { timeZone: 'Europe/Berlin' };

describe('The nodes for time', () => {
  it.each<[string, JsonObject, string | number]>([
    ['core:time-format', { time: '2026-01-31T09:30:00Z' }, '2026-01-31T09:30:00Z'],
    ['core:time-format', { time: '2026-01-31T09:30:00Z', ...BERLIN }, '2026-01-31T10:30:00+01:00'],
    ['core:time-format', { time: '2026-01-31', ...BERLIN }, '2026-01-31T00:00:00+01:00'],
    ['core:time-format', { time: '2026-01-31 09:30', timeZone: 'Asia/Kolkata' }, '2026-01-31T09:30:00+05:30'],
    [
      'core:time-format',
      { time: '2026-01-31T09:30:00.1239-02:30', format: 'YYYY/MM/DD HH:mm:ss.SSS' },
      '2026/01/31 12:00:00.123',
    ],
    [
      'core:time-format',
      { time: '2026-03-01T00:00:00Z', format: '[on] dddd, MMMM DD YYYY' },
      'on Sunday, March 01 2026',
    ],
    ['core:time-format', { time: '2026-03-01T00:00:00Z', format: 'ddd DD MMM', locale: 'fr' }, 'dim. 01 mars'],
    ['core:time-format', { time: '2026-03-01T00:00:00Z', format: 'unix' }, '1772323200'],
    ['core:time-format', { time: '1969-12-31T23:59:59.500Z', format: 'unix-ms' }, '-500'],
    ['core:time-format', { time: '0099-03-01', format: 'YYYY-MM-DD' }, '0099-03-01'],
    ['core:time-parse', { text: '31.01.2026 09:30', format: 'DD.MM.YYYY HH:mm', ...BERLIN }, '2026-01-31T08:30:00Z'],
    ['core:time-parse', { text: '1772323200', format: 'unix' }, '2026-03-01T00:00:00Z'],
    ['core:time-parse', { text: '1772323200000', format: 'unix-ms' }, '2026-03-01T00:00:00Z'],
    ['core:time-parse', { text: '2026-01-31T09:30:00+0530' }, '2026-01-31T04:00:00Z'],
    ['core:time-parse', { text: ' 2026-01-31t09:30:00z ' }, '2026-01-31T09:30:00Z'],
    ['core:time-parse', { text: '(2026.01.31)*', format: '(YYYY.MM.DD)*' }, '2026-01-31T00:00:00Z'],
    ['core:time-parse', { text: '2024-02-29' }, '2024-02-29T00:00:00Z'],
    // a clock that goes forward has no 02:30; a clock that goes back has it twice, and the first one counts
    ['core:time-parse', { text: '2026-03-29T02:30', ...BERLIN }, '2026-03-29T01:30:00Z'],
    ['core:time-parse', { text: '2026-10-25T02:30', ...BERLIN }, '2026-10-25T00:30:00Z'],
    ['core:time-add', { time: '2026-01-31T09:00:00Z', months: 1 }, '2026-02-28T09:00:00Z'],
    ['core:time-add', { time: '2024-02-29T09:00:00Z', years: 1 }, '2025-02-28T09:00:00Z'],
    ['core:time-add', { time: '2026-03-31', months: -13 }, '2025-02-28T00:00:00Z'],
    ['core:time-add', { time: '2026-12-31T23:59:59Z', seconds: 1 }, '2027-01-01T00:00:00Z'],
    ['core:time-add', { time: '2026-03-28T09:00:00+01:00', days: 1, ...BERLIN }, '2026-03-29T09:00:00+02:00'],
    ['core:time-add', { time: '2026-03-28T09:00:00+01:00', hours: 24, ...BERLIN }, '2026-03-29T10:00:00+02:00'],
    ['core:time-add', { time: '2026-10-25T02:30:00+01:00', minutes: 1, ...BERLIN }, '2026-10-25T02:31:00+01:00'],
    ['core:time-add', { time: '2026-01-01', weeks: 2, minutes: -1 }, '2026-01-14T23:59:00Z'],
    ['core:time-difference', { from: '2026-01-31', to: '2026-02-01' }, 86_400],
    ['core:time-difference', { from: '2026-02-01', to: '2026-01-31T12:00:00Z', unit: 'days' }, -0.5],
    ['core:time-difference', { from: '2026-01-31T00:00:00Z', to: '2026-01-31T00:00:00+01:00', unit: 'hours' }, -1],
  ])('The result of %s for %j is %s', async (type, args, expected) => {
    await expect(runCoreNode(type, args)).resolves.toBe(expected);
  });

  it.each<[string, JsonObject, string]>([
    ['core:now', { timeZone: 'Europe/Berln' }, "did you mean 'Europe/Berlin'?"],
    ['core:time-format', { time: 'tomorrow' }, "'time' must be a time ISO 8601, such as 2026-01-31T09:30:00Z"],
    ['core:time-format', { time: '2026-02-30' }, "got '2026-02-30'"],
    ['core:time-format', { time: '2026-01-31T24:00:00Z' }, "'time' must be a time"],
    ['core:time-format', { time: '0000-01-01' }, "'time' must be a time"],
    ['core:time-format', { time: '2026-01-31', format: 'pretty' }, "'format' must be 'iso'"],
    ['core:time-format', { time: '2026-01-31', format: 'dddd', locale: 'no such' }, "'no such' is not a language tag"],
    ['core:time-parse', { text: '31.1.2026', format: 'DD.MM.YYYY' }, "'text' must be a time in the form DD.MM.YYYY"],
    [
      'core:time-parse',
      { text: '31.01.', format: 'DD.MM.' },
      "'format' must be iso, unix, unix-ms or a pattern with YYYY",
    ],
    ['core:time-format', { time: '2026-01-31', format: 'MMMM'.repeat(60) }, "'format' is longer than 200 characters"],
    ['core:time-parse', { text: 'x', format: 'YYYY YYYY MM DD' }, 'each token once'],
    ['core:time-parse', { text: 'soon', format: 'unix' }, 'must be a number since 1970'],
    ['core:time-parse', { text: '99999999999999', format: 'unix' }, 'must be a number since 1970'],
    ['core:time-add', { time: '2026-01-31', years: 9000 }, 'the years 1 to 9999'],
    ['core:time-add', { time: '2026-01-31', days: 9e15 }, 'the years 1 to 9999'],
    ['core:time-add', { time: '2026-01-31', seconds: -1e15 }, 'the years 1 to 9999'],
    ['core:time-difference', { from: '2026-01-31', to: 'x' }, "'to' must be a time"],
    [
      'core:time-difference',
      { from: '2026-01-31', to: '2026-01-31', unit: 'months' },
      "'unit' must be one of milliseconds",
    ],
  ])('The node %s refuses %j: %s', async (type, args, message) => {
    await expect(runCoreNode(type, args)).rejects.toMatchObject({
      type: 'ParameterValidationError',
      message: expect.stringContaining(message),
    });
  });

  it('core:now returns the current time', async () => {
    const before = Math.floor(Date.now() / 1000);
    const now = Date.parse(await textFromNode('core:now', { timeZone: 'Asia/Tokyo' })) / 1000;
    expect(now).toBeGreaterThanOrEqual(before);
    expect(now).toBeLessThanOrEqual(Date.now() / 1000);
  });

  it('A time that was written in a time zone is read back, up to the hour that occurs twice', async () => {
    const zones = fc.constantFrom('Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe', 'UTC');
    const moments = fc.integer({ min: Date.UTC(1975), max: Date.UTC(2037) }).map((ms) => Math.floor(ms / 1000) * 1000);
    const format = 'YYYY-MM-DD HH:mm:ss';
    await fc.assert(
      fc.asyncProperty(moments, zones, async (ms, timeZone) => {
        const time = new Date(ms).toISOString();
        const text = await runCoreNode('core:time-format', { time, format, timeZone });
        const read = await textFromNode('core:time-parse', { text, format, timeZone });
        const again = await runCoreNode('core:time-format', { time: read, format, timeZone });
        expect(again).toBe(text);
        expect(Math.abs(Date.parse(read) - ms)).toBeLessThanOrEqual(3_600_000);
      }),
      { numRuns: randomRuns(100) },
    );
  });
});
