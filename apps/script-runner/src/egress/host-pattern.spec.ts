import { matchesHost, parseHostPattern, readAllowHosts } from './host-pattern.js';

describe('parseHostPattern', () => {
  it.each([
    ['api.example', 'api.example', [80, 443]],
    ['API.Example', 'api.example', [80, 443]],
    ['*.example:8443', '*.example', [8443]],
    ['*', '*', [80, 443]],
    ['bücher.example', 'xn--bcher-kva.example', [80, 443]],
    ['*.bücher.example', '*.xn--bcher-kva.example', [80, 443]],
    ['10.0.0.1:5432', '10.0.0.1', [5432]],
    ['[2001:db8::1]:80', '[2001:db8::1]', [80]],
  ])('parseHostPattern reads %s', (text, host, ports) => {
    expect(parseHostPattern(text)).toEqual({ host, ports });
  });

  it.each([
    '',
    'https://a.example',
    'a.example/path',
    'a..example',
    '*.',
    '**.example',
    'a*.example',
    'a:0',
    'a:99999',
    'a b',
  ])('parseHostPattern refuses %j', (text) => {
    expect(() => parseHostPattern(text)).toThrow(`'${text}' must be a host`);
  });

  it('readAllowHosts names the tool of an invalid entry', () => {
    expect(() => readAllowHosts('web:fetch', ['ok.example', 'http://x'])).toThrow(
      expect.objectContaining({
        type: 'SecurityError',
        message: expect.stringMatching(/^networkAccess\.allowHosts of web:fetch: 'http:\/\/x' must/),
      }),
    );
  });
});

describe('matchesHost', () => {
  it.each([
    ['api.example', 'api.example', 443, true],
    ['api.example', 'API.EXAMPLE.', 80, true],
    ['api.example', 'api.example', 22, false],
    ['api.example', 'xapi.example', 443, false],
    ['*.example', 'a.b.example', 443, true],
    ['*.example', 'example', 443, false],
    ['*.example', 'badexample', 443, false],
    ['*', '10.0.0.1', 80, true],
    ['*:25', 'mail.example', 25, true],
    ['*:25', 'mail.example', 443, false],
  ])('The pattern %s against %s:%i gives %s', (pattern, host, port, expected) => {
    expect(matchesHost(parseHostPattern(pattern), host, port)).toBe(expected);
  });
});
