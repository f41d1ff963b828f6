import type { Invocation, Step } from '@errand/contracts';
import { NotificationHub, type Queues } from '@errand/queue';
import { keysOf } from '../../../libs/queue/src/redis/names.js';
import { useStack } from '../../../test/support/start-stack.js';
import { PATIENCE_MS } from '../../../test/support/eventually.js';

const tool = (id: string, method: string, more = '') => `
  - id: shop:${id}
    displayName: ${id}
    description: For the test.
    ${more}
    parameters: { type: object, properties: { key: { type: string }, fails: { type: integer }, value: {} }, required: [key] }
    implementation: { type: service, serviceName: shop, methodName: ${method} }`;
const PLUGIN = `
name: shop
displayName: Shop
version: 1.0.0
description: Things that fail, wait and count.
nodes: { entry: nodes/index.js }
tools:${[
  tool('count', 'count'),
  tool('hold', 'hold'),
  tool('release', 'release'),
  tool('flaky', 'flaky'),
  tool('stubborn', 'flaky', 'retry: { attempts: 4, backoff: { type: fixed, delayMs: 5 } }'),
  tool('once-more', 'flaky', 'retry: { attempts: 1 }'),
  tool(
    'shaky',
    'broken',
    'retry: { attempts: 3, backoff: { type: fixed, delayMs: 5 }, on: [OutputError] }\n    output: { type: integer }',
  ),
  tool('pay', 'pay', 'effects: once\n    retry: { attempts: 1 }'),
].join('')}
  - id: shop:ask
    displayName: Ask
    description: Asks a person.
    parameters: { type: object, properties: {} }
    output: { type: object, properties: { ok: { type: boolean } }, required: [ok] }
    implementation: { type: external }
`;

const NODES = `
const counts = new Map(), held = new Map();
const count = (key) => { counts.set(key, (counts.get(key) ?? 0) + 1); return counts.get(key); };
const hold = ({ key, value }) => new Promise((resolve) => {
  count('held ' + key);
  held.set(key, [...(held.get(key) ?? []), () => resolve(value ?? key)]);
});
const failing = ({ key, fails = 0 }) => { if (count(key) <= fails) throw new Error('try ' + counts.get(key)); return counts.get(key); };
module.exports = { nodes: [], services: [{ name: 'shop', methods: {
  hold,
  count: ({ key }) => counts.get(key) ?? 0,
  release: ({ key }) => { const all = held.get(key) ?? []; held.delete(key); for (const end of all) end(); return all.length; },
  flaky: failing,
  broken: ({ key, fails }) => (count(key) <= fails ? 'no number' : counts.get(key)),
  pay: async (args) => {
    const paid = failing(args);
    if (args.value === 'slowly') await hold({ key: 'pay ' + args.key });
    return 'paid ' + paid;
  },
} }] };`;

const stack = useStack({
  with: ['worker'],
  env: { ERRAND_WORKER_CONCURRENCY: '8' },
  library: { 'plugins/shop/plugin.yaml': PLUGIN, 'plugins/shop/nodes/index.js': NODES },
});
const { client } = stack;
let queues: Queues;
let notifications: NotificationHub;

beforeAll(async () => {
  queues = await stack.openQueues();
  notifications = stack.keep(await NotificationHub.open(stack.redis.url));
});

const call = (name: string, args: object, more: object = {}) => ({ toolId: `shop:${name}`, arguments: args, ...more });
const echo = (value: unknown) => ({ toolId: 'core:echo', arguments: { value } });
const statusesOf = ({ steps }: Invocation) => steps.map(({ status }) => status);
const submit = async (body: unknown) => (await client.post('/v1/invocations', body)).body;

/** The invocation as soon as `wished` returns true. */
async function until(id: string, wished: (invocation: Invocation) => boolean | Promise<boolean>): Promise<Invocation> {
  const found = await notifications.until(id, AbortSignal.timeout(PATIENCE_MS), async () => {
    const invocation = await client.read(id);
    return (await wished(invocation)) ? invocation : undefined;
  });
  if (!found) throw new Error(`the condition is not met: ${JSON.stringify(await client.read(id))}`);
  return found;
}

const counted = async (key: string) => (await client.invoke(call('count', { key }))).result as number;
const release = (key: string) => client.invoke(call('release', { key }));
const suspended = (id: string) => async () =>
  (await queues.redis.hexists(`{errand}:invocations:${id}`, 'errand:parked')) === 1;

/** Polls until a count reaches `wished`. Each poll is an invocation. */
async function untilCounted(key: string, wished: number): Promise<void> {
  for (let asked = 0; asked < 200; asked++) if ((await counted(key)) >= wished) return;
  throw new Error(`${key} was counted ${await counted(key)} times, not ${wished}`);
}

describe('A failure that can be retried', () => {
  it.each([
    ['as often as the tool allows', 'stubborn', {}, 3, { status: 'succeeded', result: 4 }, 4],
    ['at most as often as the tool allows', 'stubborn', {}, 9, { status: 'failed', error: { message: 'try 4' } }, 4],
    ['never if the tool says so', 'once-more', {}, 9, { status: 'failed', error: { message: 'try 1' } }, 1],
    [
      'as often as the caller allows',
      'once-more',
      { attempts: 2, backoff: { type: 'fixed', delayMs: 1 } },
      1,
      { status: 'succeeded' },
      2,
    ],
    ['if the tool names its error type', 'shaky', {}, 2, { status: 'succeeded', result: 3 }, 3],
  ])('A failure is retried %s', async (how, name, options, fails, ended, attempts) => {
    const invocation = await client.invoke(call(name, { key: how, fails }, { options }));
    expect(invocation).toMatchObject({ ...ended, steps: [{ attempts }] });
    expect(await counted(how)).toBe(attempts);
  });

  it('Each step of a chain has its own attempts', async () => {
    const calls = [
      echo(1),
      call('stubborn', { key: 'chain 1', fails: 2 }),
      call('stubborn', { key: 'chain 2', fails: 1 }),
      echo(2),
    ];
    const { status, steps } = await client.invoke({ calls });
    expect(status).toBe('succeeded');
    expect(steps.map(({ attempts, result }) => [attempts, result])).toEqual([
      [1, 1],
      [3, 3],
      [2, 2],
      [1, 2],
    ]);
  });

  it('A step between two attempts is queued and shows its last error', async () => {
    const options = { attempts: 2, backoff: { type: 'fixed', delayMs: 600_000 } };
    const { id } = await submit({ calls: [echo(1), call('flaky', { key: 'later', fails: 1 })], options });
    const waiting = await until(id, ({ steps }) => steps[1]!.error !== undefined);
    expect(waiting.steps[1]).toMatchObject({
      status: 'queued',
      attempts: 1,
      error: { type: 'ServiceError', message: 'try 1' },
    });
    await client.post(`/v1/invocations/${id}/cancel`, {});
  });
});

describe('A chain', () => {
  const wrong = call('once-more', { key: 'wrong', fails: 1_000 });

  it('A chain stops at its first failure', async () => {
    const ended = await client.invoke({ calls: [echo(1), wrong, echo(3)] });
    expect(ended).toMatchObject({
      status: 'failed',
      error: { type: 'ServiceError', details: { step: 1 } },
      result: null,
    });
    expect(statusesOf(ended)).toEqual(['succeeded', 'failed', 'cancelled']);
  });

  it('A chain continues after a failure if the call or the invocation says so', async () => {
    const one = await client.invoke({ calls: [echo(1), { ...wrong, onError: 'continue' }, echo(3)] });
    expect(one).toMatchObject({ status: 'succeeded', error: null, result: [1, null, 3] });
    expect(statusesOf(one)).toEqual(['succeeded', 'failed', 'succeeded']);
    expect(one.observation).toMatch(/failed \(step 2 of 3\)[\s\S]*step 3 of 3/);
    const text =
      '<ACTION><shop:once-more><key>wrong</key><fails>1000</fails></shop:once-more><core:echo><value>x</value></core:echo></ACTION>';
    expect(await client.invoke({ text, options: { onError: 'continue' } })).toMatchObject({
      status: 'succeeded',
      result: [null, 'x'],
    });
    const stops = { ...wrong, onError: 'stop' };
    const all = await client.invoke({ calls: [wrong, stops, echo(3)], options: { onError: 'continue' } });
    expect(statusesOf(all)).toEqual(['failed', 'failed', 'cancelled']);
  });

  it('A chain fails if all its steps failed', async () => {
    const ended = await client.invoke({ calls: [wrong, wrong], options: { onError: 'continue' } });
    expect(ended).toMatchObject({ status: 'failed', error: { type: 'ServiceError', details: { step: 0 } } });
    expect(statusesOf(ended)).toEqual(['failed', 'failed']);
  });

  it.each(['sequence', 'parallel'])(
    'A step in a %s that needs the result of a failed step fails with an error that says so',
    async (mode) => {
      const calls = [wrong, echo('{{steps.1.result.x}}'), echo(3)];
      const ended = await client.invoke({ calls, options: { onError: 'continue', mode } });
      expect(ended.steps[1]!.error).toMatchObject({
        type: 'ParameterValidationError',
        message: expect.stringContaining('Step 1 failed'),
      });
      expect(statusesOf(ended)).toEqual(['failed', 'failed', 'succeeded']);
    },
  );

  it('A parallel invocation runs at most as many steps at a time as its concurrency', async () => {
    const calls = Array.from({ length: 6 }, () => call('hold', { key: 'wide' }));
    const { id } = await submit({ calls, options: { mode: 'parallel', concurrency: 2 } });
    for (const soFar of [2, 4, 6]) {
      await untilCounted('held wide', soFar);
      expect(await counted('held wide')).toBe(soFar);
      await release('wide');
    }
    expect(await client.untilEnded(id)).toMatchObject({ status: 'succeeded' });
  });
});

describe('The result of another invocation', () => {
  it('An invocation waits without a slot for the result of another invocation, and gets it when the other ends', async () => {
    const first = await submit(call('hold', { key: 'future', value: { n: 7 } }));
    const waiters = await Promise.all(Array.from({ length: 20 }, () => submit(echo(`{{job:${first.id}.n}}`))));
    const chain = await submit({ calls: [echo(1), echo(`n is {{job:${first.id}.n}}`)] });
    for (const { id } of [...waiters, chain]) await until(id, suspended(id));
    expect(await client.read(waiters[0]!.id)).toMatchObject({
      status: 'running',
      steps: [{ status: 'running', attempts: 1, waiting: { for: 'invocation', invocationId: first.id } }],
    });
    // One of the eight slots runs the awaited invocation. Other invocations still run.
    expect((await client.invoke(echo('served'))).result).toBe('served');
    expect(await queues.byName.invocations.getActiveCount()).toBe(1);
    await release('future');
    for (const { id } of waiters)
      expect(await client.untilEnded(id)).toMatchObject({ result: 7, steps: [{ attempts: 1 }] });
    const ended = await client.untilEnded(chain.id);
    expect(ended.result).toEqual([1, 'n is 7']);
    expect(ended.steps.some(({ waiting }: Step) => waiting)).toBe(false);
    expect(await queues.redis.exists(`{errand}:waiters:${first.id}`)).toBe(0);
  });

  it.each<[string, (id: string) => Promise<unknown>, string]>([
    ['was cancelled', (id) => client.post(`/v1/invocations/${id}/cancel`, {}), 'was cancelled'],
  ])('An invocation fails if the awaited invocation %s', async (_how, end, message) => {
    const first = await submit(call('hold', { key: 'lost' }));
    const { id } = await submit(echo(`{{job:${first.id}}}`));
    await until(id, suspended(id));
    await end(first.id);
    expect(await client.untilEnded(id)).toMatchObject({
      status: 'failed',
      error: { type: 'ParameterValidationError', message: expect.stringContaining(message) },
    });
    await release('lost');
  });

  it('An invocation waits for another one at most until its own deadline', async () => {
    const first = await submit(call('hold', { key: 'long' }));
    const ended = await client.invoke({ ...echo(`{{job:${first.id}}}`), options: { timeoutMs: 2_500 } });
    expect(ended).toMatchObject({ status: 'failed', error: { type: 'TimeoutError' } });
    await release('long');
  });
});

describe('A tool with `effects: once`', () => {
  const pay = (key: string, more: object = {}) => call('pay', { key, ...more }, { session: 'one' });

  it('A tool with `effects: once` runs once for the same arguments in a session, and later calls get its result', async () => {
    const first = await client.invoke(pay('rent'));
    const again = await Promise.all(Array.from({ length: 5 }, () => client.invoke(pay('rent'))));
    for (const later of again) {
      expect(later).toMatchObject({ status: 'succeeded', result: 'paid 1' });
      expect(later.steps[0]!.deduplicatedFrom).toEqual({ invocationId: first.id, step: 0 });
      expect(later.observation).toContain(first.id);
    }
    expect(first.steps[0]!.deduplicatedFrom).toBeUndefined();
    expect(await counted('rent')).toBe(1);
  });

  it('Concurrent calls of a tool with `effects: once` run it once, also in chains', async () => {
    const inChains = Array.from({ length: 10 }, (_, n) => ({
      calls: [echo(n), call('pay', { key: 'gas' })],
      session: 'one',
    }));
    const singles = Array.from({ length: 10 }, () => pay('gas'));
    const ended = await Promise.all([...inChains, ...singles].map((body) => client.invoke(body)));
    expect(ended.map(({ steps }) => steps.at(-1)!.result)).toEqual(Array(20).fill('paid 1'));
    expect(ended.filter(({ steps }) => !steps.at(-1)!.deduplicatedFrom)).toHaveLength(1);
    expect(await counted('gas')).toBe(1);
  });

  it('A call waits without a slot while the same call with `effects: once` runs', async () => {
    const first = await submit(pay('slow', { value: 'slowly' }));
    await untilCounted('held pay slow', 1);
    const second = await submit(pay('slow', { value: 'slowly' }));
    await until(second.id, suspended(second.id));
    await release('pay slow');
    expect(await client.untilEnded(second.id)).toMatchObject({
      result: 'paid 1',
      steps: [{ deduplicatedFrom: { invocationId: first.id, step: 0 } }],
    });
  });

  it('One of the waiting calls runs again after the first call failed or was cancelled', async () => {
    expect(await client.invoke(pay('bill', { fails: 1 }))).toMatchObject({ status: 'failed' });
    const ended = await Promise.all(Array.from({ length: 5 }, () => client.invoke(pay('bill', { fails: 1 }))));
    expect(ended.map(({ result }) => result)).toEqual(Array(5).fill('paid 2'));
    expect(await counted('bill')).toBe(2);
    const cancelled = await submit(pay('fine', { value: 'slowly' }));
    await untilCounted('held pay fine', 1);
    const next = await submit(pay('fine', { value: 'slowly' }));
    await until(next.id, suspended(next.id));
    await client.post(`/v1/invocations/${cancelled.id}/cancel`, {});
    await untilCounted('held pay fine', 2);
    await release('pay fine');
    expect(await client.untilEnded(next.id)).toMatchObject({ status: 'succeeded', result: 'paid 2' });
  });

  it('The claim of an effect lives longer than the retention age after the effect, and ends with its invocation', async () => {
    const first = await client.invoke(pay('water'));
    const place = (await queues.shards?.ofSession('default', 'one')) ?? queues;
    const claims = await place.redis.keys(`${place.keyspace}:effect:*`);
    const lives = await Promise.all(claims.map((name) => place.redis.ttl(name)));
    expect(Math.min(...lives)).toBeGreaterThan(90 * 86_400);
    await place.redis.del(keysOf(place.redis).job('invocations', first.id));
    expect(await client.invoke(pay('water'))).toMatchObject({ status: 'succeeded', result: 'paid 2' });
  });

  it('A tool with `effects: once` runs again for other arguments, another session, and without a session', async () => {
    await client.invoke(pay('apart'));
    await client.invoke(pay('apart', { value: 2 }));
    await client.invoke({ ...pay('apart'), session: 'two' });
    await client.invoke(call('pay', { key: 'apart' }));
    await client.invoke(call('pay', { key: 'apart' }));
    expect(await counted('apart')).toBe(5);
  });
});

describe('Thousands of suspended invocations', () => {
  it('2,000 suspended invocations occupy no slot and need no timers and no polling', async () => {
    const PARKED = 2_000;
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const before = timers();
    const items = Array.from({ length: 1_000 }, () => call('ask', {}));
    const batches = [
      await client.post<{ items: Invocation[] }>('/v1/invocations/batch', { items }),
      await client.post<{ items: Invocation[] }>('/v1/invocations/batch', { items }),
    ];
    const ids = batches.flatMap(({ body }) => body.items.map(({ id }) => id));
    expect(new Set(ids).size).toBe(PARKED);
    // Each round is an invocation behind those that are not suspended yet.
    for (let round = 0; round < 200 && (await queues.redis.zcard('{errand}:invocations:delayed')) < PARKED; round++)
      await client.invoke(echo(round));
    expect(await queues.redis.zcard('{errand}:invocations:delayed')).toBe(PARKED);
    expect(await queues.byName.invocations.getActiveCount()).toBe(0);
    expect(timers() - before).toBeLessThan(50);
    // Polling once in four seconds would already need this many. The sweeps and heartbeats of the processes need about a hundred.
    expect(await commandsPerSecond(1_000)).toBeLessThan(PARKED / 4);
    const [one, other] = ids as [string, string];
    const answer = (id: string, body: unknown) => client.post(`/v1/invocations/${id}/steps/0/result`, body);
    expect(await answer(one, { result: { ok: 'yes' } })).toMatchObject({ status: 422 });
    expect((await answer(one, { result: { ok: true } })).status).toBe(202);
    expect((await answer(one, { result: { ok: true } })).status).toBe(202);
    expect((await answer(one, { result: { ok: false } })).status).toBe(409);
    expect(await client.untilEnded(one)).toMatchObject({ status: 'succeeded', result: { ok: true } });
    expect(await client.read(other)).toMatchObject({ status: 'waiting_external' });
  });
});

/** The number of commands that Redis gets in a second, counted for `ms` milliseconds or longer, without the queries themselves. */
async function commandsPerSecond(ms: number): Promise<number> {
  const count = async () => Number(/total_commands_processed:(\d+)/.exec(await queues.redis.info('stats'))![1]);
  const before = await count();
  const start = performance.now();
  await notifications.until('nobody', AbortSignal.timeout(ms), async () => undefined);
  const seconds = (performance.now() - start) / 1_000;
  return ((await count()) - before - 1) / seconds;
}
