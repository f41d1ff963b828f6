import { newInvocationId, newRefusalId, type Refusal } from '@errand/contracts';
import { recordOf, useQueues } from '../../test/use-queues.js';
import {
  findRefusals,
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
/** All ids, page after page. */
async function pagesOf(query: { from?: number; to?: number }, limit: number): Promise<string[]> {
  const ids: string[] = [];
  let after: string | undefined;
  do {
    const page = await listRefusals(queues, 'acme', query, { limit, after, ageSeconds: AGE });
    ids.push(...page.items.map(({ id }) => id));
    after = page.next;
  } while (after !== undefined);
  return ids;
}
const storeRefusals = (to: Queues, all: readonly NewRefusal[], bounds: RefusalBounds) =>
  store(to, all.map(writeRefusal), bounds);
const keysWith = (text: string) => queues.redis.keys(`*${text}*`);
const bytesKept = async () => Number(await queues.redis.hget(keys.refusalTotals('acme'), 'bytes'));
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
    expect(await queues.redis.hget(keys.refusalTotals('acme'), 'count')).toBe('5');
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
    const bytes = await bytesKept();
    expect(bytes).toBeLessThanOrEqual(64 * 1_048_576);
    expect(bytes).toBeGreaterThan(60_000_000);
  });

  it('The oldest of a batch are removed alone, with their recoveries', async () => {
    const begin = Date.now() - 2 * MINUTE;
    const all = Array.from({ length: 10 }, (_, n) => newRefusal({ id: newRefusalId(begin + n) }));
    await storeRefusals(queues, all, { ...BOUNDS, count: 100 });
    await accept({ at: begin + MINUTE });
    expect(await sums('tool')).toMatchObject([{ refused: 10, recovered: 10 }]);
    await storeRefusals(queues, [newRefusal({ session: 't' })], { ...BOUNDS, count: 4 });
    const kept = all.slice(7).map(({ refusal }) => refusal.id);
    expect((await idsOf()).slice(1)).toEqual(kept.toReversed());
    expect((await queues.redis.hkeys(keys.refusalRecoveries('acme'))).toSorted()).toEqual(kept);
    expect(await readRefusal(queues, 'acme', kept[0]!, AGE)).toMatchObject({ id: kept[0], text: 'x' });
    expect(await readRefusal(queues, 'acme', all[6]!.refusal.id, AGE)).toBeUndefined();
  });

  it('Pages are in the order of time, also if the batches of several processes overlap', async () => {
    const begin = Date.now() - MINUTE;
    const all = Array.from({ length: 600 }, (_, n) => newRefusal({ id: newRefusalId(begin + n * 20), text: `${n}` }));
    const everyThird = (turn: number) => all.filter((_, n) => n % 3 === turn);
    for (const turn of [1, 0, 2]) await storeRefusals(queues, everyThird(turn), { ...BOUNDS, count: 1_000 });
    const wanted = all.map(({ refusal: { id } }) => id).toReversed();
    expect(await pagesOf({}, 7)).toEqual(wanted);
    const range = { from: begin + 20 * 100, to: begin + 20 * 350 };
    expect(await pagesOf(range, 100)).toEqual(wanted.slice(250, 500));
    for (const { refusal } of all.filter((_, n) => n % 50 === 7))
      expect(await readRefusal(queues, 'acme', refusal.id, AGE)).toMatchObject({ text: refusal.text });
  });

  it('Refusals are found by the beginning of their ids', async () => {
    const begin = Date.now() - MINUTE;
    const all = Array.from({ length: 90 }, (_, n) => newRefusal({ id: newRefusalId(begin + n * 500) }));
    await storeRefusals(queues, all, { ...BOUNDS, count: 1_000 });
    const ids = all.map(({ refusal: { id } }) => id).toReversed();
    const found = async (text: string, limit = 100) =>
      (await findRefusals(queues, 'acme', text, limit)).map(({ id }) => id);
    for (const part of ['r', 'ref_', ids[0]!.slice(0, 8)]) expect(await found(part, 8)).toEqual(ids.slice(0, 8));
    for (const length of [11, 13, 14, 20, 43]) {
      const part = ids[40]!.slice(0, length);
      expect(await found(part)).toEqual(ids.filter((id) => id.startsWith(part)));
    }
    for (const part of ['inv_', 'ref_u', 'ref_~', `${ids[0]}0`, 'ref_zzzzzzzzzzzzz'])
      expect(await found(part)).toEqual([]);
  });

  it('A refusal that is stored twice counts once', async () => {
    const one = newRefusal();
    await storeRefusals(queues, [one], BOUNDS);
    const before = await bytesKept();
    await storeRefusals(queues, [one], BOUNDS);
    expect([await bytesKept(), (await idsOf()).length]).toEqual([before, 1]);
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
