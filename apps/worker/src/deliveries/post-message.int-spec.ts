import { createGuardedFetch, parseAllowList } from '@errand/platform';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { postMessage } from './post-message.js';

let server: Server;
let answer: RequestListener;
let got: IncomingMessage[];

beforeAll(async () => {
  server = createServer((request, response) => {
    got.push(request);
    answer(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
beforeEach(() => (got = []));
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const place = () => `127.0.0.1:${(server.address() as AddressInfo).port}`;
const guard = { allow: parseAllowList('127.0.0.1'), maxBytes: Infinity, timeoutMs: 60_000 };
const post = (respond: RequestListener, url = `http://${place()}/hook`, more: object = {}) => {
  answer = respond;
  return postMessage(createGuardedFetch({ ...guard, ...more }), { url, headers: { 'x-header': 'y' }, body: '{}' });
};
const say =
  (status: number, headers: Record<string, string> = {}) =>
  (_: IncomingMessage, response: ServerResponse) =>
    response.writeHead(status, headers).end('some answer');

describe('A message to a receiver', () => {
  it.each([200, 201, 202, 204, 299])('A message is delivered when the receiver responds with %i', async (status) => {
    expect(await post(say(status))).toEqual({
      verdict: 'delivered',
      attempt: { at: expect.any(String), durationMs: expect.any(Number), statusCode: status },
    });
    expect(got).toMatchObject([{ method: 'POST', url: '/hook', headers: { 'x-header': 'y' } }]);
  });

  it.each([400, 401, 404, 409, 500, 503])(
    'A message gets the verdict failed when the receiver responds with %i',
    async (statusCode) => {
      expect(await post(say(statusCode))).toMatchObject({
        verdict: 'failed',
        attempt: { statusCode, error: `The receiver answered ${statusCode}` },
      });
    },
  );

  it('A message gets the verdict refused when the receiver responds with 410', async () => {
    expect(await post(say(410))).toMatchObject({ verdict: 'refused', attempt: { statusCode: 410 } });
  });

  it.each([301, 302, 303, 307, 308])('A redirect is not followed (%i)', async (statusCode) => {
    const sent = await post(say(statusCode, { location: `http://${place()}/elsewhere` }));
    expect(sent).toMatchObject({ verdict: 'failed', attempt: { statusCode } });
    expect(got.map(({ url }) => url)).toEqual(['/hook']);
  });

  it.each([
    ['120', 120_000],
    ['0', undefined],
    ['soon', undefined],
    ['-5', undefined],
  ])('The pause follows the Retry-After header %s of the receiver', async (text, retryAfterMs) => {
    const sent = await post(say(503, { 'retry-after': text }));
    expect('retryAfterMs' in sent ? sent.retryAfterMs : undefined).toBe(retryAfterMs);
  });

  it('The pause follows the date in the Retry-After header of the receiver', async () => {
    const at = new Date(Date.now() + 600_000);
    const sent = await post(say(429, { 'retry-after': at.toUTCString() }));
    expect(sent).toMatchObject({ retryAfterMs: expect.any(Number) });
    expect('retryAfterMs' in sent && Math.abs(Date.now() + sent.retryAfterMs! - at.getTime())).toBeLessThan(60_000);
  });

  it('A message is delivered although the response is endless, and only a limited part of the response is read', async () => {
    let written = 0;
    const sent = await post((_request, response) => {
      response.writeHead(200, { 'content-length': String(1024 ** 4) });
      const pour = () => {
        if (response.destroyed) return;
        written += 16_384;
        if (response.write(Buffer.alloc(16_384))) setImmediate(pour);
        else response.once('drain', pour);
      };
      pour();
      response.on('error', () => {});
    });
    expect(sent.verdict).toBe('delivered');
    // The buffers of both sockets are added to the bytes that are read.
    expect(written).toBeLessThan(16 * 1024 ** 2);
  });

  it('A message is delivered although the response never ends', async () => {
    const sent = await post((_request, response) => void response.writeHead(200).write('so'), undefined, {
      timeoutMs: 2_000,
    });
    expect(sent.verdict).toBe('delivered');
  });

  it('A delivery fails on a timeout, a broken connection and a closed port', async () => {
    expect(await post(() => {}, undefined, { timeoutMs: 100 })).toMatchObject({
      verdict: 'failed',
      attempt: { error: expect.stringContaining('did not answer within 100 ms') },
    });
    expect(await post(({ socket }) => socket.destroy())).toMatchObject({ verdict: 'failed' });
    const nobody = createServer().listen(0, '127.0.0.1');
    await once(nobody, 'listening');
    const { port } = nobody.address() as AddressInfo;
    nobody.close();
    expect(await post(() => {}, `http://127.0.0.1:${port}/`)).toMatchObject({ verdict: 'failed' });
  });

  it('A message is not sent to an address that is not allowed, even if its name changed after the submission', async () => {
    const lookup = (_name: string, _options: object, done: (error: null, all: object[]) => void) =>
      done(null, [{ address: '127.0.0.2', family: 4 }]);
    const url = `http://rebound.example:${(server.address() as AddressInfo).port}/`;
    expect(await post(say(200), url, { lookup })).toMatchObject({
      verdict: 'refused',
      attempt: { error: expect.stringContaining('not allowed') },
    });
    expect(got).toEqual([]);
  });
});
