import { newInvocationId, newRefusalId, type Refusal } from '@errand/contracts';
import { useQueues } from '../../test/use-queues.js';
import {
  listRefusals,
  noteAccepted,
  readRefusal,
  storeRefusals,
  sumRefusals,
  type NewRefusal,
  type Queues,
} from '../index.js';

const BOUNDS = { count: 5, ageSeconds: 3_600 };
const kit = useQueues({ each: true });
let queues: Queues;
beforeEach(() => {
  ({ queues } = kit);
});

function newRefusal(over: Partial<Refusal> = {}, tenant = 'acme'): NewRefusal {
  const id = over.id ?? newRefusalId();
  const refusal = {
    id,
    at: new Date().toISOString(),
    agent: null,
    session: 's',
    code: 'invalid_parameters' as const,
    toolIds: ['core:math'],
    errors: [],
    observation: null,
    text: 'x',
    ...over,
  };
  return { tenant, refusal, parameters: [{ toolId: 'core:math', parameter: 'a/b', kind: 'invalid_parameters' }] };
}

const idsOf = async (tenant = 'acme') =>
  (await listRefusals(queues, tenant, {}, { limit: 100 })).items.map(({ id }) => id);
const keysWith = (text: string) => queues.redis.keys(`*${text}*`);

const acceptedCall = () => ({
  id: newInvocationId(),
  tenant: 'acme',
  session: 's',
  toolIds: ['core:math'],
  at: Date.now(),
});

/** The number of commands, those of scripts included, that it takes to note these calls. */
async function commandsOf(accepted: Parameters<typeof noteAccepted>[1]): Promise<number> {
  await queues.redis.config('RESETSTAT');
  await noteAccepted(queues, accepted, 3_600);
  const stats = await queues.redis.info('commandstats');
  return [...stats.matchAll(/calls=(\d+)/g)].reduce((sum, [, calls]) => sum + Number(calls), 0);
}

describe('The storage of refusals', () => {
  it('Only the newest refusals of a tenant are kept, with the keys of no others', async () => {
    const all = Array.from({ length: 8 }, () => newRefusal());
    await storeRefusals(queues, [...all, newRefusal({}, 'other')], BOUNDS);
    const ids = all.map(({ refusal }) => refusal.id);
    expect(await idsOf()).toEqual(ids.slice(3).toReversed());
    expect(await idsOf('other')).toHaveLength(1);
    expect(await keysWith('refusal:acme:')).toHaveLength(5);
  });

  it('Refusals that are too old are removed by the next one, and expire by themselves', async () => {
    const old = newRefusal({ id: newRefusalId(Date.now() - 7_200_000) });
    await storeRefusals(queues, [old], { ...BOUNDS, ageSeconds: 86_400 });
    await storeRefusals(queues, [newRefusal()], BOUNDS);
    expect(await readRefusal(queues, 'acme', old.refusal.id)).toBeUndefined();
    for (const key of await keysWith('refusal')) {
      const ttl = await queues.redis.ttl(key);
      expect(ttl).toBeGreaterThan(0);
      expect(ttl).toBeLessThanOrEqual(86_400);
    }
  });

  it('A flood of large refusals fills the bound of bytes and no more', async () => {
    const text = 'x'.repeat(4_000_000);
    for (let n = 0; n < 25; n++) await storeRefusals(queues, [newRefusal({ text })], { ...BOUNDS, count: 10_000 });
    const kept = await idsOf();
    expect(kept.length).toBe(16);
    const bytes = Number(await queues.redis.get((await keysWith('refusal-bytes:acme'))[0] ?? ''));
    expect(bytes).toBeLessThanOrEqual(64 * 1_048_576);
    expect(bytes).toBeGreaterThan(60_000_000);
  });

  it('The first invocation of the session within ten minutes is the one that recovered', async () => {
    const one = newRefusal();
    await storeRefusals(queues, [one], BOUNDS);
    const accepted = (over: object = {}) => ({ ...acceptedCall(), ...over });
    const late = accepted({ at: Date.now() + 700_000 });
    const [first, second] = [accepted(), accepted()];
    const others = [accepted({ session: 't' }), accepted({ toolIds: ['core:echo'] }), accepted({ tenant: 'other' })];
    others.push(accepted({ session: undefined, times: 3 }));
    expect(await noteAccepted(queues, [late, ...others, first, second], 3_600)).toBe(1);
    expect((await readRefusal(queues, 'acme', one.refusal.id))?.recoveredBy).toBe(first?.id);
    expect(await sumRefusals(queues, 'acme', 'parameter', {}, 3_600)).toEqual([
      { key: 'core:math/a~1b', refused: 1, accepted: 7, recovered: 1, sample: one.refusal.id },
    ]);
  });

  it('While no refusal is open, the cost of counting does not grow with the invocations', async () => {
    const accepted = (count: number) => Array.from({ length: count }, () => acceptedCall());
    await commandsOf(accepted(1));
    expect(await commandsOf(accepted(500))).toBe(await commandsOf(accepted(1)));
  });

  it('A session that goes wrong and right in turn costs the same each time', async () => {
    const costs: number[] = [];
    for (let turn = 0; turn < 10; turn++) {
      await storeRefusals(queues, [newRefusal()], { ...BOUNDS, count: 1_000 });
      costs.push(await commandsOf([acceptedCall()]));
    }
    // The first one creates the counts of the hour.
    expect(new Set(costs.slice(1)).size).toBe(1);
    expect(await keysWith('refusals-open')).toEqual([]);
    expect(await sumRefusals(queues, 'acme', 'tool', {}, 3_600)).toMatchObject([{ refused: 10, recovered: 10 }]);
  });

  it('A summary has 200 keys and one for all others', async () => {
    const many = Array.from({ length: 205 }, (_, n) => newRefusal({ toolIds: [`core:t${n}`] }));
    await storeRefusals(queues, many, { ...BOUNDS, count: 1_000 });
    const sums = await sumRefusals(queues, 'acme', 'tool', {}, 3_600);
    expect(sums).toHaveLength(201);
    expect(sums.at(-1)).toMatchObject({ key: 'other', refused: 5 });
  });
});
