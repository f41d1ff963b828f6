import type { Invocation } from '@errand/contracts';
import { Client, readEventStream } from './support/client.js';
import { useStack } from './support/start-stack.js';
import { WebhookReceiver } from './support/webhook-receiver.js';

const KEYS = { acme: 'acme-key-of-some-length', corp: 'corp-key-of-some-length', operator: 'key-of-the-operator' };
const as = (key: string) => ({ authorization: `Bearer ${key}` });
const [ACME, CORP, OPERATOR] = [as(KEYS.acme), as(KEYS.corp), as(KEYS.operator)];

const stack = useStack({
  with: ['worker'],
  env: {
    ERRAND_API_KEYS: `${KEYS.operator} acme:${KEYS.acme} acme:acme-key-to-come-next corp:${KEYS.corp}`,
    ERRAND_CALLBACK_ALLOW: '127.0.0.1',
  },
});
const { client } = stack;

const actingFor = (tenant: string) => ({ 'x-errand-tenant': tenant });

const submit = (body: object, headers: Record<string, string>) =>
  client.post('/v1/invocations', body, { prefer: 'wait=20', ...headers });
const echo = (value: unknown) => ({ toolId: 'core:echo', arguments: { value } });

/** Every route below one invocation, from the OpenAPI document of the API. */
async function routesOf(id: string): Promise<[method: string, path: string][]> {
  const { paths } = (await client.get<{ paths: Record<string, object> }>('/docs-json', OPERATOR)).body;
  return Object.entries(paths).flatMap(([path, methods]) =>
    path.startsWith('/v1/invocations/{id}')
      ? Object.keys(methods).map((method): [string, string] => [
          method.toUpperCase(),
          path.replace('{id}', id).replace(/\{\w+\}/g, '0'),
        ])
      : [],
  );
}

/** The status and the body of a request: an event stream as text, else JSON. */
async function ask(method: string, path: string, headers: Record<string, string>) {
  const response = await fetch(stack.url + path, {
    method,
    headers: { ...headers, ...(method === 'POST' && { 'content-type': 'application/json' }) },
    ...(method === 'POST' && { body: bodyFor(path) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json');
  return { status: response.status, body: isJson ? (JSON.parse(text) as unknown) : text };
}

function bodyFor(path: string): string {
  return JSON.stringify(path.endsWith('/result') ? { result: 1 } : {});
}

describe('An invocation of one tenant', () => {
  let id: string;
  beforeAll(async () => {
    const { body } = await submit({ ...echo('of acme'), session: 's', metadata: { of: 'acme' } }, ACME);
    id = body.id;
  });

  it('An invocation is hidden on every route from other tenants, and from an operator that acts for another tenant', async () => {
    const routes = await routesOf(id);
    expect(routes.length).toBeGreaterThanOrEqual(9);
    for (const [method, path] of routes) {
      for (const headers of [CORP, { ...OPERATOR, ...actingFor('corp') }]) {
        const { status, body } = await ask(method, path, headers);
        const detail = expect.stringContaining(`There is no invocation ${id}`);
        expect([method, path, status, body]).toEqual([
          method,
          path,
          404,
          expect.objectContaining({ code: 'not_found', detail }),
        ]);
      }
    }
  });

  it('The operator finds an invocation of every tenant on every route, and a key that names another tenant is refused', async () => {
    for (const [method, path] of await routesOf(id)) {
      for (const headers of [OPERATOR, { ...OPERATOR, ...actingFor('acme') }]) {
        const { body } = await ask(method, path, headers);
        expect([method, path, JSON.stringify(body)]).toEqual([
          method,
          path,
          expect.not.stringContaining('There is no invocation'),
        ]);
      }
      const forbidden = await ask(method, path, { ...CORP, ...actingFor('acme') });
      expect([method, path, forbidden]).toEqual([
        method,
        path,
        { status: 403, body: expect.objectContaining({ code: 'forbidden' }) },
      ]);
    }
    expect((await client.get<Invocation>(`/v1/invocations/${id}`, OPERATOR)).body).toMatchObject({
      tenant: 'acme',
      result: 'of acme',
    });
    expect((await client.get<Invocation>(`/v1/invocations/${id}`, ACME)).body).not.toHaveProperty('tenant');
  });

  it('Every key of the tenant can read its invocation', async () => {
    for (const key of [KEYS.acme, `acme:${KEYS.acme}`, 'acme-key-to-come-next'])
      expect(await client.get(`/v1/invocations/${id}`, as(key))).toMatchObject({ body: { result: 'of acme' } });
    const told = await readEventStream(`${stack.url}/v1/invocations/${id}/events`, ACME);
    expect(told.at(-1)).toMatchObject({ event: 'end' });
  });

  it.each(['', '?status=succeeded', '?toolId=core:echo', '?session=s', '?metadata.of=acme'])(
    'A tenant sees only its own invocations in the list%s',
    async (query) => {
      const list = async (headers: Record<string, string>) =>
        (await client.get<{ items: Invocation[] }>(`/v1/invocations${query}`, headers)).body.items.map((one) => one.id);
      expect([await list(ACME), await list(CORP), await list(OPERATOR)]).toEqual([[id], [], []]);
      expect(await list({ ...OPERATOR, ...actingFor('acme') })).toEqual([id]);
    },
  );

  it('The operator lists another tenant by ?tenant=, and a key of a tenant cannot', async () => {
    const list = (tenant: string, headers: Record<string, string>) =>
      client.get<{ items: Invocation[]; detail: string }>(`/v1/invocations?tenant=${tenant}`, headers);
    expect((await list('acme', OPERATOR)).body.items).toMatchObject([{ id, tenant: 'acme' }]);
    expect((await list('acme', ACME)).body.items.map((one) => one.id)).toEqual([id]);
    expect((await list('unknown', OPERATOR)).body.items).toEqual([]);
    const refused = await list('acme', CORP);
    expect([refused.status, refused.body.detail]).toEqual([
      403,
      expect.stringContaining("belongs to the tenant 'corp'"),
    ]);
    expect((await list('acme:tool', OPERATOR)).status).toBe(400);
  });

  it.each([
    'bulk?',
    'deliveries?',
    'effects?',
    'events?topics=nothing&',
    'inbox?',
    'invocations/counts?',
    'processes?',
    'queues?',
    'refusals?',
    'refusals/summary?by=tool&',
    'search?q=none&',
    'stats?metric=accepted&',
  ])('The operator names a tenant in the query of GET /v1/%s, and a key of a tenant cannot', async (route) => {
    const read = async (tenant: string, headers: Record<string, string>) => {
      const { status, body } = await client.get<{ detail?: string }>(`/v1/${route}tenant=${tenant}`, headers);
      return [status, body.detail];
    };
    expect((await read('a:b', OPERATOR))[1]).toContain('must be the name of a tenant');
    expect(await read('acme', CORP)).toEqual([403, expect.stringContaining("belongs to the tenant 'corp'")]);
    // The topics of the stream are wrong on purpose: a stream has no end.
    expect((await read('acme', OPERATOR))[0]).toBe(route.startsWith('events') ? 400 : 200);
  });

  it("A template cannot take the result of another tenant's invocation", async () => {
    const body = echo(`{{job:${id}}}`);
    expect(await submit(body, CORP)).toMatchObject({
      status: 422,
      body: { detail: `There is no invocation ${id} to take a result from` },
    });
    expect(await submit(body, ACME)).toMatchObject({ status: 200, body: { result: 'of acme' } });
  });
});

it('The same idempotency key of two tenants creates two invocations, also in a batch', async () => {
  const key = { 'idempotency-key': 'the-same' };
  const ofAcme = await submit(echo(1), { ...ACME, ...key });
  const ofCorp = await submit(echo(2), { ...CORP, ...key });
  expect([ofAcme.body.result, ofCorp.body.result]).toEqual([1, 2]);
  expect((await submit(echo(1), { ...ACME, ...key })).body.id).toBe(ofAcme.body.id);
  const batch = await client.post<{ items: Invocation[] }>(
    '/v1/invocations/batch',
    { items: [{ ...echo(2), idempotencyKey: 'the-same' }] },
    CORP,
  );
  expect(batch.body.items[0]!.id).toBe(ofCorp.body.id);
});

it('A repair and its callback belong to the tenant of the failed invocation', async () => {
  const receiver = await WebhookReceiver.start();
  const callback = { url: receiver.url };
  const { body: failed } = await submit(
    { toolId: 'core:math', arguments: { op: 'divide', a: 1, b: 0 }, callback },
    ACME,
  );
  const retry = (headers: Record<string, string>) => client.post(`/v1/invocations/${failed.id}/retry`, {}, headers);
  expect((await retry(CORP)).status).toBe(404);
  const { status, body: repair } = await retry(ACME);
  expect(status).toBe(202);
  await receiver.until(2);
  const deliveries = (headers: Record<string, string>) =>
    client.get(`/v1/invocations/${repair.id}/deliveries`, headers);
  expect((await deliveries(ACME)).body['items']).toHaveLength(1);
  expect((await deliveries(CORP)).status).toBe(404);
  receiver.stop();
});

it('Work that the operator starts for a tenant belongs to that tenant, also a repair and its idempotency key', async () => {
  const ofAcme = { ...OPERATOR, ...actingFor('acme') };
  const { body } = await submit(echo('by the operator'), ofAcme);
  expect(body).toMatchObject({ result: 'by the operator', tenant: 'acme' });
  expect(await client.get(`/v1/invocations/${body.id}`, ACME)).toMatchObject({ body: { result: 'by the operator' } });
  expect((await client.get(`/v1/invocations/${body.id}`, CORP)).status).toBe(404);
  const { body: failed } = await submit({ toolId: 'core:math', arguments: { op: 'divide', a: 1, b: 0 } }, ACME);
  const key = { 'idempotency-key': 'repair', prefer: 'wait=20' };
  const repair = (headers: Record<string, string>) =>
    client.post(`/v1/invocations/${failed.id}/retry`, {}, { ...headers, ...key });
  const byOperator = await repair(OPERATOR);
  expect(byOperator.body).toMatchObject({ tenant: 'acme', retryOf: { invocationId: failed.id } });
  expect((await repair(ACME)).body.id).toBe(byOperator.body.id);
});

it('The operator cancels an invocation of a tenant, and its event stream names the tenant', async () => {
  const { body } = await client.post('/v1/invocations', { ...echo(1), options: { delayMs: 3_600_000 } }, ACME);
  const cancelled = await client.post(`/v1/invocations/${body.id}/cancel`, '', OPERATOR);
  expect(cancelled).toMatchObject({ status: 202, body: { status: 'cancelled', tenant: 'acme' } });
  const end = async (headers: Record<string, string>) =>
    (await readEventStream(`${stack.url}/v1/invocations/${body.id}/events`, headers)).at(-1)!.data['invocation'];
  const [forAcme, forOperator] = await Promise.all([end(ACME), end(OPERATOR)]);
  expect(forOperator).toMatchObject({ tenant: 'acme' });
  expect(forAcme).not.toHaveProperty('tenant');
});

it('Only the operator reads pages that show all tenants', async () => {
  for (const path of ['/metrics', '/admin/queues', '/admin/queues/api/queues']) {
    expect([path, (await client.get(path, ACME)).status]).toEqual([path, 403]);
    expect([path, (await client.get(path, OPERATOR)).status]).toEqual([path, 200]);
  }
});

it('An API without keys has the tenant of keys without a name', async () => {
  const { body } = await submit(echo('mine'), OPERATOR);
  const open = new Client(await stack.startApi({ ERRAND_API_KEYS: '' }));
  const read = await open.get(`/v1/invocations/${body.id}`);
  expect(read).toMatchObject({ body: { result: 'mine' } });
  expect(read.body).not.toHaveProperty('tenant');
});
