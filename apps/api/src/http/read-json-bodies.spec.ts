import { readJsonBody, requireUtf8 } from './read-json-bodies.js';

const read = (body: string | Buffer) => readJsonBody(Buffer.from(body as string));

describe('The body of a request', () => {
  it.each<[string, unknown]>([
    ['', {}],
    ['{"a":[1,null]}', { a: [1, null] }],
    ['\uFEFF{"a":"é😀"}', { a: 'é😀' }],
    ['{"a":"1e999 \\" 12345678901234567890"}', { a: '1e999 " 12345678901234567890' }],
    ['{"a\\\\":1152921504606847000}', { 'a\\': 2 ** 60 }],
    ['{"a":1.5e300,"b":0.50000000000000000000}', { a: 1.5e300, b: 0.5 }],
  ])('The body %s is read', (body, value) => {
    expect(read(body)).toEqual(value);
  });

  it.each<[string, string | Buffer, RegExp]>([
    ['that is cut off', '{"a":1', /^The body must be JSON: .*position 6/],
    ['with bytes that are not UTF-8', Buffer.from([0x22, 0xff, 0x22]), /must be UTF-8/],
    [
      'with a number that would be rounded',
      '{"id":12345678901234567890}',
      /12345678901234567890, .* send it as a string/,
    ],
    ['with such a number after a string', '["\\\\",-9007199254740993]', /-9007199254740993/],
    ['with a number that is too large', '[1e999]', /1e999/],
  ])('A body %s is refused', (_what, body, reason) => {
    expect(() => read(body)).toThrow(
      expect.objectContaining({ code: 'invalid_request', detail: expect.stringMatching(reason) }),
    );
  });
});

it.each(['{"key":"s3cret-1"x', '{"key": s3cret-1}', '{"key":"s3cret-1', 's3cret-1'])(
  'The refusal of %s repeats nothing of it',
  (body) => {
    expect(() => read(body)).toThrow(
      expect.objectContaining({
        detail: expect.stringMatching(/ at position \d+ \(line 1, column \d+\)$/),
        message: expect.not.stringContaining('s3cret'),
      }),
    );
    expect(() => read(body)).not.toThrow(/s3cret/);
  },
);

describe('The content type of a body', () => {
  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'application/json; charset=utf8',
    'application/json; charset=US-ASCII',
    'application/json; CHARSET="utf-8"',
    'application/json; charset="u\\tf-8"',
    'application/json ; charset=utf-8 ',
    'application/json;',
    'application/json;; charset=utf-8;',
    'application/json; profile="a;charset=utf-7"',
    'application/json; profile="\\";charset=utf-7"; charset=utf-8',
    'application/json; x-charset=utf-7',
  ])('The content type %s is accepted as UTF-8', (type) => {
    expect(() => requireUtf8(type)).not.toThrow();
  });

  it.each([
    'application/json; charset=utf-7',
    'application/json;charset=UTF-7',
    'application/json; charset="utf-7"',
    'application/json; ChArSeT=utf-16',
    'application/json; charset=utf-16le',
    'application/json; charset=iso-8859-1',
    'application/json; charset=latin1',
    'application/json; charset=windows-1252',
    'application/json; charset=utf-8-sig',
    'application/json; charset=',
    'application/json; charset=""',
    'application/json; charset=" utf-8"',
    "application/json; charset='utf-8'",
    'application/json; charset',
    'application/json; charset =utf-8',
    'application/json; charset= utf-8',
    'application/json; charset="utf-8',
    'application/json; charset=utf-8"',
    'application/json; charset=utf-8 utf-7',
    'application/json; charset=utf-8, text/plain',
    'application/json; charset=utf-8; charset=utf-7',
    'application/json; charset=utf-7; charset=utf-8',
    'application/json; charset=utf-8; CHARSET=utf-8',
    'application/json; a=b; charset=utf-7',
    'application/json; =utf-8',
    "application/json; charset*=utf-8''utf-7",
    'application/json; \u00e9=1; charset=utf-7',
    'application/vnd.api+json; charset=utf-7',
    `application/json${'; a=b'.repeat(1_000)}; charset=utf-7`,
  ])('The content type %s is refused with 415', (type) => {
    expect(() => requireUtf8(type)).toThrow(
      expect.objectContaining({
        code: 'invalid_request',
        more: { status: 415 },
        detail: expect.stringContaining('UTF-8'),
      }),
    );
  });

  it('A content type is parsed in linear time', () => {
    for (const part of [' ', ';', '; ', ';a="', '\\', '"', 'a', ';a=b\t'])
      expect(() => requireUtf8(`application/json;${part.repeat(500_000)}\u0000`)).toThrow('UTF-8');
  });
});
