import type { Batch, Invocation } from '@errand/contracts';
import { RetentionCleaner } from '@errand/queue';
import { Client } from '../../../test/support/client.js';
import { eventually } from '../../../test/support/eventually.js';
import { useStack } from '../../../test/support/start-stack.js';

type Item = Invocation & { code?: string };
interface Answer {
  id: string;
  items: Item[];
  code?: string;
  detail?: string;
}

const KEYS = { acme: 'acme-key-of-some-length', corp: 'corp-key-of-some-length', operator: 'key-of-the-operator' };
const as = (key: string) => ({ authorization: `Bearer ${key}` });
const [ACME, CORP, OPERATOR] = [as(KEYS.acme), as(KEYS.corp), as(KEYS.operator)];

const stack = useStack(
  { env: { ERRAND_API_KEYS: `${KEYS.operator} acme:${KEYS.acme} corp:${KEYS.corp}` } },
  { each: true },
);
const { client } = stack;

const echo = (value: unknown, more: object = {}) => ({ toolId: 'core:echo', arguments: { value }, ...more });
const later = { options: { delayMs: 3_600_000 } };
const fails = { toolId: 'core:math', arguments: { op: 'divide', a: 1, b: 0 } };
const waits = { toolId: 'core:external', arguments: { prompt: 'Yes?' } };
const send = (items: unknown[], headers: Record<string, string> = {}) =>
  client.post<Answer>('/v1/invocations/batch', { items }, { ...ACME, ...headers });
const read = (id: string, headers: Record<string, string> = {}, query = '') =>
  client.get<Batch & { code?: string; detail?: string }>(`/v1/batches/${id}${query}`, { ...ACME, ...headers });
const cancel = (id: string) => client.post(`/v1/invocations/${id}/cancel`, '', ACME);
const NONE = {
  queued: 0,
  running: 0,
  waiting_external: 0,
  succeeded: 0,
  failed: 0,
  cancelled: 0,
  refused: 0,
  no_action: 0,
  removed: 0,
};

describe('A batch', () => {
  it('A batch counts its items by status, and the sum is the number of items', async () => {
    const { status, body, headers } = await send([
      echo(1),
      echo(2, later),
      fails,
      waits,
      { toolId: 'core:ecco', arguments: {} },
      { text: 'Nothing to do.' },
      echo(3, later),
    ]);
    expect([status, body.id, headers.get('location')]).toEqual([
      200,
      expect.stringMatching(/^bat_/),
      `/v1/batches/${body.id}`,
    ]);
    expect((await read(body.id)).body).toEqual({
      id: body.id,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      counts: { ...NONE, queued: 5, refused: 1, no_action: 1 },
      links: { self: `/v1/batches/${body.id}`, invocations: `/v1/invocations?batch=${body.id}` },
    });
    await cancel(body.items[6]!.id);
    await stack.start('worker');
    const settled = {
      ...NONE,
      queued: 1,
      waiting_external: 1,
      succeeded: 1,
      failed: 1,
      cancelled: 1,
      refused: 1,
      no_action: 1,
    };
    await eventually(async () => (await read(body.id)).body.counts.waiting_external === 1, 'the external call waits');
    await eventually(async () => (await read(body.id)).body.counts.failed === 1, 'the failing call has failed');
    await eventually(async () => (await read(body.id)).body.counts.succeeded === 1, 'the echo has succeeded');
    expect((await read(body.id)).body.counts).toEqual(settled);
    // Each count agrees with the invocations themselves.
    const statuses = await Promise.all(
      body.items.flatMap(({ id }) => (id ? [client.get<Invocation>(`/v1/invocations/${id}`, ACME)] : [])),
    );
    expect(statuses.map((one) => one.body.status).toSorted()).toEqual([
      'cancelled',
      'failed',
      'queued',
      'succeeded',
      'waiting_external',
    ]);
  });

  it('A batch of another tenant is unknown, and the operator sees it with its tenant', async () => {
    const { body } = await send([echo(1)]);
    const [foreign, unknown] = [await read(body.id, CORP), await read(`bat_${'0'.repeat(39)}`)];
    for (const [answer, id] of [
      [foreign, body.id],
      [unknown, `bat_${'0'.repeat(39)}`],
    ] as const)
      expect(answer).toMatchObject({
        status: 404,
        body: { code: 'not_found', detail: expect.stringContaining(`no batch ${id}`) },
      });
    expect((await read('inv_nonsense')).status).toBe(404);
    expect((await read(body.id, { ...OPERATOR, 'x-errand-tenant': 'corp' })).status).toBe(404);
    expect((await read(body.id, OPERATOR)).body).toMatchObject({ tenant: 'acme', counts: { queued: 1 } });
    expect((await read(body.id)).body).not.toHaveProperty('tenant');
  });

  it('The same idempotency key returns the same batch, also from many requests at once', async () => {
    const items = [echo('a'), echo('b', { idempotencyKey: 'own' }), {}];
    const key = { 'idempotency-key': 'the-batch' };
    const answers = await Promise.all(Array.from({ length: 10 }, () => send(items, key)));
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    const [{ body }] = answers as [(typeof answers)[0]];
    expect((await read(body.id)).body.counts).toEqual({ ...NONE, queued: 2, refused: 1 });
    expect((await send([echo('other')], key)).status).toBe(409);
    // The claim of the key is shorter than the life of an open invocation, which knows its batch.
    const { redis } = await stack.openQueues();
    for (const name of await redis.keys('{errand}:idempotency:acme:*'))
      if ((await redis.get(name))!.includes(body.id)) await redis.del(name);
    expect((await send(items, key)).body.id).toBe(body.id);
    expect((await send(items)).body.id).not.toBe(body.id);
  });

  it('An invocation of an earlier request counts in each batch that names its key', async () => {
    const single = await client.post('/v1/invocations', echo(1), { ...ACME, 'idempotency-key': 'k' });
    const { body } = await send([
      echo(1, { idempotencyKey: 'k' }),
      echo(2),
      echo(2, { idempotencyKey: 'twice' }),
      echo(2, { idempotencyKey: 'twice' }),
    ]);
    expect(body.items[0]!.id).toBe(single.body.id);
    expect((await read(body.id)).body.counts).toEqual({ ...NONE, queued: 3 });
    await cancel(single.body.id);
    expect((await read(body.id)).body.counts).toEqual({ ...NONE, queued: 2, cancelled: 1 });
  });

  it('The list of a batch has the invocations that it made, and no others', async () => {
    await client.post('/v1/invocations', echo(0), ACME);
    const { body } = await send([echo(1), {}, echo(2), echo(3, later)]);
    await send([echo(4)]);
    const list = async (headers: Record<string, string>) => {
      const { items } = (await client.get<{ items: Item[] }>(`/v1/invocations?batch=${body.id}&fields=steps`, headers))
        .body;
      return items.map((item) => item.steps[0]!.arguments['value']);
    };
    expect(await list(ACME)).toEqual([3, 2, 1]);
    expect(await list(CORP)).toEqual([]);
    expect(await list({ ...OPERATOR, 'x-errand-tenant': 'acme' })).toEqual([3, 2, 1]);
  });

  it('A batch that no queue has room for is refused as a whole, and its key enqueues it later', async () => {
    const small = new Client(await stack.startApi({ ERRAND_QUEUE_BOUND: '2', ERRAND_DELAYED_BOUND: '1' }));
    const post = (items: unknown[]) =>
      small.post<Answer>('/v1/invocations/batch', { items }, { ...ACME, 'idempotency-key': 'full' });
    const first = await small.post('/v1/invocations', echo(1), ACME);
    const partly = await small.post<Answer>('/v1/invocations/batch', { items: [echo(2), echo(3)] }, ACME);
    expect(partly.body.items.map((item) => item.code ?? item.status)).toEqual(['queued', 'queue_full']);
    expect((await read(partly.body.id)).body.counts).toEqual({ ...NONE, queued: 1, refused: 1 });
    const refused = await post([echo(4), {}]);
    expect(refused).toMatchObject({
      status: 429,
      body: { code: 'queue_full', detail: expect.stringContaining('ERRAND_QUEUE_BOUND') },
    });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    await cancel(first.body.id);
    expect(await post([echo(4), {}])).toMatchObject({
      status: 200,
      body: { items: [{ status: 'queued' }, { code: 'invalid_request' }] },
    });
    // Delayed work has another bound.
    const delayed = await small.post<Answer>(
      '/v1/invocations/batch',
      { items: [echo(5, later), echo(6, later)] },
      ACME,
    );
    expect(delayed.body.items[1]).toMatchObject({
      code: 'queue_full',
      detail: expect.stringContaining('ERRAND_DELAYED_BOUND'),
    });
  });

  it('Retention does not change the counts of a batch, and the batch follows its last invocation', async () => {
    await stack.start('worker');
    const { body } = await send([echo(1), fails, echo(2, later)], { prefer: 'wait=1' });
    await cancel(body.items[2]!.id);
    const counts = { ...NONE, succeeded: 1, failed: 1, cancelled: 1 };
    expect((await read(body.id, {}, '?wait=60')).body.counts).toEqual(counts);
    const queues = await stack.openQueues();
    const cleaner = new RetentionCleaner(queues, (error) => {
      throw error;
    });
    expect(await queues.redis.ttl(`{errand}:batch:${body.id}`)).toBeGreaterThan(30 * 86_400);
    expect(await cleaner.sweep(Date.now() + 3_700_000)).toBe(3);
    expect((await read(body.id)).body.counts).toEqual(counts);
    const ttl = await queues.redis.ttl(`{errand}:batch:${body.id}`);
    expect(ttl).toBeGreaterThan(0);
    expect(ttl).toBeLessThanOrEqual(3_600);
  });
});

describe('Prefer: wait for a batch', () => {
  it('A submission and a read wait until all invocations have ended', async () => {
    await stack.start('worker');
    const slow = { toolId: 'core:delay', arguments: { ms: 300, value: 'slow' } };
    const { body, headers } = await send([slow, echo('quick'), {}, { text: 'No call.' }], { prefer: 'wait=60' });
    expect(headers.get('preference-applied')).toBe('wait=60');
    expect(body.items.map((item) => item.result ?? item.code ?? item.status)).toEqual([
      'slow',
      'quick',
      'invalid_request',
      'no_action',
    ]);
    const second = await send([slow, slow]);
    expect(second.body.items.map(({ status }) => status)).toEqual(['queued', 'queued']);
    const ended = await read(second.body.id, { prefer: 'wait=60' });
    expect(ended.body.counts).toEqual({ ...NONE, succeeded: 2 });
    expect(ended.headers.get('preference-applied')).toBe('wait=60');
  });

  it('A wait of a batch without open invocations responds at once, and a wait ends at its time', async () => {
    const { body: refused } = await send([{}], { prefer: 'wait=60' });
    expect((await read(refused.id, {}, '?wait=60')).body.counts).toEqual({ ...NONE, refused: 1 });
    const { body } = await send([echo(1), echo(2)], { prefer: 'wait=0.2' });
    expect(body.items.map(({ status }) => status)).toEqual(['queued', 'queued']);
    expect((await read(body.id, {}, '?wait=0.2')).body.counts).toEqual({ ...NONE, queued: 2 });
    expect((await send([echo(1)], { prefer: 'wait=soon' })).status).toBe(400);
  });

  it('A wait sees the ends that come from cancel requests, while it waits for 200 invocations', async () => {
    const { body } = await send(Array.from({ length: 200 }, (_, n) => echo(n, later)));
    const waiting = read(body.id, {}, '?wait=60');
    await Promise.all(body.items.map(({ id }) => cancel(id)));
    expect((await waiting).body.counts).toEqual({ ...NONE, cancelled: 200 });
  });
});
