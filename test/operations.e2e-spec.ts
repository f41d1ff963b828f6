import { startWorker } from '../apps/worker/src/start.js';
import { freePort } from './support/start-redis.js';
import { useStack } from './support/start-stack.js';

const KEY = 'a-key-of-some-length';
const AUTHORIZED = { authorization: `Bearer ${KEY}` };
const SECRET = `whsec_${Buffer.from('twenty-four bytes or more').toString('base64')}`;

const stack = useStack({ env: { ERRAND_API_KEYS: KEY, ERRAND_CALLBACK_ALLOW: '127.0.0.1' } });
const { client } = stack;
let health: string;

beforeAll(async () => {
  const port = await freePort();
  health = `http://127.0.0.1:${port}`;
  await stack.start('worker', { ERRAND_HEALTH_PORT: String(port) });
});

const invoke = (body: object) =>
  client.post('/v1/invocations', body, { ...AUTHORIZED, prefer: 'wait=20', 'content-type': 'application/json' });
const scrape = async (url: string) => (await fetch(`${url}/metrics`, { headers: AUTHORIZED })).text();

describe('/metrics', () => {
  it('The metrics count accepted and ended invocations by tool and outcome', async () => {
    await invoke({ toolId: 'core:echo', arguments: { value: 1 } });
    await invoke({ toolId: 'core:math', arguments: { op: 'divide', a: 1, b: 0 } });
    await invoke({
      calls: [
        { toolId: 'core:echo', arguments: { value: 1 } },
        { toolId: 'core:echo', arguments: { value: 2 } },
      ],
    });
    const [ofApi, ofWorker] = await Promise.all([scrape(stack.url), scrape(health)]);
    expect(ofApi).toContain('errand_invocations_accepted_total{tool="core:echo"} 1');
    expect(ofApi).toContain('errand_invocations_accepted_total{tool="several"} 1');
    expect(ofApi).toMatch(
      /errand_http_request_duration_seconds_count\{method="POST",route="\/v1\/invocations",status="200"\} 3/,
    );
    expect(ofWorker).toContain('errand_invocations_ended_total{tool="core:echo",outcome="succeeded"} 1');
    expect(ofWorker).toContain('errand_invocations_ended_total{tool="core:math",outcome="failed"} 1');
    expect(ofWorker).toContain('errand_failures_total{queue="invocations",error="NodeError"} 1');
    expect(ofWorker).toContain('errand_queue_wait_seconds_count{queue="invocations"} 3');
    expect(ofWorker).toContain('process_cpu_seconds_total');
  });

  it('The metrics show the depth of each queue and the age of its oldest job', async () => {
    // No script-runner runs in this test.
    await client.post('/v1/invocations', { toolId: 'text:analyze', arguments: { text: 'to be' } }, AUTHORIZED);
    const { body } = await client.post(
      '/v1/invocations',
      { toolId: 'core:echo', arguments: { value: 1 }, options: { delayMs: 3_600_000 } },
      AUTHORIZED,
    );
    const shown = await scrape(stack.url);
    expect(shown).toContain('errand_queue_jobs{queue="scripts",state="waiting"} 1');
    for (const state of ['delayed', 'later'])
      expect(shown).toContain(`errand_queue_jobs{queue="invocations",state="${state}"} 1`);
    for (const state of ['waiting-children', 'owed'])
      expect(shown).toContain(`errand_queue_jobs{queue="deliveries",state="${state}"} 0`);
    expect(shown).toMatch(/errand_queue_oldest_seconds\{queue="scripts"\} 0?\.?\d/);
    expect(shown).toContain('errand_redis_up 1');
    expect((await client.post(`/v1/invocations/${body.id}/cancel`, {}, AUTHORIZED)).status).toBe(202);
    expect(await scrape(stack.url)).toContain('errand_invocations_ended_total{tool="core:echo",outcome="cancelled"} 1');
  });

  it('The metrics need a key', async () => {
    expect((await fetch(`${stack.url}/metrics`)).status).toBe(401);
    expect((await fetch(`${health}/metrics`)).status).toBe(401);
    expect((await fetch(`${health}/metrics`, { headers: { authorization: 'Bearer wrong' } })).status).toBe(401);
    expect((await fetch(`${health}/healthz`)).status).toBe(200);
    expect((await fetch(`${health}/readyz`)).status).toBe(200);
  });

  it('A path without a route does not become a label of a metric', async () => {
    await fetch(`${stack.url}/v1/some-path-of-anyone`, { headers: AUTHORIZED });
    const shown = await scrape(stack.url);
    expect(shown).toContain('route="none",status="404"');
    expect(shown).not.toContain('some-path-of-anyone');
  });
});

describe('The health server of a worker', () => {
  it('A worker without keys does not start with metrics that other machines can read', async () => {
    const open = { ERRAND_REDIS_URL: stack.redis.url, ERRAND_HEALTH_PORT: '1', ERRAND_HEALTH_HOST: '0.0.0.0' };
    await expect(startWorker({ ...open, ERRAND_LOG_LEVEL: 'fatal' })).rejects.toThrow(
      'ERRAND_HEALTH_HOST=0.0.0.0 can be reached from other machines',
    );
  });
});

describe('/admin/queues', () => {
  const basic = { authorization: `Basic ${Buffer.from(`anyone:${KEY}`).toString('base64')}` };

  /** With several shards, the name of the shard comes first. */
  const queueNames = async (): Promise<string[]> => {
    const { body } = await client.get<{ queues: { name: string }[] }>('/admin/queues/api/queues', basic);
    return body.queues.map(({ name }) => name);
  };

  it('A browser sees the queues when it sends the key as a password', async () => {
    const page = await fetch(`${stack.url}/admin/queues`, { headers: basic });
    expect(page.status).toBe(200);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'self'");
    const html = await page.text();
    const [, script] = /src="(static\/js\/[^"]+)"/.exec(html)!;
    const asset = await fetch(`${stack.url}/admin/queues/${script}`, { headers: basic });
    expect([asset.status, asset.headers.get('content-type')]).toEqual([200, expect.stringContaining('javascript')]);
    const kinds = (await queueNames()).map((name) => name.split(' ').at(-1));
    expect([...new Set(kinds)]).toEqual(['invocations', 'scripts', 'deliveries']);
  });

  it.each([
    '/admin/queues',
    '/admin/queues/',
    '/admin/queues/api/queues',
    '/admin/queues/static/js/main.js',
    '/admin/%71ueues/api/queues',
    '/%61dmin/queues/api/queues',
    '/admin/queues/%61pi/queues',
    '/admin/queues/api%2Fqueues',
    '//admin/queues/api/queues',
    '/admin//queues/api/queues',
    '/ADMIN/queues/api/queues',
    '/v1/../admin/queues/api/queues',
  ])('A request for %s without a key gets 401', async (path) => {
    const response = await fetch(stack.url + path);
    expect(response.status).toBe(401);
    expect(await response.text()).not.toContain('invocations');
  });

  it.each([
    ['PUT', '/admin/queues/api/queues/invocations/pause'],
    ['PUT', '/admin/queues/api/queues/invocations/obliterate'],
    ['POST', '/admin/queues/api/queues/invocations/add'],
  ])('The queue page has no route that changes something: %s %s', async (method, path) => {
    expect((await fetch(stack.url + path, { method, headers: AUTHORIZED })).status).toBe(404);
    expect((await client.get<{ queues: object[] }>('/admin/queues/api/queues', basic)).body.queues[0]).toMatchObject({
      isPaused: false,
      readOnlyMode: true,
    });
  });

  it('The API does not accept the key as a password outside of the queue page', async () => {
    expect((await fetch(`${stack.url}/v1/tools`, { headers: basic })).status).toBe(401);
  });

  it('The queue page shows no secret of a callback', async () => {
    const { body } = await client.post(
      '/v1/invocations',
      {
        toolId: 'core:echo',
        arguments: { value: 1 },
        callback: { url: 'http://127.0.0.1:9/hook', secret: SECRET },
        options: { delayMs: 3_600_000 },
      },
      AUTHORIZED,
    );
    const id = body.id.replace('inv_', 'msg_');
    const read = async (path: string) =>
      JSON.stringify((await client.get(`/admin/queues/api/queues${path}`, basic)).body);
    const shown: string[] = [];
    for (const name of (await queueNames()).map(encodeURIComponent)) {
      for (const path of [id, `${id}/logs`, body.id])
        expect(await read(`/${name}/${path}`)).not.toContain(SECRET.slice(6));
      if (name.endsWith('deliveries')) shown.push(await read(`?activeQueue=${name}&status=waiting-children`));
    }
    expect(shown.join()).toContain('http://127.0.0.1:9/hook');
    expect(shown.join()).not.toContain(SECRET.slice(6));
  });
});
