import { OPENAPI } from '../src/http/openapi/document.js';
import { useStack } from '../../../test/support/start-stack.js';

const KEY = 'a'.repeat(24);
const stack = useStack();
const basic = (key: string) => ({ authorization: `Basic ${Buffer.from(`anyone:${key}`).toString('base64')}` });
const PAGES = ['/docs', '/docs-json', '/docs/assets/start.js', '/docs/assets/swagger-ui.css'];

/** What a browser sends. */
const HTML = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

describe('The address /', () => {
  it('A browser goes from / to the console', async () => {
    const response = await fetch(stack.url, { headers: { accept: HTML }, redirect: 'manual' });
    expect([response.status, response.headers.get('location')]).toEqual([302, '/console/']);
    expect(response.headers.get('vary')).toContain('Accept');
  });

  it('Another client gets the first addresses, and each of them exists', async () => {
    const { links } = (await (await fetch(stack.url)).json()) as { links: Record<string, string> };
    expect(links).toMatchObject({ console: '/console/', docs: '/docs', openapi: '/docs-json', tools: '/v1/tools' });
    for (const path of Object.values(links)) expect((await fetch(stack.url + path)).status).toBe(200);
  });
});

describe('The page /docs', () => {
  it.each(PAGES)('With keys, %s asks a browser for a password and accepts the key of any tenant', async (path) => {
    const guarded = await stack.startApi({ ERRAND_API_KEYS: `${'o'.repeat(24)} acme:${KEY}` });
    const refused = await fetch(guarded + path);
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
      401,
      'Basic realm="Errand", charset="UTF-8"',
    ]);
    expect((await fetch(guarded + path, { headers: basic('x'.repeat(24)) })).status).toBe(401);
    expect((await fetch(guarded + path, { headers: basic(KEY) })).status).toBe(200);
    expect((await fetch(guarded + path, { headers: { authorization: `Bearer ${KEY}` } })).status).toBe(200);
    // A password opens pages only, so that no page can use it for the API.
    expect((await fetch(`${guarded}/v1/tools`, { headers: basic(KEY) })).status).toBe(401);
    expect((await fetch(`${guarded}/admin/queues`, { headers: basic(KEY) })).status).toBe(403);
  });

  it('The page names no other origin, and its policy forbids one', async () => {
    const response = await fetch(`${stack.url}/docs`);
    const page = `${await response.text()}${await (await fetch(`${stack.url}/docs/assets/start.js`)).text()}`;
    expect(page).not.toMatch(/\/\/[a-z]/i);
    // Without it, Swagger UI sends the address of the document to a foreign validator.
    expect(page).toContain('validatorUrl: null');
    expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'self';.*frame-ancestors 'none'$/);
  });

  it('The document names the address that was called, so that the page sends its requests to its own origin', async () => {
    const serversOf = async (origin: string) =>
      ((await (await fetch(`${origin}/docs-json`)).json()) as typeof OPENAPI).servers.map(({ url }) => url);
    expect(await serversOf(stack.url)).toEqual([stack.url]);
    const published = await stack.startApi({ ERRAND_PUBLIC_URL: 'https://errand.example' });
    expect(await serversOf(published)).toEqual([published, 'https://errand.example']);
  });
});
