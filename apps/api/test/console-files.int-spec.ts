import { get as getRaw, type IncomingMessage } from 'node:http';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gunzipSync, gzipSync } from 'node:zlib';
import { startRedis, type TestRedis } from '../../../test/support/start-redis.js';
import { startApi } from '../src/start.js';

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";
const PAGE = '<!doctype html><title>Errand</title>';
const SCRIPT = 'export const number = 1;\n'.repeat(100);

/** A file as a browser gets it. `fetch` would unpack it. */
async function exchangeCompressed(url: string): Promise<{ headers: IncomingMessage['headers']; body: Buffer }> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const request = getRaw(`${url}/console/assets/index-A1b2.js`, { headers: { 'accept-encoding': 'gzip' } }, resolve);
    request.on('error', reject);
  });
  return { headers: response.headers, body: await buffer(response) };
}

describe('The files of the console', () => {
  const folder = mkdtempSync(join(tmpdir(), 'errand-console-'));
  const closing: { close(): Promise<unknown> }[] = [];
  let redis: TestRedis;
  let url: string;

  const start = async (env: Record<string, string>, consoleFolder: string): Promise<string> => {
    const settings = { ERRAND_REDIS_URL: redis.url, ERRAND_PORT: '0', ERRAND_LOG_LEVEL: 'fatal', ...env };
    const api = await startApi({ ERRAND_LIBRARY: folder, ...settings }, undefined, { consoleFolder });
    closing.push(api);
    return api.url;
  };
  const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    fetch(`${url}${path}`, { method, headers, redirect: 'manual' });

  beforeAll(async () => {
    redis = await startRedis();
    mkdirSync(join(folder, 'built/assets'), { recursive: true });
    writeFileSync(join(folder, 'built/index.html'), PAGE);
    writeFileSync(join(folder, 'built/assets/index-A1b2.js'), SCRIPT);
    writeFileSync(join(folder, 'built/assets/index-A1b2.js.gz'), gzipSync(SCRIPT));
    writeFileSync(join(folder, 'secret.js'), 'secret');
    url = await start({ ERRAND_API_KEYS: 'a-key-of-this-test-1234567890' }, join(folder, 'built'));
  });
  afterAll(async () => {
    for (const part of closing) await part.close();
    await redis.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it.each([
    '/console/',
    '/console/invocations',
    '/console/invocations/inv_1?tab=log',
    '/console/no/such/page',
    '/console/%00',
    '/console/%zz?q=%zz',
    '/console/%E0%A4%A',
  ])('The address %s answers the page without a key, with the policy, not to be cached', async (path) => {
    const response = await get(path);
    expect(response.status).toBe(200);
    expect(await response.text()).toBe(PAGE);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'content-security-policy': POLICY,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
    });
  });

  it('The address without a slash leads to the page', async () => {
    const response = await get('/console');
    expect([response.status, response.headers.get('location')]).toEqual([302, '/console/']);
  });

  it('A browser that opens the server gets the console', async () => {
    const response = await get('/', { accept: 'text/html,*/*' });
    expect([response.status, response.headers.get('location')]).toEqual([302, '/console/']);
    expect(await (await get('/')).json()).toMatchObject({ links: { console: '/console/' } });
  });

  it('A page of a new build is sent at once', async () => {
    writeFileSync(join(folder, 'built/index.html'), `${PAGE}<p>new</p>`);
    expect(await (await get('/console/')).text()).toBe(`${PAGE}<p>new</p>`);
    writeFileSync(join(folder, 'built/index.html'), PAGE);
  });

  it('A file is immutable, and compressed for a client that takes gzip', async () => {
    const plain = await get('/console/assets/index-A1b2.js', { 'accept-encoding': 'identity' });
    expect(plain.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(plain.headers.get('content-type')).toBe('application/javascript; charset=utf-8');
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(await plain.text()).toBe(SCRIPT);
    const { headers, body } = await exchangeCompressed(url);
    expect([headers['content-encoding'], headers['content-type']]).toEqual([
      'gzip',
      'application/javascript; charset=utf-8',
    ]);
    expect(headers['vary']).toMatch(/accept-encoding/i);
    expect(gunzipSync(body).toString()).toBe(SCRIPT);
  });

  it.each([
    '/console/assets/none-A1b2.js',
    '/console/assets/',
    '/console/assets/..%2f..%2fsecret.js',
    '/console/assets/..%2findex.html',
    '/console/assets/%2e%2e%2f%2e%2e%2fsecret.js',
    '/console/assets/index-A1b2.js.gz',
    '/console/assets/a%00.js',
    '/console/assets/%zz.js',
  ])('The unknown file %s is a 404 with a sentence', async (path) => {
    const response = await get(path);
    expect(response.status).toBe(404);
    expect(response.headers.get('cache-control')).toBe('no-cache');
    expect(response.headers.get('content-security-policy')).toBe(POLICY);
    expect(await response.json()).toMatchObject({
      code: 'not_found',
      detail: expect.stringContaining('reload the page') as string,
    });
  });

  it('Only reading is possible', async () => {
    expect((await get('/console/', {}, 'HEAD')).status).toBe(200);
    const send = () => get('/console/', { authorization: 'Bearer a-key-of-this-test-1234567890' }, 'POST');
    expect((await send()).status).toBe(404);
  });

  it('Without a build, the page says how to build it, and the API works', async () => {
    url = await start({}, join(folder, 'not-built'));
    const response = await get('/console/');
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({
      code: 'not_found',
      detail: expect.stringContaining('npm run build') as string,
    });
    expect((await get('/v1/whoami')).status).toBe(200);
  });

  it('With ERRAND_CONSOLE=false there is no console, and a browser gets the documentation', async () => {
    url = await start({ ERRAND_CONSOLE: 'false' }, join(folder, 'built'));
    expect((await get('/console/')).status).toBe(404);
    expect((await get('/', { accept: 'text/html' })).headers.get('location')).toBe('/docs');
  });

  it('With ERRAND_CONSOLE=false and keys, a page of the console is unknown, and asks for no key', async () => {
    url = await start(
      { ERRAND_CONSOLE: 'false', ERRAND_API_KEYS: 'a:a-key-of-this-test-1234567890' },
      join(folder, 'built'),
    );
    for (const path of ['/console', '/console/', '/console/invocations?a=b', '/console/assets/a.js'])
      expect((await get(path)).status).toBe(404);
    expect((await get('/consoles')).status).toBe(401);
  });
});
