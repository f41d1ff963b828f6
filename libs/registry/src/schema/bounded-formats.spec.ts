import { compileSchema, errorsOf } from './compile-schema.js';

function fits(format: string, text: string): boolean {
  const validate = compileSchema({ type: 'string', format }, 'outputs');
  if (Array.isArray(validate)) throw new Error(validate[0]!.message);
  const errors = errorsOf(validate, text);
  return Array.isArray(errors) && errors.length === 0;
}

test.each([
  ['date', '2026-02-28', '2026-02-30'],
  ['date-time', '2026-02-28T10:00:00Z', '2026-02-28 10:00'],
  ['email', 'ada@example.org', 'ada@'],
  ['uri', 'https://example.org/a?b#c', '://x'],
  ['uuid', '2eb8aa08-aa98-11ea-b4aa-73b441d16380', '2eb8aa08'],
  ['ipv4', '127.0.0.1', '256.0.0.1'],
  ['regex', '^a+$', '('],
  ['byte', 'QUJD', 'A'],
])('The format %s accepts %s and rejects %s', (format, good, bad) => {
  expect([fits(format, good), fits(format, bad)]).toEqual([true, false]);
});

test('The format uri rejects a text of 5,000 characters, but the format byte accepts 20,000', () => {
  expect(fits('uri', `https://example.org/${'a'.repeat(4000)}`)).toBe(true);
  expect(fits('uri', `https://example.org/${'a'.repeat(5000)}`)).toBe(false);
  expect(fits('byte', 'QUJD'.repeat(5000))).toBe(true);
});

test('An unknown format accepts any text', () => {
  expect(fits('zip-code', 'x')).toBe(true);
});
