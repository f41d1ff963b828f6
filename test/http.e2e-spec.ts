import { Client } from './support/client.js';
import { onOneServer } from './support/redis-kinds.js';
import { useStack } from './support/start-stack.js';
import { eventually } from './support/eventually.js';

const stack = useStack({ with: ['worker'] });
const { client } = stack;

describe('GET /v1/invocations/:id', () => {
  it.each([
    '/v1/invocations/inv_00000000000000000000000000',
    '/v1/invocations/nonsense',
    '/v1/invocations/..%2f..',
    '/v1/nothing',
  ])('A request for %s gets 404', async (path) => {
    expect(await client.get(path)).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });

  it('The result can be read in parts', async () => {
    const { id } = await client.invoke({ toolId: 'core:echo', arguments: { value: 'abcdefghij' } });
    expect((await client.get(`/v1/invocations/${id}/result?offset=3&limit=4`)).body).toEqual({
      text: 'defg',
      offset: 3,
      total: 10,
      nextOffset: 7,
    });
    expect((await client.get(`/v1/invocations/${id}/result?offset=7`)).body).toEqual({
      text: 'hij',
      offset: 7,
      total: 10,
      nextOffset: null,
    });
  });

  it('The value at a path of the result can be read', async () => {
    const { id } = await client.invoke({ toolId: 'core:echo', arguments: { value: { 'a/b': ['x', 'hello'] } } });
    expect((await client.get(`/v1/invocations/${id}/result?path=/a~1b/1&limit=4`)).body).toEqual({
      text: 'hell',
      offset: 0,
      total: 5,
      nextOffset: 4,
    });
    const whole = await client.get(`/v1/invocations/${id}/result?path=/a~1b`);
    expect(whole.body).toMatchObject({ text: '["x","hello"]', nextOffset: null, value: ['x', 'hello'] });
    expect((await client.get(`/v1/invocations/${id}/result?path=/a~1b/7`)).status).toBe(404);
    expect((await client.get(`/v1/invocations/${id}/result?path=a`)).status).toBe(400);
    expect((await client.get(`/v1/invocations/${id}/result?path=/__proto__`)).status).toBe(404);
  });

  it('A long observation is cut at its limit and says how to read on', async () => {
    const { id, observation } = await client.invoke({
      toolId: 'core:echo',
      arguments: { value: 'word '.repeat(4_000) },
    });
    expect(observation!.length).toBeLessThan(8_300);
    expect(observation).toContain(`read more: tool core:read-result, invocation ${id}, offset `);
  });
});

describe('GET /v1/invocations/:id/events', () => {
  it('An event stream sends all events to the end of the invocation and closes', async () => {
    const { body } = await client.post('/v1/invocations', {
      calls: [
        { toolId: 'core:delay', arguments: { ms: 200 } },
        { toolId: 'core:echo', arguments: { value: 1 } },
      ],
    });
    const events = await client.events(body.id);
    expect(events.at(-1)).toMatchObject({
      event: 'end',
      data: { invocationId: body.id, invocation: { status: 'succeeded' } },
    });
    expect(events.filter(({ event }) => event === 'step').map(({ data }) => [data['index'], data['status']])).toEqual([
      [0, 'running'],
      [0, 'succeeded'],
      [1, 'running'],
      [1, 'succeeded'],
    ]);
    expect(events.every(({ data }) => typeof data['at'] === 'string')).toBe(true);
  });

  it('An event stream continues after Last-Event-ID without a gap or a duplicate', async () => {
    const { id } = await client.invoke({
      calls: [1, 2, 3].map((value) => ({ toolId: 'core:echo', arguments: { value } })),
    });
    const all = (await client.events(id)).filter(({ event }) => event === 'step');
    const rest = (await client.events(id, all[2]!.id)).filter(({ event }) => event === 'step');
    expect(rest).toEqual(all.slice(3));
  });
});

describe('POST /v1/parse', () => {
  const tools = [
    {
      toolId: 'GetPlayerInfo',
      description: 'Looks a player up',
      parameters: { type: 'object', properties: { player_id: { type: 'integer' } }, required: ['player_id'] },
    },
  ];

  it('Parsing returns the calls that would run with the given tools', async () => {
    const { status, body } = await client.post<unknown>('/v1/parse', {
      text: 'Hm. <ACTION><GetPlayerInfo><player_id> 7 </player_id></GetPlayerInfo></ACTION> Done.',
      tools,
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      protocol: 'action',
      calls: [{ toolId: 'GetPlayerInfo', arguments: { player_id: 7 } }],
      errors: [],
      observation: null,
    });
  });

  it('Parsing returns the errors with line, column and suggestion', async () => {
    const { body } = await client.post<{ errors: unknown[]; observation: string }>('/v1/parse', {
      text: '<ACTION>\n <GetPlayerInfo>\n  <playerId>7</playerId></GetPlayerInfo></ACTION>',
      tools,
    });
    expect(body.errors).toContainEqual(
      expect.objectContaining({ kind: 'invalid_parameters', line: 3, column: 3, suggestion: 'player_id' }),
    );
    expect(body.observation).toContain("Unknown parameter 'playerId', did you mean 'player_id'?");
  });
});

describe('The tools', () => {
  it('Tools are listed, filtered and returned one by one', async () => {
    const { body } = await client.get<{ items: { toolId: string; kind: string }[]; nextCursor: null }>(
      '/v1/tools?kind=node',
    );
    expect(body.items.map((tool) => tool.toolId)).toContain('core:echo');
    expect(new Set(body.items.map((tool) => tool.kind))).toEqual(new Set(['node']));
    expect((await client.get('/api/tools')).body).toEqual((await client.get('/v1/tools')).body);
    expect((await client.get('/v1/tools/core:math')).body).toMatchObject({
      toolId: 'core:math',
      kind: 'node',
      versions: [expect.any(String)],
      inputs: { a: expect.any(Object) },
    });
    expect(await client.get('/v1/tools/core:mth')).toMatchObject({
      status: 404,
      body: { detail: expect.stringContaining("did you mean 'core:math'?") },
    });
    expect(await client.get('/v1/tools?kind=nodes')).toMatchObject({ status: 400 });
  });

  it('The tools of the examples have no problems', async () => {
    expect((await client.get('/v1/tools/problems')).body).toEqual({ items: [], nextCursor: null });
  });

  it('Tools can be exported as a prompt and as definitions for other APIs', async () => {
    const prompt = await client.get<string>('/v1/tools/prompt?format=action');
    expect(prompt.body).toContain('core:echo');
    for (const format of ['openai', 'anthropic', 'mcp', 'json'])
      expect((await client.get(`/v1/tools/prompt?format=${format}`)).status).toBe(200);
  });
});

describe('The health checks and the API documentation', () => {
  it('The health checks and the API documentation respond', async () => {
    expect((await client.get('/healthz')).body).toEqual({ status: 'ok' });
    expect(await client.get('/readyz')).toMatchObject({ status: 200, body: { ready: true, checks: { redis: 'ok' } } });
    expect((await client.get<string>('/docs')).body).toContain('swagger-ui');
    expect((await client.get('/docs-json')).body).toMatchObject({ openapi: '3.1.0' });
    for (const asset of ['swagger-ui.css', 'swagger-ui-bundle.js', 'start.js'])
      expect((await client.get(`/docs/assets/${asset}`)).status).toBe(200);
    expect((await client.get('/docs/assets/package.json')).status).toBe(404);
  });
});

describe('Access to the API', () => {
  it('An API without keys refuses requests for a foreign host name', async () => {
    const { request } = await import('node:http');
    const { port } = new URL(stack.url);
    const status = await new Promise((resolve) => {
      request({ port, path: '/v1/tools', headers: { host: 'evil.example' } }, (response) =>
        resolve(response.resume().statusCode),
      ).end();
    });
    expect(status).toBe(403);
  });

  it('An API without keys does not start on other addresses', async () => {
    await expect(stack.startApi({ ERRAND_HOST: '0.0.0.0', ERRAND_LOG_LEVEL: 'silent' })).rejects.toThrow(
      'ERRAND_API_KEYS',
    );
  });

  it('An API with keys accepts only requests with a valid key', async () => {
    const stranger = new Client(await stack.startApi({ ERRAND_API_KEYS: 'k'.repeat(24) }));
    expect(await stranger.get('/v1/tools')).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
    expect(await stranger.get('/v1/tools', { authorization: `Bearer ${'x'.repeat(24)}` })).toMatchObject({
      status: 401,
    });
    expect((await stranger.get('/v1/tools', { authorization: `Bearer ${'k'.repeat(24)}` })).status).toBe(200);
    expect((await stranger.get('/healthz')).status).toBe(200);
  });
});

describe('An API without Redis', () => {
  const one = onOneServer('An API without Redis: with several servers, the others take over');
  const lone = useStack({ ...one, env: { ...one.env, ERRAND_LOG_LEVEL: 'silent' } });

  it('A submission fails with 503 and /readyz is not ready until Redis is back', async () => {
    const there = lone.client;
    const submit = () => there.post('/v1/invocations', { toolId: 'core:echo', arguments: { value: 1 } });
    await lone.redis.kill();
    expect(await submit()).toMatchObject({ status: 503, body: { code: 'unavailable' } });
    expect(await there.get('/readyz')).toMatchObject({ status: 503, body: { ready: false } });
    expect((await there.get('/healthz')).status).toBe(200);
    await lone.redis.restart();
    await eventually(async () => (await there.get('/readyz')).status === 200);
    expect((await submit()).status).toBe(202);
  });
});

it('An invocation is the same from submission and from a later read', async () => {
  const ended = await client.invoke({
    toolId: 'core:echo',
    arguments: { value: [1, { a: null }] },
    session: 's',
    metadata: { ticket: 7 },
  });
  expect(await client.read(ended.id)).toEqual(ended);
  expect(ended).toMatchObject({ session: 's', metadata: { ticket: 7 }, result: [1, { a: null }] });
});
