import type dns from 'node:dns';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { gzipSync } from 'node:zlib';
import { parseAllowList } from './address-rules.js';
import { createGuardedFetch } from './guarded-fetch.js';

const seen: string[] = [];
let server: Server;
let port: number;

/** The responses of the loopback server by path. */
const ROUTES: Record<string, (request: IncomingMessage, response: ServerResponse) => void> = {
  '/hello': (_request, response) => response.end('hello'),
  '/nothing': (_request, response) => response.writeHead(204).end(),
  '/redirect': (_request, response) => response.writeHead(302, { location: '/hello' }).end(),
  '/redirect-private': (_request, response) => response.writeHead(302, { location: 'http://10.0.0.1/' }).end(),
  '/redirect-other': (_request, response) =>
    response.writeHead(302, { location: `http://127.0.0.2:${port}/hello` }).end(),
  '/redirect-file': (_request, response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
  '/announced': (_request, response) => response.writeHead(200, { 'content-length': 5000 }).end('x'.repeat(5000)),
  '/flood': (_request, response) => {
    for (let part = 0; part < 100; part++) response.write('x'.repeat(100));
    response.end();
  },
  '/bomb': (_request, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('x'.repeat(100_000))),
  '/hang': () => {},
  '/hang-in-body': (_request, response) => response.write('begun'),
  '/cut': (_request, response) => response.write('begun', () => response.destroy()),
  '/echo': (request, response) => {
    response.setHeader('content-type', request.headers['content-type'] ?? '');
    request.pipe(response);
  },
};

beforeAll(async () => {
  server = createServer((request, response) => {
    seen.push(`${request.headers.host?.split(':')[0]}${request.url}`);
    ROUTES[request.url!]!(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  ({ port } = server.address() as AddressInfo);
});

afterAll(() => {
  server.close();
  (server as ReturnType<typeof createServer>).closeAllConnections();
});

beforeEach(() => (seen.length = 0));

const on = (path: string, host = '127.0.0.1') => `http://${host}:${port}${path}`;
const guarded = (allow: string, more: object = {}) =>
  createGuardedFetch({ allow: parseAllowList(allow), maxBytes: 1000, timeoutMs: 60_000, ...more });

/** A resolver that returns these answers in order and repeats the last one. `asked` counts the lookups. */
function resolver(...answers: string[][]) {
  const lookup = ((_name: string, _options: unknown, callback: (error: null, found: dns.LookupAddress[]) => void) => {
    const addresses = answers[Math.min(resolved.asked++, answers.length - 1)]!;
    callback(null, addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))); // prettier-ignore
  }) as typeof dns.lookup;
  const resolved = { asked: 0, lookup };
  return resolved;
}

describe('Guarded fetch', () => {
  it('Guarded fetch reaches an allowed address and returns the whole response', async () => {
    const fetch = guarded('127.0.0.1');
    const response = await fetch(on('/hello'));
    expect([response.status, await response.text()]).toEqual([200, 'hello']);
    expect((await fetch(on('/nothing'))).status).toBe(204);
    const posted = await fetch(on('/echo'), { method: 'POST', body: 'é', headers: { 'content-type': 'text/x' } });
    expect([posted.headers.get('content-type'), await posted.text()]).toEqual(['text/x', 'é']);
    const request = new Request(on('/echo'), { method: 'POST', body: 'of a Request' });
    expect(await (await fetch(request)).text()).toBe('of a Request');
  });

  it.each(['127.0.0.1', '0x7f.1', '2130706433', '0', '[::ffff:127.0.0.1]', 'localhost', '127.1.1.1'])(
    'Guarded fetch does not connect to %s',
    async (host) => {
      for (const address of [on('/hello', host), on('/hello', host).replace('http:', 'https:')])
        await expect(guarded('')(address)).rejects.toMatchObject({ type: 'SecurityError' });
      expect(seen).toEqual([]);
    },
  );

  it.each([
    ['127.0.0.1.nip.example', ['127.0.0.1']],
    ['one-bad-among-good.example', ['93.184.216.34', '127.0.0.1']],
    ['mapped.example', ['::ffff:7f00:1']],
    ['nat64.example', ['64:ff9b::7f00:1']],
    ['metadata.example', ['169.254.169.254']],
    ['cgnat.example', ['100.64.0.1']],
  ])('Guarded fetch does not connect to %s, which resolves to %j', async (host, addresses) => {
    const { lookup } = resolver(addresses);
    await expect(guarded('', { lookup })(on('/hello', host))).rejects.toMatchObject({
      type: 'SecurityError',
      message: expect.stringMatching(new RegExp(`${host} is not allowed: its name resolves to an address that is not`)),
    });
    expect(seen).toEqual([]);
  });

  it.each([`${'a'.repeat(64)}.example`, `${'a.'.repeat(126)}ab`])(
    'Guarded fetch does not ask DNS for the overlong name %s',
    async (host) => {
      const resolved = resolver(['93.184.216.34']);
      await expect(guarded('*.example', { lookup: resolved.lookup })(on('/hello', host))).rejects.toMatchObject({
        type: 'SecurityError',
        message: expect.stringContaining('at most'),
      });
      expect(resolved.asked).toBe(0);
    },
  );

  it('Guarded fetch fails for a name without addresses', async () => {
    await expect(guarded('', { lookup: resolver([]).lookup })(on('/hello', 'void.example'))).rejects.toThrow();
  });

  it('Guarded fetch connects to the checked address, so a later DNS answer cannot bypass the check', async () => {
    const { lookup } = resolver(['127.0.0.1'], ['127.0.0.2']);
    const fetch = guarded('127.0.0.1', { lookup });
    const closing = { headers: { connection: 'close' } };
    expect(await (await fetch(on('/hello', 'rebind.example'), closing)).text()).toBe('hello');
    await expect(fetch(on('/hello', 'rebind.example'), closing)).rejects.toMatchObject({ type: 'SecurityError' });
    expect(seen).toEqual(['rebind.example/hello']);
  });

  it('Guarded fetch asks DNS once per connection', async () => {
    const resolved = resolver(['127.0.0.1'], ['10.0.0.1']);
    expect((await guarded('127.0.0.1', resolved)(on('/hello', 'once.example'))).status).toBe(200);
    expect(resolved.asked).toBe(1);
  });

  it('Guarded fetch accepts any address of an allowed host name', async () => {
    const { lookup } = resolver(['127.0.0.1']);
    expect((await guarded('*.corp.example', { lookup })(on('/hello', 'a.corp.example'))).status).toBe(200);
    await expect(guarded('*.corp.example', { lookup })(on('/hello', 'corp.example'))).rejects.toMatchObject({
      type: 'SecurityError',
    });
  });

  it('Guarded fetch follows redirects only on request and checks each target', async () => {
    const fetch = guarded('127.0.0.1');
    const answer = await fetch(on('/redirect'));
    expect([answer.status, answer.headers.get('location')]).toEqual([302, '/hello']);
    const follow = { redirect: 'follow' as const };
    expect(await (await fetch(on('/redirect'), follow)).text()).toBe('hello');
    seen.length = 0;
    for (const path of ['/redirect-private', '/redirect-other'])
      await expect(fetch(on(path), follow)).rejects.toMatchObject({ type: 'SecurityError' });
    await expect(fetch(on('/redirect-file'), follow)).rejects.toMatchObject({ type: 'ServiceError' });
    expect(seen).toEqual(['127.0.0.1/redirect-private', '127.0.0.1/redirect-other', '127.0.0.1/redirect-file']);
  });

  it.each(['/announced', '/flood', '/bomb'])('Guarded fetch ends %s at the size limit', async (path) => {
    const read = async () => (await guarded('127.0.0.1')(on(path))).text();
    await expect(read()).rejects.toMatchObject({
      type: 'ResourceLimitError',
      message: expect.stringContaining('1000'),
    });
  });

  it.each(['/hang', '/hang-in-body'])('Guarded fetch ends %s at the time limit', async (path) => {
    const read = async () => (await guarded('127.0.0.1', { timeoutMs: 100 })(on(path))).text();
    await expect(read()).rejects.toMatchObject({ type: 'TimeoutError', message: expect.stringContaining('100 ms') });
  });

  it.each(['/hang', '/hang-in-body'])('Guarded fetch ends %s with the abort reason of the caller', async (path) => {
    const stop = new AbortController();
    const read = async () => (await guarded('127.0.0.1')(on(path), { signal: stop.signal })).text();
    const reading = read();
    server.once('request', () => stop.abort(new Error('enough')));
    await expect(reading).rejects.toThrow('enough');
  });

  it('Guarded fetch distinguishes a failed connection from a forbidden one', async () => {
    const fetch = guarded('127.0.0.1');
    const gone = createServer();
    await new Promise<void>((resolve) => gone.listen(0, '127.0.0.1', resolve));
    const { port: closed } = gone.address() as AddressInfo;
    await new Promise((resolve) => gone.close(resolve));
    await expect(fetch(`http://127.0.0.1:${closed}/`)).rejects.toMatchObject({
      type: 'ServiceError',
      message: expect.stringContaining('ECONNREFUSED'),
    });
    const read = async () => (await fetch(on('/cut'))).text();
    await expect(read()).rejects.toMatchObject({ type: 'ServiceError' });
    await expect(fetch('http://127.0.0.1:22/')).rejects.toMatchObject({
      type: 'SecurityError',
      message: expect.stringContaining('port 22 is reserved for a service'),
    });
  });
});
