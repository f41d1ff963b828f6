import type { BulkAction, BulkDryRun, Delivery } from '@errand/contracts';
import { startApi } from '../apps/api/src/start.js';
import { Client, type Problem } from './support/client.js';
import { eventually } from './support/eventually.js';
import { useStack } from './support/start-stack.js';
import { WebhookReceiver } from './support/webhook-receiver.js';

const KEYS = { operator: 'key-of-the-operator', acme: 'acme-key-of-some-length', corp: 'corp-key-of-some-length' };
const as = (key: string) => ({ authorization: `Bearer ${key}` });

const stack = useStack({
  with: ['worker'],
  env: {
    ERRAND_API_KEYS: `${KEYS.operator} acme:${KEYS.acme} corp:${KEYS.corp}`,
    ERRAND_CALLBACK_ALLOW: '127.0.0.1',
    ERRAND_CALLBACK_BACKOFF: '0',
  },
});
const client = new Client(() => stack.url, as(KEYS.acme));
const corp = new Client(() => stack.url, as(KEYS.corp));

const LATER = { toolId: 'core:echo', arguments: { value: 1 }, options: { delayMs: 86_400_000 } };
const BROKEN = { toolId: 'core:math', arguments: { op: 'divide', a: 1, b: 0 } };

type Answered = BulkDryRun & BulkAction & Problem;
const bulk = (body: object, by = client) => by.post<Answered>('/v1/bulk', body);
const dryRun = async (action: string, wanted: object, by = client): Promise<BulkDryRun> => {
  const { status, body } = await bulk({ action, ...wanted, dryRun: true }, by);
  expect([status, body]).toEqual([200, expect.objectContaining({ token: expect.any(String) })]);
  return body;
};
const untilEnded = (id: string, by = client): Promise<BulkAction> =>
  eventually(async () => {
    const { body } = await by.get<BulkAction>(`/v1/bulk/${id}`);
    return body.state !== 'running' && body;
  }, `the bulk action ${id} has ended`);
const begin = async (token: string, by = client): Promise<string> => {
  const { status, body } = await bulk({ token, name: 'a test' }, by);
  expect([status, body]).toEqual([202, expect.objectContaining({ state: expect.any(String) })]);
  return body.id;
};
const statusesOf = (ids: readonly string[]) => Promise.all(ids.map(async (id) => (await client.read(id)).status));

/** Submits many invocations of a session that wait. */
async function submitMany(count: number, session: string, by = client): Promise<string[]> {
  return Promise.all(Array.from({ length: count }, () => by.submit({ ...LATER, session })));
}

async function submitBatch(count: number, session: string): Promise<void> {
  const items = Array.from({ length: count }, () => ({ ...LATER, session }));
  expect((await client.post<object>('/v1/invocations/batch', { items })).status).toBe(200);
}

describe('A bulk action', () => {
  it('A cancel by filter touches what its dry run has found, and nothing that was accepted later', async () => {
    const ids = await submitMany(130, 'a');
    const [other = '', foreign = ''] = [...(await submitMany(1, 'b')), ...(await submitMany(1, 'a', corp))];
    const found = await dryRun('cancel', { filter: { session: 'a' } });
    expect(found).toMatchObject({ matched: 130, byStatus: { queued: 130 }, asOf: expect.any(String) });
    expect(found.sample).toHaveLength(10);
    expect(found.sample[0]).toMatchObject({ status: 'queued', toolIds: ['core:echo'], steps: { total: 1, done: 0 } });
    await eventually(() => Date.now() > Date.parse(found.asOf), 'the moment of the dry run is over');
    const [late = ''] = await submitMany(1, 'a');
    const second = new Client(await stack.startApi(), as(KEYS.acme));
    const ended = await untilEnded(await begin(found.token, second));
    expect(ended).toMatchObject({
      action: 'cancel',
      filter: { session: 'a' },
      name: 'a test',
      asOf: found.asOf,
      state: 'done',
      matched: 130,
      done: 130,
      skipped: 0,
      failed: [],
      by: expect.stringMatching(/^key:/),
    });
    expect(new Set(await statusesOf(ids))).toEqual(new Set(['cancelled']));
    expect(await statusesOf([other, late])).toEqual(['queued', 'queued']);
    expect((await corp.read(foreign)).status).toBe('queued');
    expect(await bulk({ token: found.token })).toMatchObject({ status: 409, body: { code: 'conflict' } });
  });

  it('An action goes on in another process when the one that has begun it ends', async () => {
    await submitMany(450, 'moves');
    const { token } = await dryRun('cancel', { filter: { session: 'moves' } });
    const first = await startApi({ ...stack.env, ERRAND_LOG_LEVEL: 'fatal', ERRAND_PORT: '0' });
    const id = await begin(token, new Client(first.url, as(KEYS.acme)));
    await first.close();
    expect(await untilEnded(id)).toMatchObject({ state: 'done', matched: 450, done: 450, skipped: 0, failedCount: 0 });
  });

  it('Actions over a kill of the process that carries them out deal with each invocation once, and end', async () => {
    await submitBatch(600, 'killed');
    await submitBatch(600, 'again');
    await untilEnded(await begin((await dryRun('cancel', { filter: { session: 'again' } })).token));
    const child = await stack.processes.start('api', { ERRAND_PORT: '0' });
    const [, url = ''] = /"url":"([^"]+)"/.exec(stack.processes.wordsOf(child)) ?? [];
    const doomed = new Client(url, as(KEYS.acme));
    const tokens = [
      (await dryRun('cancel', { filter: { session: 'killed' } })).token,
      (await dryRun('retry', { filter: { session: 'again', status: 'cancelled' } })).token,
    ];
    const [cancels = '', retries = ''] = await Promise.all(tokens.map((token) => begin(token, doomed)));
    const read = async (id: string) => (await client.get<BulkAction>(`/v1/bulk/${id}`)).body;
    await eventually(async () => (await read(retries)).done > 0, 'a part is done');
    await stack.processes.end(child);
    const cancelled = await untilEnded(cancels);
    expect(cancelled).toMatchObject({ state: 'done', matched: 600, done: 600, skipped: 0, failed: [] });
    expect(await untilEnded(retries)).toMatchObject({ state: 'done', matched: 600, done: 600, failed: [] });
    const { body } = await client.get<{ items: { retryOf: string | null; status: string; session: string }[] }>(
      '/v1/invocations?session=killed&view=row&limit=1000',
    );
    expect([body.items.length, new Set(body.items.map(({ status }) => status))]).toEqual([600, new Set(['cancelled'])]);
    const repairs = await client.get<{ items: { retryOf: string }[] }>(
      '/v1/invocations?session=again&status=queued,running,succeeded&view=row&limit=1000',
    );
    expect([repairs.body.items.length, new Set(repairs.body.items.map(({ retryOf }) => retryOf)).size]).toEqual([
      600, 600,
    ]);
  });

  it('A retry of ids makes one repair of each that had failed, also if a part is done again', async () => {
    const failed = await Promise.all([1, 2, 3].map(async () => (await client.invoke({ ...BROKEN, session: 'r' })).id));
    const { id: good } = await client.invoke({ toolId: 'core:echo', arguments: { value: 1 } });
    const { token, matched, byStatus } = await dryRun('retry', { ids: [...failed, good] });
    expect([matched, byStatus]).toEqual([3, { failed: 3 }]);
    expect(await untilEnded(await begin(token))).toMatchObject({ state: 'done', filter: null, done: 3, skipped: 0 });
    const repairs = async () => {
      const list = await client.get<{ items: { retryOf: string | null }[] }>(
        '/v1/invocations?session=r&view=row&limit=100',
      );
      return list.body.items.flatMap(({ retryOf }) => retryOf ?? []);
    };
    expect((await repairs()).toSorted()).toEqual(failed.toSorted());
  });

  it('A redelivery reaches the receivers of dead callbacks that match', async () => {
    let isUp = false;
    const receiver = await WebhookReceiver.start((_, response) => response.writeHead(isUp ? 200 : 500).end());
    stack.keep({ close: () => receiver.stop() });
    const deliveries = async (query: string) =>
      (await client.get<{ items: (Delivery & { invocationId: string })[] }>(`/v1/deliveries${query}`)).body.items;
    const echo = { toolId: 'core:echo', arguments: { value: 1 }, callback: { url: receiver.url } };
    const [dead, kept] = [
      await client.submit({ ...echo, session: 'd' }),
      await client.submit({ ...echo, session: 'e' }),
    ];
    await eventually(async () => (await deliveries('?status=failed')).length === 2, 'both deliveries have failed');
    isUp = true;
    const { token, matched, sample } = await dryRun('redeliver', { filter: { session: 'd' } });
    expect([matched, sample.map(({ id }) => id)]).toEqual([1, [dead]]);
    expect(await untilEnded(await begin(token))).toMatchObject({ state: 'done', done: 1, failed: [] });
    await eventually(async () => (await deliveries('?status=delivered')).length === 1, 'the callback is delivered');
    expect((await deliveries('?status=failed')).map(({ invocationId }) => invocationId)).toEqual([kept]);
    expect((await dryRun('redeliver', { ids: [dead, kept] })).matched).toBe(1);
  });

  it('An action that nothing matches is done at once, and can be aborted again and again', async () => {
    const { token, matched, sample } = await dryRun('cancel', { filter: { session: 'nobody' } });
    expect([matched, sample]).toEqual([0, []]);
    const id = await begin(token);
    await untilEnded(id);
    const { status, body } = await client.post<BulkAction>(`/v1/bulk/${id}/abort`, '');
    expect([status, body.state]).toEqual([200, 'done']);
  });

  it('Another tenant neither begins, reads nor aborts it', async () => {
    await submitMany(1, 't');
    const { token } = await dryRun('cancel', { filter: { session: 't' } });
    expect(await bulk({ token }, corp)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    const id = await begin(token);
    expect((await corp.get(`/v1/bulk/${id}`)).status).toBe(404);
    expect((await corp.post(`/v1/bulk/${id}/abort`, '')).status).toBe(404);
    expect((await corp.get<{ items: object[] }>('/v1/bulk')).body.items).toEqual([]);
    const operator = new Client(stack.url, { ...as(KEYS.operator), 'x-errand-tenant': 'acme' });
    expect((await operator.get<BulkAction>(`/v1/bulk/${id}`)).body.id).toBe(id);
    const whole = new Client(stack.url, as(KEYS.operator));
    expect((await whole.get<{ items: BulkAction[] }>('/v1/bulk?tenant=acme&limit=1')).body.items[0]?.id).toBe(id);
    const lists = ['bulk', 'deliveries', 'effects', 'processes', 'queues', 'search?q=x', 'stats?metric=ended'];
    for (const list of lists) {
      const path = `/v1/${list}${list.includes('?') ? '&' : '?'}tenant=acme`;
      const answers = await Promise.all([whole, client, corp].map((by) => by.get(path)));
      expect([path, ...answers.map(({ status }) => status)]).toEqual([path, 200, 200, 403]);
    }
    const pages = await client.get<{ items: BulkAction[]; nextCursor: string }>('/v1/bulk?limit=1');
    expect(pages.body.items.map((each) => each.id)).toEqual([id]);
    const next = await client.get<{ items: BulkAction[] }>(`/v1/bulk?limit=1&cursor=${pages.body.nextCursor}`);
    expect(next.body.items).toHaveLength(1);
    expect(next.body.items[0]?.id).not.toBe(id);
  });

  it.each<[string, object, string]>([
    ['an action without a dry run', { action: 'cancel', filter: {} }, 'needs a dry run'],
    ['a dry run that is false', { action: 'cancel', filter: {}, dryRun: false }, 'needs a dry run'],
    ['an unknown action', { action: 'delete', filter: {}, dryRun: true }, 'action'],
    ['an unknown filter', { action: 'cancel', filter: { __proto__x: '1' }, dryRun: true }, 'Unknown filter'],
    ['a malformed id', { action: 'cancel', ids: ['x'], dryRun: true }, 'ids'],
    ['no ids', { action: 'cancel', ids: [], dryRun: true }, 'ids'],
  ])('A request with %s is refused', async (_, body, reason) => {
    const { status, body: problem } = await bulk(body);
    expect([status, problem.code, problem.detail]).toEqual([400, 'invalid_request', expect.stringContaining(reason)]);
  });
});
