import type { Whoami } from '@errand/contracts';
import { useStack } from '../../../test/support/start-stack.js';
import { eventually, inPatience } from '../../../test/support/eventually.js';
import type { Problem } from '../../../test/support/client.js';

const OPERATOR = 'key-of-the-operator';
const ACME = 'acme-key-of-some-length';
const LISTED = 'https://app.example';
const stack = useStack({
  env: {
    ERRAND_API_KEYS: `${OPERATOR} acme:${ACME}`,
    ERRAND_ALLOWED_ORIGINS: LISTED,
    ERRAND_PUBLIC_URL: 'https://errand.example',
  },
});
const { client } = stack;

async function logIn(key: string, url = stack.url): Promise<string> {
  const response = await fetch(`${url}/v1/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ key }),
  });
  expect(response.status).toBe(201);
  return response.headers.getSetCookie()[0]?.split(';')[0] ?? '';
}

const whoami = (headers: Record<string, string>) => client.get<Whoami & Problem>('/v1/whoami', headers);
const echo = { toolId: 'core:echo', arguments: { value: 1 } };

describe('A login', () => {
  it('A login answers who the caller is, and sets a cookie without the key', async () => {
    const { status, headers, body } = await client.post<Whoami>('/v1/login', { key: OPERATOR });
    expect(status).toBe(201);
    expect(body).toMatchObject({ tenant: 'default', scopes: ['invoke', 'read', 'operate', 'admin'] });
    expect(body.subject).toMatch(/^key:[0-9a-z]{12}$/);
    expect(body.features).toEqual(['turns']);
    expect(Date.parse(body.expiresAt ?? '')).toBeGreaterThan(Date.now());
    const [cookie = ''] = headers.getSetCookie();
    expect(cookie).toMatch(/^errand_session=[\w-]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Strict; Secure$/);
    expect(JSON.stringify([body, cookie])).not.toContain(OPERATOR);
  });

  it('The cookie opens every route below /v1 for the tenant of the key', async () => {
    const cookie = await logIn(ACME);
    const { body } = await whoami({ cookie });
    expect(body).toMatchObject({ tenant: 'acme', scopes: ['invoke', 'operate'] });
    const accepted = await client.post('/v1/invocations', echo, { cookie });
    expect(accepted.status).toBe(202);
    expect((await client.get(`/v1/invocations/${accepted.body.id}`, { cookie })).status).toBe(200);
    const other = await logIn(OPERATOR);
    expect((await client.get(`/v1/invocations/${accepted.body.id}`, { cookie: other })).status).toBe(200);
    expect((await client.get('/v1/tenants/acme', { cookie })).status).toBe(403);
    expect((await client.get('/v1/tenants/acme', { cookie: other })).status).toBe(200);
  });

  it('A session that nobody uses ends', async () => {
    const url = await stack.startApi({ ERRAND_LOGIN_IDLE_MS: '1000' });
    const cookie = await logIn(OPERATOR, url);
    const use = () => fetch(`${url}/v1/whoami`, { headers: { cookie } });
    const { expiresAt } = (await (await use()).json()) as Whoami;
    await eventually(() => Date.now() > Date.parse(expiresAt ?? ''));
    expect((await use()).status).toBe(401);
  });

  it('The subject of a key is the same with and without a cookie, in every process', async () => {
    const url = await stack.startApi();
    const cookie = await logIn(OPERATOR, url);
    const byKey = await whoami({ authorization: `Bearer ${OPERATOR}` });
    expect(byKey.body.expiresAt).toBeNull();
    expect((await whoami({ cookie })).body.subject).toBe(byKey.body.subject);
  });

  it('A path or method below /v1 that does not exist is 404 or 405 with a cookie, as with a key', async () => {
    const cookie = await logIn(ACME);
    const both: Record<string, string>[] = [{ cookie }, { authorization: `Bearer ${ACME}` }];
    for (const headers of both) {
      expect((await client.get('/v1/nothing', headers)).status).toBe(404);
      expect((await client.post('/v1/whoami', {}, headers)).status).toBe(405);
    }
    expect((await client.get('/v1/nothing')).status).toBe(401);
    expect((await client.get('/v1/nothing', { cookie: 'errand_session=forged' })).status).toBe(401);
  });

  it.each(['/metrics', '/admin/queues', '/docs-json'])('The cookie does not open %s', async (path) => {
    expect((await client.get(path, { cookie: await logIn(OPERATOR) })).status).toBe(401);
  });

  it('A wrong key gets 401, without a cookie and without the key', async () => {
    const { status, headers, body } = await client.post<Problem>('/v1/login', { key: 'wrong-key-of-some-length' });
    expect(status).toBe(401);
    expect(body.code).toBe('unauthorized');
    expect(headers.getSetCookie()).toEqual([]);
    expect(JSON.stringify(body)).not.toContain('wrong-key-of-some-length');
  });

  it.each([{}, { key: 1 }, { key: '' }, { key: 'x'.repeat(2_000) }, { key: OPERATOR, more: 1 }, [], 'null'])(
    'The login body %# gets 400',
    async (body) => {
      expect((await client.post('/v1/login', body)).status).toBe(400);
    },
  );

  it.each(['errand_session=x', 'errand_session=', `errand_session=${'x'.repeat(43)}`])(
    'The forged cookie %s gets 401',
    async (cookie) => {
      const { status, body } = await whoami({ cookie });
      expect(status).toBe(401);
      expect(body.detail).toContain('log in again');
    },
  );

  it('A session whose key is gone gets 401', async () => {
    const cookie = await logIn(ACME);
    const url = await stack.startApi({ ERRAND_API_KEYS: OPERATOR });
    expect((await fetch(`${url}/v1/whoami`, { headers: { cookie } })).status).toBe(401);
  });

  it('A session outlives the API process that began it', async () => {
    const url = await stack.startApi();
    const cookie = await logIn(ACME, url);
    expect((await whoami({ cookie })).status).toBe(200);
  });
});

describe('A logout', () => {
  it('A logout ends the session in every process and takes the cookie away', async () => {
    const url = await stack.startApi();
    const cookie = await logIn(ACME);
    const { status, headers } = await client.post('/v1/logout', '', { cookie });
    expect(status).toBe(204);
    expect(headers.getSetCookie()[0]).toContain('errand_session=; Path=/; Max-Age=0');
    expect((await fetch(`${url}/v1/whoami`, { headers: { cookie } })).status).toBe(401);
  });

  it.each([
    ['/v1/events', 'text/event-stream'],
    ['/v1/events', '*/*'],
    ['/v1/invocations/:id/events', 'text/event-stream'],
    ['/v1/invocations/:id/events', '*/*'],
  ])('A logout ends the streams of %s in every process, also those that asked for %s', async (path, accept) => {
    const url = await stack.startApi();
    const cookie = await logIn(OPERATOR);
    const { body } = await client.post('/v1/invocations', { ...echo, options: { delayMs: 600_000 } }, { cookie });
    const stream = await fetch(`${url}${path.replace(':id', body.id)}`, { headers: { cookie, accept } });
    expect(stream.status).toBe(200);
    const ended = stream.text().then(
      () => 'ended',
      () => 'ended',
    );
    await client.post('/v1/logout', '', { cookie });
    expect(await inPatience(ended, () => `the stream of ${path} has ended`)).toBe('ended');
  });

  it('A logout without a session does nothing', async () => {
    expect((await client.post('/v1/logout', '')).status).toBe(204);
  });
});

describe('A page of another site', () => {
  it.each([
    ['Sec-Fetch-Site cross-site', { 'sec-fetch-site': 'cross-site' }],
    ['Sec-Fetch-Site same-site', { 'sec-fetch-site': 'same-site' }],
    ['the origin of ERRAND_ALLOWED_ORIGINS', { origin: LISTED }],
    ['a foreign origin', { origin: 'https://evil.example' }],
  ])('A request with %s changes nothing with the cookie, and neither logs in nor out', async (_by, headers) => {
    const cookie = await logIn(ACME);
    const send = (path: string, body: unknown) => client.post(path, body, { cookie, ...headers });
    expect((await send('/v1/invocations', echo)).status).toBe(403);
    expect((await send('/v1/login', { key: ACME })).status).toBe(403);
    expect((await send('/v1/logout', '')).status).toBe(403);
    expect((await whoami({ cookie })).status).toBe(200);
  });

  it('A page of this server may change what its session may', async () => {
    const cookie = await logIn(ACME);
    const pages: Record<string, string>[] = [
      { 'sec-fetch-site': 'same-origin', origin: stack.url },
      { origin: 'https://errand.example' },
    ];
    for (const headers of pages)
      expect((await client.post('/v1/invocations', echo, { cookie, ...headers })).status).toBe(202);
  });

  it('A page of an allowed origin may use a key', async () => {
    const headers = { origin: LISTED, 'sec-fetch-site': 'cross-site', authorization: `Bearer ${ACME}` };
    expect((await client.post('/v1/invocations', echo, headers)).status).toBe(202);
  });
});

describe('A flood of wrong keys', () => {
  it('After 30 wrong keys in a minute, at whichever process, wrong keys get 429 and a good key is accepted', async () => {
    const url = await stack.startApi();
    const attempt = async (key: string, process = url) => {
      const headers = { 'content-type': 'application/json' };
      return fetch(`${process}/v1/login`, { method: 'POST', headers, body: JSON.stringify({ key }) });
    };
    const last = await eventually(async () => {
      const response = await attempt('wrong-key-of-some-length');
      return response.status === 429 && response;
    });
    expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await attempt(OPERATOR)).status).toBe(201);
    const other = await stack.startApi();
    expect((await attempt('wrong-key-of-some-length', other)).status).toBe(429);
    expect((await attempt(OPERATOR, other)).status).toBe(201);
  });
});

describe('A server without keys', () => {
  const open = async () => stack.startApi({ ERRAND_API_KEYS: '' });

  it('A caller of a server without keys is local and has every scope', async () => {
    const url = await open();
    const body = (await (await fetch(`${url}/v1/whoami`)).json()) as Whoami;
    expect(body).toMatchObject({ tenant: 'default', subject: 'local', expiresAt: null });
    expect(body.scopes).toEqual(['invoke', 'read', 'operate', 'admin']);
  });

  it('A page of another site changes nothing, unless its origin is allowed', async () => {
    const url = await open();
    const submit = async (headers: Record<string, string>) =>
      (
        await fetch(`${url}/v1/invocations`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers },
          body: JSON.stringify(echo),
        })
      ).status;
    expect(await submit({ 'sec-fetch-site': 'cross-site' })).toBe(403);
    expect(await submit({ 'sec-fetch-site': 'same-site' })).toBe(403);
    expect(await submit({ 'sec-fetch-site': 'cross-site', origin: LISTED })).toBe(202);
    expect(await submit({ 'sec-fetch-site': 'same-origin' })).toBe(202);
    expect(await submit({})).toBe(202);
  });
});
