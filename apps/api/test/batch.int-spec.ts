import type { Invocation } from '@errand/contracts';
import { connectQueues, type Queues } from '@errand/queue';
import { useStack } from '../../../test/support/start-stack.js';

type Item = Invocation & { code?: string; status: number | string; detail?: string };

const stack = useStack();
const { client } = stack;
let queues: Queues;

beforeAll(() => {
  queues = stack.keep(connectQueues(stack.redis.url, { ageSeconds: 3600, count: 1000 }));
});

const echo = (value: unknown, more: object = {}) => ({ toolId: 'core:echo', arguments: { value }, ...more });
const send = (items: unknown[], headers: Record<string, string> = {}) =>
  client.post<{ items: Item[]; code?: string }>('/v1/invocations/batch', { items }, headers);
const idsOf = (items: readonly Item[]) => items.map(({ id }) => id);
const jobs = () => queues.byName.invocations.getJobCounts('waiting', 'prioritized', 'delayed');
const waiting = async () => (await jobs())['waiting']!;

describe('POST /v1/invocations/batch', () => {
  it('accepts or refuses each on its own, in order', async () => {
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

  it('takes a thousand in as many round trips as ten', async () => {
    await send([echo('the definition is stored')]);
    const few = await roundTrips(() => send(Array.from({ length: 10 }, (_, n) => echo(n))));
    const many = await roundTrips(() => send(Array.from({ length: 1_000 }, (_, n) => echo(n))));
    expect(many.value.body.items.every(({ status }) => status === 'queued')).toBe(true);
    expect(new Set(idsOf(many.value.body.items)).size).toBe(1_000);
    // Steps of a hundred each are sent one behind the other: nobody waits for the first before the second leaves.
    expect(many.steps).toBe(10);
    expect(few.steps).toBe(1);
    expect(many.value.status).toBe(200);
  });

  it.each<[string, unknown]>([
    ['no items', {}],
    ['an empty list', { items: [] }],
    ['more than a thousand', { items: Array.from({ length: 1_001 }, () => ({})) }],
    ['another field', { items: [echo(1)], options: {} }],
  ])('refuses %s as a whole', async (_what, body) => {
    expect(await client.post('/v1/invocations/batch', body)).toMatchObject({
      status: 400,
      body: { code: 'invalid_request' },
    });
  });

  it('gives the same invocations for the same key and body, and refuses the key for another body', async () => {
    const before = await waiting();
    const key = { 'idempotency-key': 'batch-1' };
    const answers = await Promise.all(Array.from({ length: 10 }, () => send([echo('a'), echo('b'), {}], key)));
    const ids = answers.map(({ body }) => idsOf(body.items).slice(0, 2).join());
    expect(new Set(ids).size).toBe(1);
    expect((await waiting()) - before).toBe(2);
    expect(await send([echo('a'), echo('c'), {}], key)).toMatchObject({ status: 409, body: { code: 'conflict' } });
  });

  it('knows the keys of its items, which are those of single submissions', async () => {
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

describe('an Idempotency-Key', () => {
  it('that many use at once runs once', async () => {
    const before = await waiting();
    const KEYS = 20;
    const posts = Array.from({ length: KEYS }, (_, n) =>
      Array.from({ length: 20 }, () => client.post('/v1/invocations', echo(n), { 'idempotency-key': `many-${n}` })),
    );
    const answers = await Promise.all(posts.map((same) => Promise.all(same)));
    for (const same of answers) {
      expect(new Set(same.map(({ status }) => status))).toEqual(new Set([202]));
      expect(new Set(same.map(({ body }) => body.id)).size).toBe(1);
    }
    expect((await waiting()) - before).toBe(KEYS);
  });

  it('works on where its first user died before anything was enqueued', async () => {
    const body = echo('claimed');
    const first = await client.post('/v1/invocations', body, { 'idempotency-key': 'dead' });
    // As it is when the claim was written and the job was not.
    await queues.byName.invocations.remove(first.body.id);
    const [key] = (await keysOf('idempotency')).filter((name) => stands.get(name)?.includes(first.body.id));
    await queues.redis.set(key!, stands.get(key!)!.replace(' enqueued', ''), 'EX', 60);
    const second = await client.post('/v1/invocations', body, { 'idempotency-key': 'dead' });
    expect(second).toMatchObject({ status: 202, body: { id: first.body.id, status: 'queued' } });
    expect(await queues.byName.invocations.getJob(first.body.id)).toBeDefined();
  });

  it('never runs again what has run and is no longer kept', async () => {
    const first = await client.post('/v1/invocations', echo('gone'), { 'idempotency-key': 'gone' });
    await queues.byName.invocations.remove(first.body.id);
    const second = await client.post<{ detail: string }>('/v1/invocations', echo('gone'), {
      'idempotency-key': 'gone',
    });
    expect(second).toMatchObject({ status: 409, body: { detail: expect.stringContaining(first.body.id) } });
  });
});

const stands = new Map<string, string>();

/** Keys of a kind; what they stand for is then in `stands`. */
async function keysOf(kind: string): Promise<string[]> {
  const names = await queues.redis.keys(`{errand}:${kind}:*`);
  for (const name of names) stands.set(name, (await queues.redis.get(name))!);
  return names;
}

/** What `work` gives, and how many scripts Redis has run meanwhile. */
async function roundTrips<T>(work: () => Promise<T>): Promise<{ value: T; steps: number }> {
  const pattern = /cmdstat_evalsha:calls=(\d+)/;
  const count = async () => Number(pattern.exec(await queues.redis.info('commandstats'))?.[1] ?? 0);
  const before = await count();
  const value = await work();
  return { value, steps: (await count()) - before };
}
