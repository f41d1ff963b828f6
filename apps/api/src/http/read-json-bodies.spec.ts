import { readJsonBody } from './read-json-bodies.js';

const read = (body: string | Buffer) => readJsonBody(Buffer.from(body as string));

describe('the body of a request', () => {
  it.each<[string, unknown]>([
    ['', {}],
    ['{"a":[1,null]}', { a: [1, null] }],
    ['\uFEFF{"a":"é😀"}', { a: 'é😀' }],
    ['{"a":"1e999 \\" 12345678901234567890"}', { a: '1e999 " 12345678901234567890' }],
    ['{"a\\\\":1152921504606847000}', { 'a\\': 2 ** 60 }],
    ['{"a":1.5e300,"b":0.50000000000000000000}', { a: 1.5e300, b: 0.5 }],
  ])('%s is read', (body, value) => {
    expect(read(body)).toEqual(value);
  });

  it.each<[string, string | Buffer, RegExp]>([
    ['is cut off', '{"a":1', /^The body must be JSON: .*position 6/],
    ['has bytes that are not UTF-8', Buffer.from([0x22, 0xff, 0x22]), /must be UTF-8/],
    [
      'has a number that would be rounded',
      '{"id":12345678901234567890}',
      /12345678901234567890, .* send it as a string/,
    ],
    ['has one behind a string', '["\\\\",-9007199254740993]', /-9007199254740993/],
    ['has one beyond all numbers', '[1e999]', /1e999/],
  ])('that %s is refused', (_what, body, reason) => {
    expect(() => read(body)).toThrow(
      expect.objectContaining({ code: 'invalid_request', detail: expect.stringMatching(reason) }),
    );
  });
});
