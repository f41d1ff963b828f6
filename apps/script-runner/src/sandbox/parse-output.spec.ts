import { parseOutput } from './outcome.js';

const parse = (text: string | Buffer) => parseOutput(Buffer.from(text));
const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

describe('parseOutput', () => {
  it('parseOutput accepts exactly one JSON value, with white space around it', () => {
    for (const value of [null, true, 1.5, 'text 🎉', [], { a: [{}] }])
      expect(parse(` ${JSON.stringify(value)}\n`)).toEqual(value);
  });

  it('parseOutput accepts 64 levels and refuses more', () => {
    expect(JSON.stringify(parse(nested(64)))).toBe(nested(64));
    for (const levels of [65, 1_000_000]) {
      expect(() => parse(nested(levels))).toThrow(
        expect.objectContaining({ type: 'OutputError', message: expect.stringContaining('64') }),
      );
    }
  });

  it.each([
    ['empty output', '', 'printed nothing'],
    ['white space', ' \n', 'printed nothing'],
    ['two values', '{} {}', 'more text follows it in line 1'],
    ['two values on two lines', '{"a": "NaN"}\n{}\n', 'more text follows it in line 2'],
    ['NaN', '{"a": NaN}', 'it contains NaN'],
    ['negative infinity', '{"NaN": [1, -Infinity]}', 'it contains -Infinity'],
    ['a text with the word NaN', 'it is a "NaN"', "(Unexpected token 'i');"],
    ['an infinite number', '{"a": [1, -1e999]}', 'too large'],
    ['text before it', 'done: {}', 'not one JSON value'],
    ['broken UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'UTF-8'],
  ])('parseOutput refuses %s', (_, text, message) => {
    expect(() => parse(text)).toThrow(
      expect.objectContaining({ type: 'OutputError', message: expect.stringContaining(message) }),
    );
  });

  it('The error message quotes nothing of the output, because a secret that is cut off could not be masked', () => {
    for (const text of ['secret', `${'x'.repeat(100)}secret`, '["secret', '{"a":secret}', 'x\nsecret']) {
      expect(() => parse(text)).toThrow(expect.objectContaining({ message: expect.not.stringContaining('sec') }));
    }
  });

  it('The error details have the beginning of the output', () => {
    expect(() => parse(`oops ${'x'.repeat(1000)}`)).toThrow(
      expect.objectContaining({ details: { stdout: `oops ${'x'.repeat(195)}` } }),
    );
  });
});
