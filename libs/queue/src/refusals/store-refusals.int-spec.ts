import { newInvocationId, newRefusalId, type Refusal } from '@errand/contracts';
import { recordOf, useQueues } from '../../test/use-queues.js';
import {
  listRefusals,
  readRefusal,
  settleRefusals,
  storeRefusals as store,
  submitInvocation,
  sumRefusals,
  type NewRefusal,
  writeRefusal,
  type Queues,
  type RefusalBounds,
} from '../index.js';
import { keys } from '../redis/names.js';

const AGE = 3_600;
const BOUNDS = { count: 5, ageSeconds: AGE };
const MINUTE = 60_000;
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
  (await listRefusals(queues, tenant, {}, { limit: 100, ageSeconds: AGE })).items.map(({ id }) => id);
const storeRefusals = (to: Queues, all: readonly NewRefusal[], bounds: RefusalBounds) =>
  store(to, all.map(writeRefusal), bounds);
const keysWith = (text: string) => queues.redis.keys(`*${text}*`);
const recoveredBy = async (id: string) => (await readRefusal(queues, 'acme', id, AGE))?.recoveredBy;
const sums = async (by: 'tool' | 'parameter') => (await sumRefusals(queues, 'acme', { by, ageSeconds: AGE })).items;

/** Accepts an invocation of the session `s`, as if it came at this time. */
async function accept({ at = Date.now(), tenant = 'acme', session = 's', toolId = 'core:math' } = {}): Promise<string> {
  const id = newInvocationId(at);
  await submitInvocation(queues, 'invocations', id, recordOf({ tenant, session }, { toolId }));
  return id;
}

describe('The storage of refusals', () => {
  it('Only the newest refusals of a tenant are kept, with the keys of no others', async () => {
    const all = Array.from({ length: 8 }, () => newRefusal());
    await storeRefusals(queues, [...all, newRefusal({}, 'other')], BOUNDS);
    const ids = all.map(({ refusal }) => refusal.id);
    expect(await idsOf()).toEqual(ids.slice(3).toReversed());
    expect(await idsOf('other')).toHaveLength(1);
    expect(await queues.redis.hkeys(keys.refusalTexts('acme'))).toHaveLength(5);
  });

  it('Refusals that are too old are removed by the next one, and expire by themselves', async () => {
    const old = newRefusal({ id: newRefusalId(Date.now() - 7_200_000) });
    await storeRefusals(queues, [old], { ...BOUNDS, ageSeconds: 86_400 });
    await storeRefusals(queues, [newRefusal()], BOUNDS);
    expect(await readRefusal(queues, 'acme', old.refusal.id, AGE)).toBeUndefined();
    const young = newRefusal({ id: newRefusalId(Date.now() - 2_000) }).refusal.id;
    await storeRefusals(queues, [newRefusal({ id: young })], BOUNDS);
    expect(await readRefusal(queues, 'acme', young, AGE)).toBeDefined();
    expect(await readRefusal(queues, 'acme', young, 1)).toBeUndefined();
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

  it('A refusal that is stored twice counts once', async () => {
    const one = newRefusal();
    const bytes = async () => Number(await queues.redis.get((await keysWith('refusal-bytes:acme'))[0] ?? ''));
    await storeRefusals(queues, [one], BOUNDS);
    const before = await bytes();
    await storeRefusals(queues, [one], BOUNDS);
    expect([await bytes(), (await idsOf()).length]).toEqual([before, 1]);
  });

  it('The first invocation of the session within ten minutes is the one that recovered', async () => {
    const at = Date.now() - MINUTE;
    const one = newRefusal({ id: newRefusalId(at) });
    await storeRefusals(queues, [one], BOUNDS);
    await accept({ at: at - 1 });
    for (const other of [{ session: 't' }, { toolId: 'core:echo' }, { tenant: 'other' }])
      await accept({ at, ...other });
    await accept({ at: at + 10 * MINUTE + 1 });
    expect(await recoveredBy(one.refusal.id)).toBeNull();
    const first = await accept({ at: at + 10 });
    await accept({ at: at + 20 });
    expect(await recoveredBy(one.refusal.id)).toBe(first);
    const sum = { key: 'core:math/a~1b', refused: 1, recovered: 1, sample: one.refusal.id };
    expect(await sums('parameter')).toMatchObject([sum]);
  });

  it('A recovery is found behind thousands of other invocations of its session', async () => {
    const one = newRefusal();
    await storeRefusals(queues, [one], BOUNDS);
    for (let n = 0; n < 3; n++) await accept({ toolId: 'core:echo' });
    const [index = ''] = await queues.redis.keys('*index:acme:session:s');
    const members = Array.from({ length: 2_000 }, () => [0, newInvocationId().slice(4)]);
    await queues.redis.zadd(index, ...members.flat());
    const id = await accept();
    expect(await recoveredBy(one.refusal.id)).toBe(id);
  });

  it('A recovery stays known after its invocation is removed, if somebody looked for it before', async () => {
    const one = newRefusal();
    await storeRefusals(queues, [one], BOUNDS);
    const id = await accept();
    expect(await settleRefusals(queues, 'acme', AGE)).toEqual([]);
    await queues.redis.del(await queues.redis.keys('*index:acme:*'));
    expect(await recoveredBy(one.refusal.id)).toBe(id);
  });

  it('A refusal whose ten minutes are over is looked for once', async () => {
    const old = newRefusal({ id: newRefusalId(Date.now() - 15 * MINUTE) });
    await storeRefusals(queues, [old], BOUNDS);
    await settleRefusals(queues, 'acme', AGE);
    await accept({ at: Date.now() - 14 * MINUTE });
    await settleRefusals(queues, 'acme', AGE);
    expect(await recoveredBy(old.refusal.id)).toBeNull();
    expect(await queues.redis.ttl(keys.refusalsSettled('acme'))).toBeLessThanOrEqual(AGE);
  });

  it('Each refusal of a session that goes wrong and right in turn has its own recovery', async () => {
    const pairs: [refusal: string, invocation: string][] = [];
    const begin = Date.now() - MINUTE;
    for (let turn = 0; turn < 10; turn++) {
      const one = newRefusal({ id: newRefusalId(begin + 2 * turn) });
      await storeRefusals(queues, [one], { ...BOUNDS, count: 1_000 });
      pairs.push([one.refusal.id, await accept({ at: begin + 2 * turn + 1 })]);
    }
    for (const [refusal, invocation] of pairs) expect(await recoveredBy(refusal)).toBe(invocation);
    expect(await sums('tool')).toMatchObject([{ refused: 10, accepted: 10, recovered: 10 }]);
  });

  it('A summary has 200 keys and one for all others', async () => {
    const many = Array.from({ length: 205 }, (_, n) => newRefusal({ toolIds: [`core:t${n}`] }));
    await storeRefusals(queues, many, { ...BOUNDS, count: 1_000 });
    const found = await sums('tool');
    expect(found).toHaveLength(201);
    expect(found.at(-1)).toMatchObject({ key: 'other', refused: 5 });
  });
});
