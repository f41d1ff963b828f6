import { readRecord, type LogLine } from './log-record.js';
import { renderAsJson, renderForTerminal } from './render-record.js';

const at = '2026-11-23T01:53:08.123Z';
const line = (value: object | string): LogLine => ({
  file: 'errand.log',
  text: typeof value === 'string' ? value : JSON.stringify(value),
});
const forTerminal = (value: object | string) => renderForTerminal(readRecord(line(value), Date.parse(at)));
const asJson = (value: object | string) => renderAsJson(readRecord(line(value), Date.parse(at)));
/** A control character, or one that changes the direction of text. A line break is allowed between lines only. */
// oxlint-disable-next-line no-control-regex -- the test looks for them
const CONTROL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;
const HOSTILE = 'a\u001b[2J\u001b]0;title\u0007\r\u0085\u009b31m\u007f\u202egnp.\u2028b\u0000\tc';

describe('A log record on a terminal', () => {
  it('A record is one line with time, level, process, message and fields', () => {
    expect(forTerminal({ level: 'info', time: at, app: 'worker', tool: 'core:echo', n: 3, msg: 'accepted' })).toBe(
      '01:53:08.123 info  worker accepted tool=core:echo n=3',
    );
  });

  it('The stack of an error is in lines below its record', () => {
    const err = { type: 'Error', message: 'broken', stack: 'Error: broken\n    at run (a.js:1:2)' };
    expect(forTerminal({ level: 'error', time: at, app: 'api', msg: 'failed', err })).toBe(
      '01:53:08.123 error api failed\n    Error: broken\n        at run (a.js:1:2)',
    );
  });

  it.each([
    ['message', { level: 'info', time: at, app: 'api', msg: HOSTILE }],
    ['name of a process', { level: 'info', time: at, app: HOSTILE, msg: 'a' }],
    ['level', { level: HOSTILE, time: at, app: 'api', msg: 'a' }],
    ['name of a field', { level: 'info', time: at, [HOSTILE]: 1 }],
    ['field', { level: 'info', time: at, field: HOSTILE, other: { deep: [HOSTILE] } }],
    ['stack', { level: 'info', time: at, err: { stack: HOSTILE } }],
    ['error that is a text', { level: 'info', time: at, err: HOSTILE }],
    ['line without JSON', HOSTILE],
  ])('Control characters in a %s are visible and do nothing', (_where, record) => {
    expect(forTerminal(record)).not.toMatch(CONTROL);
    expect(forTerminal(record)).not.toContain('\u001b');
  });

  it('A message with a line break cannot imitate a record', () => {
    const forged = forTerminal({ level: 'info', time: at, app: 'api', msg: 'a\n01:53:08.124 fatal api forged' });
    expect(forged.split('\n')).toHaveLength(1);
    expect(forged).toContain('a\\n01:53');
  });

  it('A message of 10 MB is cut, and its length is shown', () => {
    const shown = forTerminal({ level: 'info', time: at, app: 'api', msg: 'x'.repeat(10_000_000) });
    expect(shown.length).toBeLessThan(3_000);
    expect(shown).toContain('… (10000000 characters in all)');
  });

  it('A record with very many fields is cut', () => {
    const fields = Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`f${n}`, n]));
    expect(forTerminal({ level: 'info', time: at, ...fields })).toMatch(/f49=49 … 99950 more fields$/);
  });

  it.each([1e300, -1e300, '+275760-09-14T00:00:00Z', 'yesterday', null, {}, []])(
    'The impossible time %j is replaced by that of the line before',
    (time) => {
      expect(forTerminal({ level: 'info', time, msg: 'a' })).toBe('01:53:08.123 info  a');
    },
  );

  it.each([['{"level":'], ['null'], ['[1]'], ['"text"'], ['Error: no JSON'], ['{"a":1} rest']])(
    'The line %s, which has no JSON object, is shown as it is',
    (text) => {
      expect(forTerminal(text)).toBe(`01:53:08.123 ${text}`);
    },
  );
});

describe('A log record for programs', () => {
  it('A record stays as it is', () => {
    const text = `{"level":"info","time":"${at}","n":1e2}`;
    expect(asJson(text)).toBe(text);
  });

  it('A line without a JSON object becomes one', () => {
    expect(JSON.parse(asJson('Error: no JSON'))).toEqual({ time: at, file: 'errand.log', msg: 'Error: no JSON' });
  });

  it('Control characters stay escaped, and the value is the same', () => {
    for (const shown of [asJson(HOSTILE), asJson({ time: at, msg: HOSTILE })]) {
      // oxlint-disable-next-line no-control-regex -- the test looks for them
      expect(shown).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
      expect(JSON.parse(shown)).toMatchObject({ msg: HOSTILE });
    }
  });
});
