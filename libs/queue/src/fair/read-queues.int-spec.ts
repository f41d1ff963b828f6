import { newInvocationId } from '@errand/contracts';
import { recordOf, useQueues } from '../../test/use-queues.js';
import {
  cancelInvocation,
  explainWait,
  queueNames,
  readInvocation,
  readQueue,
  readWeight,
  repairRings,
  setWeight,
  submitInvocations,
  type Outcome,
} from '../index.js';
import { EVERY_TENANT } from '../state/tenant-reach.js';
import { eventually } from '../../../../test/support/eventually.js';

const kit = useQueues({ each: true });

async function submit(tenant: string, count: number, agent?: string): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newInvocationId()).toSorted();
  const record = recordOf({ tenant, ...(agent !== undefined && { agent }) });
  for (let from = 0; from < count; from += 1_000) {
    const some = ids.slice(from, from + 1_000);
    await submitInvocations(
      kit.queues,
      some.map((id) => ({ queue: 'invocations' as const, id, record })),
    );
  }
  return ids;
}

const aheadOf = async (tenant: string, id: string) => {
  const invocation = await readInvocation(kit.queues, tenant, id);
  if (!invocation) throw new Error(`${id} is not stored`);
  const place = await explainWait(kit.queues, invocation);
  return place?.ahead ?? undefined;
};

/** The order in which one consumer starts all jobs. */
async function startsOf(count: number): Promise<string[]> {
  const order: string[] = [];
  await kit.serve(
    'invocations',
    async ({ id }) => {
      order.push(id);
      return { steps: [{ status: 'succeeded', result: 1 }] };
    },
    { concurrency: 1, fair: { maxShare: 1, cost: 'count' } },
  );
  await eventually(() => order.length === count);
  return order;
}

describe('The place of a waiting invocation', () => {
  it('A tenant with thousands of keys counts with all its jobs, and few of its lanes are read', async () => {
    const records = Array.from({ length: 3_000 }, (_, n) => recordOf({ tenant: 'keys', agent: `agent-${n}` }));
    for (let from = 0; from < records.length; from += 1_000)
      await submitInvocations(
        kit.queues,
        records
          .slice(from, from + 1_000)
          .map((record) => ({ queue: 'invocations' as const, id: newInvocationId(), record })),
      );
    const [, , , fourth = ''] = await submit('light', 4);
    const { redis } = kit.queues;
    await redis.config('RESETSTAT');
    const ahead = await aheadOf('light', fourth);
    expect(ahead).toBeGreaterThanOrEqual(6);
    expect(ahead).toBeLessThanOrEqual(8);
    expect(/cmdstat_zcard:calls=(\d+)/.exec(await redis.info('commandstats'))?.[1] ?? '0').toMatch(/^\d{1,2}$/);
  });

  it('A newcomer behind thousands of another tenant reads that it is among the next ones', async () => {
    await submit('flood', 3_000);
    const [id = ''] = await submit('light', 1);
    expect(await aheadOf('light', id)).toBeLessThanOrEqual(3);
  });

  it('The number ahead is what starts before, within 10 %, with weights, agents and floods', async () => {
    await setWeight(kit.queues, 'heavy', 3);
    const ids = {
      flood: await submit('flood', 120),
      heavy: await submit('heavy', 60),
      light: await submit('light', 9),
    };
    const agents = [await submit('mixed', 25, 'ada'), await submit('mixed', 10, 'bob')];
    const asked: [string, string][] = [
      ['flood', ids.flood[60] ?? ''],
      ['flood', ids.flood[119] ?? ''],
      ['heavy', ids.heavy[40] ?? ''],
      ['light', ids.light[8] ?? ''],
      ['mixed', agents[0]?.[20] ?? ''],
      ['mixed', agents[1]?.[9] ?? ''],
    ];
    const said = await Promise.all(asked.map(([tenant, id]) => aheadOf(tenant, id)));
    const order = await startsOf(224);
    for (const [n, [, id]] of asked.entries()) {
      const real = order.indexOf(id);
      expect(Math.abs((said[n] ?? Infinity) - real)).toBeLessThanOrEqual(Math.max(3, real / 10));
    }
  });
});

describe('The queues and their tenants', () => {
  it('A queue shows the work of its tenants, their shares by weight, and the slots of its consumers', async () => {
    await setWeight(kit.queues, 'heavy', 3);
    await submit('heavy', 4);
    await submit('light', 2);
    const shown = await readQueue(kit.queues, 'invocations', EVERY_TENANT);
    expect(shown).toMatchObject({ name: 'invocations', paused: null, waiting: 6, active: 0, slots: 0 });
    expect(shown.tenants.toSorted((a, b) => (a.tenant < b.tenant ? -1 : 1))).toEqual([
      { tenant: 'heavy', waiting: 4, active: 0, share: 0.75, oldestMs: expect.any(Number) },
      { tenant: 'light', waiting: 2, active: 0, share: 0.25, oldestMs: expect.any(Number) },
    ]);
    let letGo = () => {};
    const held = new Promise<Outcome>(
      (resolve) => (letGo = () => resolve({ steps: [{ status: 'succeeded', result: 1 }] })),
    );
    await kit.serve('invocations', () => held, { concurrency: 3 });
    await eventually(async () => (await readQueue(kit.queues, 'invocations', EVERY_TENANT)).active === 3);
    const running = await readQueue(kit.queues, 'invocations', EVERY_TENANT);
    expect(running).toMatchObject({ waiting: 3, active: 3, slots: 3 });
    letGo();
  });

  it('A tenant sees its own work only, and the names of all queues are known', async () => {
    await submit('heavy', 4);
    await submit('light', 2);
    const shown = await readQueue(kit.queues, 'invocations', 'light');
    expect(shown).toMatchObject({ waiting: 2, active: 0 });
    expect(shown.tenants.map(({ tenant }) => tenant)).toEqual(['light']);
    await kit.queues.redis.sadd('{errand}:labels', 'gpu');
    expect(await queueNames(kit.queues)).toEqual(['invocations', 'scripts', 'scripts.gpu', 'deliveries']);
  });

  it('Each of 2,500 waiting tenants is on a page with its exact work, and no command reads them all', async () => {
    const names = Array.from({ length: 2_500 }, (_, n) => `tenant-${n}`);
    await setWeight(kit.queues, 'tenant-7', 501);
    const fresh = names.flatMap((tenant, n) =>
      Array.from({ length: n % 3 === 0 ? 2 : 1 }, (_, nth) => ({
        queue: 'invocations' as const,
        id: newInvocationId(),
        record: recordOf({ tenant, agent: `agent-${nth}` }),
      })),
    );
    for (let from = 0; from < fresh.length; from += 500)
      await submitInvocations(kit.queues, fresh.slice(from, from + 500));
    const found = new Map<string, { waiting: number; share: number }>();
    let cursor: string | null = '0';
    let pages = 0;
    for (; cursor !== null; pages++) {
      const page = await readQueue(kit.queues, 'invocations', EVERY_TENANT, { cursor, limit: 1_000 });
      expect(page.waiting).toBe(fresh.length);
      expect(page.tenants.length).toBeLessThan(1_200);
      for (const { tenant, waiting, share } of page.tenants) found.set(tenant, { waiting, share });
      cursor = page.nextCursor;
    }
    expect(pages).toBeGreaterThan(1);
    expect([...found.keys()].toSorted()).toEqual(names.toSorted());
    for (const [n, tenant] of names.entries())
      expect(found.get(tenant)).toEqual({ waiting: n % 3 === 0 ? 2 : 1, share: n === 7 ? 0.167 : 0.0003 });
    const own = await readQueue(kit.queues, 'invocations', 'tenant-2499');
    expect(own).toMatchObject({ waiting: 2, nextCursor: null, tenants: [{ tenant: 'tenant-2499', waiting: 2 }] });
  });

  it('The counts of tenants follow starts, cancels and repairs, and an empty queue has none', async () => {
    const waitingOf = async () => {
      const { tenants } = await readQueue(kit.queues, 'invocations', EVERY_TENANT);
      return Object.fromEntries(tenants.map(({ tenant, waiting }) => [tenant, waiting]));
    };
    await submit('first', 1);
    const ids = await submit('light', 3, 'ada');
    await submit('light', 1, 'bob');
    await cancelInvocation(kit.queues, 'light', ids[1] ?? '');
    expect(await waitingOf()).toEqual({ first: 1, light: 3 });
    await kit.queues.redis.hset('{errand}:invocations:fair:tenants', { light: 99, gone: 5 });
    await repairRings(kit.queues);
    expect(await waitingOf()).toEqual({ first: 1, light: 3 });
    await startsOf(4);
    expect(await kit.queues.redis.exists('{errand}:invocations:fair:tenants')).toBe(0);
  });

  it('A paused queue says so', async () => {
    await kit.queues.byName.invocations.pause();
    expect((await readQueue(kit.queues, 'invocations', EVERY_TENANT)).paused).toEqual({
      at: null,
      by: null,
      note: null,
    });
  });

  it('A weight is 1 until it is set, and a cancelled job leaves the count', async () => {
    expect(await readWeight(kit.queues, 'light')).toBe(1);
    await setWeight(kit.queues, 'light', 0.01);
    expect(await readWeight(kit.queues, 'light')).toBe(0.01);
    await setWeight(kit.queues, 'light', 1);
    expect(await readWeight(kit.queues, 'light')).toBe(1);
    const ids = await submit('light', 3);
    await cancelInvocation(kit.queues, 'light', ids[1] ?? '');
    expect((await readQueue(kit.queues, 'invocations', EVERY_TENANT)).waiting).toBe(2);
  });
});
