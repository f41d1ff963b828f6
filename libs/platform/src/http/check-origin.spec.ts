import { originCheck } from './check-origin.js';
import { origins, publicUrl } from '../parsers.js';

const OWN = {
  ERRAND_PUBLIC_URL: 'https://errand.example',
  ERRAND_ALLOWED_ORIGINS: origins('https://app.example http://api:3000 https://Ported.Example:8443'),
};
const withoutKeys = originCheck({ ...OWN, ERRAND_API_KEYS: undefined });
const withKeys = originCheck({ ...OWN, ERRAND_API_KEYS: ['a key'] });

interface Asked {
  host?: string;
  origin?: string;
  url?: string;
  httpVersion?: string;
}
const asked = ({ url = '/v1/tools', httpVersion = '1.1', ...headers }: Asked) => ({ url, httpVersion, headers });

describe('Requests without keys', () => {
  it.each([
    'localhost',
    'localhost:3000',
    'LOCALHOST:3000',
    'localhost.:3000',
    'api.localhost:3000',
    'Any.Thing.LocalHost.',
    '127.0.0.1',
    '127.0.0.1:8080',
    '127.255.255.254',
    '[::1]',
    '[::1]:3000',
    '[0:0:0:0:0:0:0:1]:3000',
    '[::ffff:127.0.0.1]:3000',
    'errand.example',
    'ERRAND.example.:443',
    'app.example',
    'api:3000',
    'ported.example:8443',
  ])('A request to the host %s passes without keys', (host) => {
    expect(withoutKeys(asked({ host }))).toEqual({});
  });

  it.each([
    'evil.example',
    'evil.example:3000',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '127.0.0.1.nip.io',
    'notlocalhost',
    'xlocalhost:3000',
    'localhost..',
    '.localhost',
    'evil@localhost',
    'localhost@evil',
    'localhost:3000@evil',
    'localhost/.evil',
    'localhost#.evil',
    'localhost?.evil',
    'localhost\\.evil',
    '%6cocalhost',
    'localhost evil',
    'localhost, evil.example',
    'evil.example, localhost',
    'localhost:99999',
    'localhost:x',
    '[::1',
    '::1',
    '[fe80::1%25lo]',
    '[::]',
    '0.0.0.0:3000',
    '192.168.1.5:3000',
    '10.0.0.1',
    '169.254.169.254',
    '[::ffff:10.0.0.1]',
    '[2606:4700::1111]',
    'www.errand.example',
    'example',
    'ｌocalhost',
    '',
  ])('A request to the host %j is forbidden without keys', (host) => {
    expect(withoutKeys(asked({ host }))).toMatchObject({
      refusal: { code: 'forbidden', detail: expect.stringContaining('ERRAND_ALLOWED_ORIGINS') },
    });
  });

  it('An HTTP/1.0 request without a host is forbidden without keys', () => {
    expect(withoutKeys(asked({ httpVersion: '1.0' }))).toMatchObject({ refusal: { code: 'forbidden' } });
  });

  it.each([
    ['http://evil.example/v1/tools', 'localhost:3000'],
    ['http://localhost:3000/v1/tools', 'evil.example'],
    ['http://evil.example/v1/tools', 'evil.example'],
    ['http://evil.example', 'localhost'],
    ['HTTP://EVIL.example/', 'localhost'],
    ['https://localhost:3000/v1/tools', 'localhost:3000'],
    ['http://localhost@evil.example/', 'localhost'],
    ['ftp://localhost/', 'localhost'],
    ['http://evil.example/healthz', 'localhost'],
  ])('The target %s with the host %s is forbidden', (url, host) => {
    expect(withoutKeys(asked({ url, host }))).toMatchObject({ refusal: { code: 'forbidden' } });
  });

  it('An absolute target with the same host passes', () => {
    expect(withoutKeys(asked({ url: 'http://LOCALHOST:3000/v1/tools', host: 'localhost:3000' }))).toEqual({});
  });

  it.each(['/healthz', '/readyz', '/healthz?full=1'])('A probe may request %s with any host', (url) => {
    expect(withoutKeys(asked({ url, host: '10.1.2.3:3000' }))).toEqual({});
    expect(withoutKeys(asked({ url }))).toEqual({});
  });

  it.each(['/healthz/', '//healthz', '/Healthz', '/%68ealthz', '/v1/healthz', '/healthz/../v1/tools', '/x?/healthz'])(
    'The path %s is not exempt like a probe',
    (url) => {
      expect(withoutKeys(asked({ url, host: 'evil.example' }))).toMatchObject({ refusal: { code: 'forbidden' } });
    },
  );
});

describe('Requests with keys', () => {
  it.each(['evil.example', '192.168.1.5:3000', '[::]:3000'])('A request to the host %s passes with keys', (host) => {
    expect(withKeys(asked({ host }))).toEqual({});
  });

  it.each(['a, b', '', 'a/b'])('A request to the host %j is invalid with keys', (host) => {
    expect(withKeys(asked({ host }))).toMatchObject({ refusal: { code: 'invalid_request' } });
  });

  it('A request with two different hosts is invalid', () => {
    expect(withKeys(asked({ url: 'http://a/', host: 'b' }))).toMatchObject({ refusal: { code: 'invalid_request' } });
  });

  it('Only an HTTP/1.0 request may omit its host', () => {
    expect(withKeys(asked({}))).toMatchObject({ refusal: { code: 'invalid_request' } });
    expect(withKeys(asked({ httpVersion: '1.0' }))).toEqual({});
  });
});

describe.each([
  ['without keys', withoutKeys],
  ['with keys', withKeys],
])('The origin of a request %s', (_, check) => {
  it.each([
    ['http://localhost:3000', 'localhost:3000'],
    ['http://LOCALHOST:3000', 'localhost:3000'],
    ['http://localhost:3000', 'Localhost.:3000'],
    ['http://localhost', 'localhost:80'],
    ['http://localhost:80', 'localhost'],
    ['http://[::1]:3000', '[::1]:3000'],
    ['http://[0:0::1]:3000', '[::1]:3000'],
    ['http://127.0.0.1:3000', '127.0.0.1:3000'],
    ['https://errand.example', 'localhost:3000'],
    ['https://errand.example:443', 'errand.example'],
  ])('The origin %s passes for the host %s without CORS headers', (origin, host) => {
    expect(check(asked({ origin, host }))).toEqual({});
  });

  it.each(['https://app.example', 'HTTPS://App.Example:443', 'http://api:3000', 'https://ported.example:8443'])(
    'The origin %s passes with a CORS header in the same spelling',
    (origin) => {
      expect(check(asked({ origin, host: 'localhost:3000' }))).toEqual({ cors: origin });
    },
  );

  it.each([
    'null',
    'NULL',
    '',
    '*',
    'localhost:3000',
    'http://evil.example',
    'http://localhost',
    'http://localhost:3001',
    'https://localhost:3000',
    'http://127.0.0.1:3000',
    'http://localhost:3000/',
    'http://localhost:3000/path',
    'http://localhost:3000, http://localhost:3000',
    'http://localhost:3000 http://evil.example',
    'http://localhost:3000@evil.example',
    'http://evil@localhost:3000',
    'http://localhost:3000.evil.example',
    'http://app.example',
    'https://app.example:8443',
    'https://ported.example',
    'https://sub.app.example',
    'https://app.example.evil',
    'https://app.example, https://app.example',
    'http://errand.example',
    'https://errand.example:8443',
    'file://',
    'chrome-extension://localhost:3000',
    'ws://localhost:3000',
    'http:localhost:3000',
    'http:///localhost:3000',
    ' http://localhost:3000',
  ])('The origin %j is foreign to localhost:3000', (origin) => {
    const verdict = check(asked({ origin, host: 'localhost:3000' }));
    expect(verdict).toMatchObject({
      refusal: { reason: 'origin', code: 'forbidden', detail: expect.stringContaining('ERRAND_ALLOWED_ORIGINS') },
    });
    expect(verdict.cors).toBeUndefined();
  });

  it('A foreign origin may not even request /healthz', () => {
    const verdict = check(asked({ url: '/healthz', origin: 'http://evil.example', host: 'localhost' }));
    expect(verdict).toMatchObject({ refusal: { code: 'forbidden' } });
  });

  it('The origin is not compared with X-Forwarded-Host', () => {
    const request = asked({ origin: 'http://evil.example', host: 'localhost' });
    Object.assign(request.headers, { 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example' });
    expect(check(request)).toMatchObject({ refusal: { code: 'forbidden' } });
  });

  it('A very long origin is shortened in the message', () => {
    const { refusal } = check(asked({ origin: `http://${'a'.repeat(9_000)}`, host: 'localhost' }));
    expect(refusal?.detail.length).toBeLessThan(500);
  });
});

describe('ERRAND_ALLOWED_ORIGINS', () => {
  it('The setting normalises its origins and removes duplicates', () => {
    expect(origins(' https://A.example:443,http://b:3000  https://a.example. ')).toEqual([
      'https://a.example',
      'http://b:3000',
    ]);
    expect(origins('http://[::1]:3000')).toEqual(['http://[::1]:3000']);
    expect(origins('')).toEqual([]);
  });

  it.each([
    '*',
    'null',
    'https://*.example.com',
    'https://*',
    'app.example',
    'localhost:3000',
    '//app.example',
    'https://app.example/',
    'https://app.example/path',
    'https://app.example?x',
    'https://app.example#x',
    'https://me@app.example',
    'ftp://app.example',
    'https://',
    'https://app.example:99999',
    'https://a..example',
    'https://app.example;https://b.example',
  ])('The setting refuses %s and shows the right form', (entry) => {
    expect(() => origins(`http://fine:1 ${entry}`)).toThrow(`'${entry}' must be`);
    expect(() => origins(entry)).toThrow('https://app.example, http://api:3000');
  });
});

describe('ERRAND_PUBLIC_URL', () => {
  it.each(['https://Errand.Example', 'https://errand.example/', 'https://errand.example:443'])(
    'The setting accepts %s',
    (text) => {
      expect(publicUrl(text)).toBe('https://errand.example');
    },
  );

  it.each([
    'errand.example',
    '*',
    'https://*.example',
    'https://errand.example/path',
    'https://a@b',
    'a b',
    'https://a https://b',
  ])('The setting refuses %s and shows the right form', (text) => {
    expect(() => publicUrl(text)).toThrow('https://errand.example');
  });
});
