import { connect } from 'node:net';
import type { Invocation } from '@errand/contracts';
import type { Queues } from '@errand/queue';
import { eventually } from '../../../test/support/eventually.js';
import { useStack } from '../../../test/support/start-stack.js';

type Item = Invocation & { code?: string; status: number | string; detail?: string };

const stack = useStack();
const { client } = stack;
let queues: Queues;

beforeAll(async () => {
  queues = await stack.openQueues();
});

const echo = (value: unknown, more: object = {}) => ({ toolId: 'core:echo', arguments: { value }, ...more });
const send = (items: unknown[], headers: Record<string, string> = {}) =>
  client.post<{ id: string; items: Item[]; code?: string }>('/v1/invocations/batch', { items }, headers);
const idsOf = (items: readonly Item[]) => items.map(({ id }) => id);
const jobs = () => queues.byName.invocations.getJobCounts('waiting', 'prioritized', 'delayed');
const waiting = async () => (await jobs())['waiting']!;

describe('POST /v1/invocations/batch', () => {
  it('A parameter that a changing request does not have is refused, and nothing is done', async () => {
    const before = await waiting();
    const { body } = await client.post('/v1/invocations', { ...echo(1), options: { delayMs: 600_000 } });
    for (const path of ['batch', `${body.id}/cancel`, `${body.id}/retry`]) {
      const given = path === 'batch' ? { items: [echo(1)] } : {};
      const refused = await client.post<{ detail: string }>(`/v1/invocations/${path}?dryRun=true`, given);
      expect([refused.status, refused.body.detail]).toEqual([400, expect.stringContaining("'dryRun'")]);
    }
    expect(await waiting()).toBe(before);
    expect((await client.get(`/v1/invocations/${body.id}`)).body.status).toBe('queued');
  });

  it('The items of a batch are accepted or refused one by one, in order', async () => {
    const before = await waiting();
    const { status, body } = await send([
      echo(1),
      { toolId: 'core:ecco', arguments: {} },
      { text: '<ACTION><core:echo><value>two</value></core:echo></ACTION>' },
      echo(3, { options: { attemps: 2 } }),
      { text: 'Nothing to do.' },
      'no object',
      echo(4, { callback: { url: 'http://169.254.169.254/' } }),
      echo(5, { agent: 'nobody' }),
      echo(6),
    ]);
    expect(status).toBe(200);
    expect(body.items.map((item) => item.code ?? item.status)).toEqual([
      'queued',
      'unknown_tool',
      'queued',
      'invalid_request',
      'no_action',
      'invalid_request',
      'unsupported_callback_url',
      expect.any(String),
      'queued',
    ]);
    expect(body.items[3]!.detail).toContain("did you mean 'attempts'");
    expect(body.items[5]!.detail).toMatch(/^An item must be a JSON object/);
    expect(body.items.map(({ steps }) => steps?.[0]?.arguments['value'])).toEqual([
      1,
      undefined,
      'two',
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
      6,
    ]);
    expect((await waiting()) - before).toBe(3);
  });

  it('A batch of 1,000 items takes 11 script runs in Redis, and a batch of 10 items takes two', async () => {
    await send([echo('the definition is stored')]);
    const sendMany = (count: number) => roundTrips(() => send(Array.from({ length: count }, (_, n) => echo(n))));
    const many = await sendMany(1_000);
    expect(many.value.body.items.every(({ status }) => status === 'queued')).toBe(true);
    expect(new Set(idsOf(many.value.body.items)).size).toBe(1_000);
    // Script runs of 100 items each are pipelined: they do not wait for each other. The last one stores the batch.
    expect(many.steps).toBe(11);
    expect((await sendMany(10)).steps).toBe(2);
    expect(many.value.status).toBe(200);
  });

  it.each<[string, unknown]>([
    ['a batch without items', {}],
    ['a batch with an empty list', { items: [] }],
    ['a batch with more than 1,000 items', { items: Array.from({ length: 1_001 }, () => ({})) }],
    ['a batch with an unknown field', { items: [echo(1)], options: {} }],
  ])('The API refuses %s', async (_what, body) => {
    expect(await client.post('/v1/invocations/batch', body)).toMatchObject({
      status: 400,
      body: { code: 'invalid_request' },
    });
  });

  it('A batch with the same idempotency key and body returns the same invocations, and another body is refused', async () => {
    const before = await waiting();
    const key = { 'idempotency-key': 'batch-1' };
    const answers = await Promise.all(Array.from({ length: 10 }, () => send([echo('a'), echo('b'), {}], key)));
    const ids = answers.map(({ body }) => idsOf(body.items).slice(0, 2).join());
    expect(new Set(ids).size).toBe(1);
    expect((await waiting()) - before).toBe(2);
    expect(await send([echo('a'), echo('c'), {}], key)).toMatchObject({ status: 409, body: { code: 'conflict' } });
  });

  it('The idempotency keys of batch items are those of single submissions', async () => {
    const before = await waiting();
    const single = await client.post('/v1/invocations', echo('once'), { 'idempotency-key': 'k1' });
    const { body } = await send([
      echo('once', { idempotencyKey: 'k1' }),
      echo('other', { idempotencyKey: 'k1' }),
      echo('twice', { idempotencyKey: 'k2' }),
      echo('twice', { idempotencyKey: 'k2' }),
      echo('no', { idempotencyKey: 'with blank' }),
    ]);
    const [once, other, one, two, bad] = body.items as [Item, Item, Item, Item, Item];
    expect(once.id).toBe(single.body.id);
    expect(other).toMatchObject({ code: 'conflict' });
    expect(one.id).toBe(two.id);
    expect(bad).toMatchObject({ code: 'invalid_request' });
    expect((await waiting()) - before).toBe(2);
  });
});

describe('An Idempotency-Key', () => {
  it('Concurrent requests with the same idempotency key create one invocation', async () => {
    const before = await waiting();
    const KEYS = 20;
    // On a busy machine, Redis may need too long for all of them: 503. A client then sends its request again.
    const post = (n: number) =>
      eventually(async () => {
        const answer = await client.post('/v1/invocations', echo(n), { 'idempotency-key': `many-${n}` });
        return answer.status !== 503 && answer;
      });
    const posts = Array.from({ length: KEYS }, (_, n) => Array.from({ length: 20 }, () => post(n)));
    const answers = await Promise.all(posts.map((same) => Promise.all(same)));
    for (const same of answers) {
      expect(new Set(same.map(({ status }) => status))).toEqual(new Set([202]));
      expect(new Set(same.map(({ body }) => body.id)).size).toBe(1);
    }
    expect((await waiting()) - before).toBe(KEYS);
  });

  it('A retry with the same idempotency key enqueues the job if the first request died before that', async () => {
    const body = echo('claimed');
    const first = await client.post('/v1/invocations', body, { 'idempotency-key': 'dead' });
    // The state after the idempotency claim was written and before the job was enqueued.
    await queues.byName.invocations.remove(first.body.id);
    const [key] = (await keysOf('idempotency')).filter((name) => stands.get(name)?.includes(first.body.id));
    await queues.redis.set(key!, stands.get(key!)!.replace(' enqueued', ''), 'EX', 60);
    const second = await client.post('/v1/invocations', body, { 'idempotency-key': 'dead' });
    expect(second).toMatchObject({ status: 202, body: { id: first.body.id, status: 'queued' } });
    expect(await queues.byName.invocations.getJob(first.body.id)).toBeDefined();
  });

  it('A retry with the same idempotency key does not run a removed invocation again', async () => {
    const first = await client.post('/v1/invocations', echo('gone'), { 'idempotency-key': 'gone' });
    await queues.byName.invocations.remove(first.body.id);
    const second = await client.post<{ detail: string }>('/v1/invocations', echo('gone'), {
      'idempotency-key': 'gone',
    });
    expect(second).toMatchObject({ status: 409, body: { detail: expect.stringContaining(first.body.id) } });
  });
});

const stands = new Map<string, string>();

/** The names of the keys of a kind. Their values are then in `stands`. */
async function keysOf(kind: string): Promise<string[]> {
  const names = await queues.redis.keys(`{errand}:${kind}:*`);
  for (const name of names) stands.set(name, (await queues.redis.get(name))!);
  return names;
}

/** The response to a batch, and the number of scripts with its invocations or its id that Redis ran meanwhile. */
async function roundTrips(work: () => ReturnType<typeof send>) {
  const { host = '', port = 0 } = queues.redis.options;
  // A plain socket: the client fails if commands are reported together with the answer to MONITOR.
  const monitor = connect(port, host);
  let seen = '';
  monitor.setEncoding('utf8').on('data', (chunk: string) => (seen += chunk));
  monitor.write('MONITOR\r\n');
  await eventually(() => seen.startsWith('+OK'));
  const value = await work();
  await queues.redis.echo('seen all');
  await eventually(() => seen.includes('"seen all"'));
  monitor.destroy();
  const own = [value.body.id, ...idsOf(value.body.items)];
  const scripts = seen.split('\r\n').filter((line) => line.includes(' "evalsha" '));
  return { value, steps: scripts.filter((line) => own.some((id) => line.includes(id))).length };
}
