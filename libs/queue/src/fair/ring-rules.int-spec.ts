import * as fc from 'fast-check';
import { Redis } from 'ioredis';
import { startRedis, type TestRedis } from '../../../../test/support/start-redis.js';
import { DRIVEN, DrivenRing } from '../../test/drive-fair.js';
import { FairModel } from '../../test/fair-model.js';

let server: TestRedis;
let redis: Redis;
let ring: DrivenRing;

beforeAll(async () => {
  server = await startRedis();
  redis = new Redis(server.url);
  ring = new DrivenRing(redis);
});
beforeEach(() => redis.flushall());
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

const LANES = ['0:a:', '0:a:x', '0:a:y', '0:b:', '0:c:x', '0:c:y', '3:a:', '3:b:'];
const TENANTS = ['a', 'b', 'c'];
const lane = fc.constantFrom(...LANES);
const action = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('put'), lane, priority: fc.nat(2), returns: fc.boolean() }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('admit') }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('admit several'), nth: fc.nat(12) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('remove'), nth: fc.nat(100) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('end'), lane, ms: fc.nat(20_000) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('weigh'),
      tenant: fc.constantFrom(...TENANTS),
      weight: fc.constantFrom(0.01, 0.5, 1, 3, 1_000),
    }),
  },
);
type Action = Partial<Record<'lane' | 'tenant', string> & Record<'priority' | 'nth' | 'ms' | 'weight', number>> & {
  do: string;
  returns?: boolean;
};

/** Runs a life through both, and returns the order of starts in each. */
async function live(actions: readonly Action[]): Promise<{ model: unknown[]; redis: unknown[] }> {
  const model = new FairModel();
  const put: { lane: string; id: string }[] = [];
  const starts: { model: unknown[]; redis: unknown[] } = { model: [], redis: [] };
  for (const { do: what, lane: to = '', tenant = '', priority, nth = 0, ms = 0, weight = 1, returns } of actions) {
    if (what === 'put') {
      const id = `j${put.length}`;
      put.push({ lane: to, id });
      model.put(to, id, priority, returns);
      await ring.put(to, id, priority, returns);
    } else if (what === 'admit') {
      starts.model.push(model.admit());
      starts.redis.push(await ring.admit());
    } else if (what === 'admit several') {
      const expected = Array.from({ length: nth }, () => model.admit());
      starts.model.push(...expected.filter((id) => id !== undefined));
      starts.redis.push(...(await ring.admitSeveral(nth)));
    } else if (what === 'remove') {
      const job = put[nth % Math.max(1, put.length)];
      if (!job) continue;
      model.remove(job.lane, job.id);
      await ring.remove(job.lane, job.id);
    } else if (what === 'end') {
      model.end(to, ms);
      await ring.end(to, ms);
    } else {
      model.weights.set(tenant, weight);
      await ring.setWeight(tenant, weight);
    }
  }
  while (model.waiting > 0) {
    starts.model.push(model.admit());
    starts.redis.push(await ring.admit());
  }
  return starts;
}

it('Random lives start in the same order by the Lua functions and by the model, and leave no key', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 80 }), async (actions) => {
      await redis.flushall();
      const starts = await live(actions);
      expect(starts.redis).toEqual(starts.model);
      const left = (await ring.keys()).filter((key) => !key.endsWith(':mean'));
      expect(left).toEqual([]);
    }),
    { numRuns: 150 },
  );
});

/** How often each tenant started among `count` starts. */
async function startsOf(
  count: number,
  after: (id: string) => Promise<void> = async () => {},
): Promise<Record<string, number>> {
  const starts: Record<string, number> = {};
  for (let n = 0; n < count; n++) {
    const id = (await ring.admit()) ?? 'none';
    const tenant = id.slice(0, 1);
    starts[tenant] = (starts[tenant] ?? 0) + 1;
    await after(id);
  }
  return starts;
}

async function flood(tenant: string, count: number, key = '', level = 0): Promise<void> {
  for (let n = 0; n < count; n++) await ring.put(`${level}:${tenant}:${key}`, `${tenant}${key}${n}`);
}

it.each([
  { a: 1, b: 1 },
  { a: 3, b: 1 },
  { a: 0.01, b: 0.09 },
  { a: 1_000, b: 250 },
])('Starts are proportional to the weights %j over any period, within 3 jobs or 10 %', async (weights) => {
  for (const [tenant, weight] of Object.entries(weights)) {
    await ring.setWeight(tenant, weight);
    await flood(tenant, 150);
  }
  for (let period = 0; period < 5; period++) {
    const starts = await startsOf(30);
    for (const [tenant, weight] of Object.entries(weights)) {
      const due = (30 * weight) / (weights.a + weights.b);
      expect(Math.abs((starts[tenant] ?? 0) - due)).toBeLessThanOrEqual(Math.max(3, due / 10));
    }
  }
});

it('A lane that is alone gives its stored jobs several at once, in order', async () => {
  await flood('a', 8);
  await redis.del(`${DRIVEN}a2`);
  expect(await ring.admitSeveral(5)).toEqual(['a0', 'a1', 'a3', 'a4', 'a5']);
  await ring.put('0:b:', 'b0');
  expect(await ring.admitSeveral(5)).toEqual(['b0', 'a6', 'a7']);
  expect(await ring.keys()).toEqual([]);
});

it('A tenant that comes back gets no credit for the time without work', async () => {
  await flood('a', 300);
  await flood('b', 10);
  await startsOf(20);
  await startsOf(100);
  await flood('b', 100);
  const starts = await startsOf(40);
  expect(Math.abs((starts['b'] ?? 0) - 20)).toBeLessThanOrEqual(3);
});

it('A tenant with a low weight gains nothing by one job at a time', async () => {
  await ring.setWeight('a', 0.1);
  await flood('b', 400);
  await ring.put('0:a:', 'a0');
  let sent = 1;
  const starts = await startsOf(220, async (id) => {
    if (id.startsWith('a')) await ring.put('0:a:', `a${sent++}`);
  });
  expect(starts['a']).toBeLessThanOrEqual(22 + 3);
});

it('A light tenant starts at the next free slot while two others have hundreds of jobs waiting', async () => {
  await flood('a', 300);
  await flood('b', 300);
  await startsOf(101);
  await ring.put('0:c:', 'c0');
  expect((await startsOf(2))['c']).toBe(1);
});

it('A light tenant starts at the next free slot beside one that was alone meanwhile, whatever their names are', async () => {
  await flood('b', 100);
  for (const light of ['a', 'c', 'a', 'c']) {
    await startsOf(3);
    await ring.put(`0:${light}:`, `${light}0`);
    expect(await startsOf(1)).toEqual({ [light]: 1 });
  }
});

it('A priority orders the jobs of its tenant only', async () => {
  await ring.put('0:a:', 'a-urgent', 1);
  await ring.put('0:a:', 'a-later', 9);
  await ring.put('0:b:', 'b-later', 10);
  await ring.put('0:b:', 'b-first', 0);
  const order = [await ring.admit(), await ring.admit(), await ring.admit(), await ring.admit()];
  expect(order).toEqual(['a-urgent', 'b-first', 'a-later', 'b-later']);
});

it('A global priority is strict across tenants, and each priority is shared fairly', async () => {
  await flood('a', 4, '', 5);
  await flood('b', 2, '', 5);
  await ring.put('1:b:', 'b-urgent');
  expect(await ring.admit()).toBe('b-urgent');
  expect(await startsOf(4)).toEqual({ a: 2, b: 2 });
});

it('The agents of a tenant share equally, whatever the tenant has beside', async () => {
  await flood('a', 90, 'x');
  await flood('a', 90, 'y');
  await flood('b', 90);
  const starts: Record<string, number> = {};
  for (let n = 0; n < 60; n++) {
    const id = (await ring.admit()) ?? '';
    const agent = id.replace(/\d+$/, '');
    starts[agent] = (starts[agent] ?? 0) + 1;
  }
  expect(starts['b']).toBe(30);
  expect(Math.abs((starts['ax'] ?? 0) - (starts['ay'] ?? 0))).toBeLessThanOrEqual(1);
});

it('A job that returns goes to the head of its tenant, and of no other', async () => {
  await flood('a', 3);
  await flood('b', 3);
  await ring.put('0:b:', 'b-again', 0, true);
  expect([await ring.admit(), await ring.admit(), await ring.admit()]).toEqual(['a0', 'b-again', 'a1']);
});

it('A tenant whose jobs take ten times as long starts a tenth as many jobs', async () => {
  await flood('a', 600);
  await flood('b', 600);
  const starts = await startsOf(440, (id) => ring.end(`0:${id.slice(0, 1)}:`, id.startsWith('a') ? 2_000 : 200));
  expect((starts['b'] ?? 0) / (starts['a'] ?? 1)).toBeGreaterThan(7);
  expect((starts['b'] ?? 0) / (starts['a'] ?? 1)).toBeLessThan(13);
});

describe('With a maximum share of the slots', () => {
  const run = async (tenant: string, count: number) => {
    for (let n = 0; n < count; n++) {
      await redis.lpush('{errand}:driven:active', `${tenant}-run${n}`);
      await redis.hset(`{errand}:driven:${tenant}-run${n}`, 'errand:lane', `0:${tenant}:`);
    }
  };

  it('A tenant holds at most that share where others have work, and the next tenant starts instead', async () => {
    await run('a', 9);
    await flood('a', 5);
    await flood('b', 1);
    expect(await ring.admit(10, 0.9)).toBe('b0');
    await run('b', 1);
    expect(await ring.admit(10, 0.9)).toBeUndefined();
  });

  it('A tenant may hold all slots if no other has had work for a minute', async () => {
    await run('a', 9);
    await flood('a', 2);
    await redis.zadd('{errand}:driven:fair:seen', 1_000_000, 'b');
    expect(await ring.admit(10, 0.9, 1_030_000)).toBeUndefined();
    expect(await ring.admit(10, 0.9, 1_070_000)).toBe('a0');
  });

  it('Each tenant may hold one slot, however small the share is', async () => {
    await flood('a', 2);
    await flood('b', 2);
    expect(await ring.admit(2, 0.01)).toBe('a0');
  });
});
