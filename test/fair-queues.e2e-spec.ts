import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from './support/eventually.js';
import { useStack } from './support/start-stack.js';

const KEYS = { flood: 'flood-key-of-some-length', light: 'light-key-of-some-length', operator: 'key-of-the-operator' };
const as = (key: string) => ({ authorization: `Bearer ${key}` });
const [FLOOD, LIGHT, OPERATOR] = [as(KEYS.flood), as(KEYS.light), as(KEYS.operator)];

const stack = useStack({
  with: ['worker'],
  env: {
    ERRAND_API_KEYS: `${KEYS.operator} flood:${KEYS.flood} light:${KEYS.light}`,
    ERRAND_WORKER_CONCURRENCY: '2',
  },
});
const { client } = stack;

const DELAY = { toolId: 'core:delay', arguments: { ms: 60 } };
const floodOf = (count: number, headers: Record<string, string>, options = {}) =>
  client.post(
    '/v1/invocations/batch',
    { items: Array.from({ length: count }, () => ({ ...DELAY, options })) },
    headers,
  );

async function patch(path: string, body: unknown, headers: Record<string, string>) {
  const response = await fetch(stack.url + path, {
    method: 'PATCH',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

interface Shown {
  waiting: number;
  active: number;
  slots: number;
  tenants: { tenant: string; waiting: number; active: number; share: number }[];
}
const queue = async (headers: Record<string, string>) =>
  (await client.get<Shown>('/v1/queues/invocations', headers)).body;

describe('Tenants that share the slots of the workers', () => {
  it('A light tenant is served while another has hundreds of jobs waiting, and each sees its own work', async () => {
    await floodOf(300, FLOOD);
    const { body } = await client.post('/v1/invocations', DELAY, { prefer: 'wait=60', ...LIGHT });
    expect(body).toMatchObject({ status: 'succeeded' });
    const [all, own, foreign] = [await queue(OPERATOR), await queue(FLOOD), await queue(LIGHT)];
    expect(all.waiting).toBeGreaterThan(200);
    expect(all.slots).toBe(2);
    expect(own.tenants).toMatchObject([{ tenant: 'flood', share: 1 }]);
    expect(foreign).toMatchObject({ waiting: 0, active: 0, tenants: [] });
    const { body: listed } = await client.get<{ items: { name: string }[] }>('/v1/queues', OPERATOR);
    expect(listed.items.map(({ name }) => name)).toEqual(['invocations', 'scripts', 'deliveries']);
  });

  it('The place of a waiting invocation does not count the flood of another tenant', async () => {
    const pausing = async (to: 'pause' | 'resume') =>
      expect(await client.post(`/v1/queues/invocations/${to}`, {}, OPERATOR)).toMatchObject({ status: 200 });
    await pausing('pause');
    await floodOf(300, FLOOD);
    const { body } = await client.post('/v1/invocations', { ...DELAY, options: { fairnessKey: 'user-1' } }, LIGHT);
    const read = async () =>
      (
        await client.get<{ status: string; queue?: { position: number | null; ahead: number | null } }>(
          `/v1/invocations/${body.id}`,
          LIGHT,
        )
      ).body;
    const { queue: place } = await read();
    await pausing('resume');
    // The flood may have its turn before it, once.
    expect(place?.ahead).toBeLessThanOrEqual(2);
    expect(place?.position).toBe((place?.ahead ?? 0) + 1);
    await eventually(async () => (await read()).status === 'succeeded');
    expect((await queue(OPERATOR)).waiting).toBeGreaterThan(200);
  });
});

describe('What the operator sets for a tenant', () => {
  it('The operator reads and sets the weight of a tenant, and nobody else does', async () => {
    expect((await client.get('/v1/tenants/light', OPERATOR)).body).toEqual({ id: 'light', weight: 1 });
    expect(await patch('/v1/tenants/light', { weight: 2.5 }, OPERATOR)).toEqual({
      status: 200,
      body: { id: 'light', weight: 2.5 },
    });
    expect((await client.get('/v1/tenants/light', OPERATOR)).body).toEqual({ id: 'light', weight: 2.5 });
    expect(await patch('/v1/tenants/light', { weight: 9 }, LIGHT)).toMatchObject({ status: 403 });
    expect((await client.get('/v1/tenants/light', LIGHT)).status).toBe(403);
  });

  it.each([
    [{ weight: 0.001 }, 'weight must not be less than 0.01'],
    [{ weight: 1_001 }, 'weight must not be greater than 1000'],
    [{ weight: '2' }, 'weight must be a number'],
    [{ wieght: 2 }, "did you mean 'weight'?"],
    [{}, 'weight'],
  ])('A wrong change of a tenant, %j, says what is wrong', async (body, message) => {
    const refused = await patch('/v1/tenants/light', body, OPERATOR);
    expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    expect(refused.body.detail).toContain(message);
  });

  it.each([
    ['cursor=nonsense', 'cursor must be a nextCursor'],
    ['cursor=18446744073709551616', 'cursor must be a nextCursor'],
    ['limit=0', 'limit must be from 1 to 1000, not 0'],
    ['limit=1001', 'limit must be from 1 to 1000, not 1001'],
    ['limit=-1', 'limit must be a whole number'],
    ['curser=0', "did you mean 'cursor'?"],
  ])('A wrong page of the tenants of a queue, %s, says what is wrong', async (query, message) => {
    const refused = await client.get<{ code: string; detail: string }>(`/v1/queues/invocations?${query}`, OPERATOR);
    expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    expect(refused.body.detail).toContain(message);
  });

  it('A forged cursor of the right form shows no tenant to another one', async () => {
    const { status, body } = await client.get<Shown>('/v1/queues/invocations?cursor=12345&limit=5', LIGHT);
    expect(status).toBe(200);
    expect(body.tenants.filter(({ tenant }) => tenant !== 'light')).toEqual([]);
  });

  it('An unknown queue and a name that no tenant has are not found, with the nearest queue', async () => {
    const { status, body } = await client.get<{ detail: string }>('/v1/queues/invocation', OPERATOR);
    expect([status, body.detail]).toEqual([404, expect.stringContaining("did you mean 'invocations'?")]);
    expect((await client.get('/v1/tenants/No%20Tenant', OPERATOR)).status).toBe(404);
    const long = { ...DELAY, options: { fairnessKey: 'k'.repeat(65) } };
    expect((await client.post('/v1/invocations', long, LIGHT)).status).toBe(400);
  });
});

it('`./errand doctor --queues` corrects the count of waiting jobs', async () => {
  await floodOf(200, FLOOD);
  const run = promisify(execFile)(process.execPath, [join(__dirname, '../errand'), 'doctor', '--queues'], {
    env: { ...process.env, ...stack.env },
  });
  const { stdout, stderr } = await run;
  expect(stdout + stderr).toMatch(/invocations\s+\d+ waiting in lanes/);
  expect(stdout + stderr).toMatch(/deliveries\s+0 waiting in lanes, nothing to correct/);
});
