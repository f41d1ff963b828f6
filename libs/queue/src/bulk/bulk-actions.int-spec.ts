import { sendTwice } from '../../test/send-twice.js';
import { useQueues } from '../../test/use-queues.js';
import { BulkActions, MOST_OPEN_BULKS, type BulkPlan } from '../index.js';

const test = useQueues({ each: true });
const PLAN: BulkPlan = { action: 'cancel', sought: { statuses: ['queued'] }, filter: {}, matched: 3, asOf: 1_000 };
const ADA = { by: 'key:ada' };

let actions: BulkActions;
beforeEach(() => void (actions = new BulkActions(test.queues)));

async function begin(tenant = 'default', plan = PLAN): Promise<string> {
  const begun = await actions.begin(tenant, await actions.prepare(tenant, plan), ADA);
  if (typeof begun === 'string') throw new Error(begun);
  return begun.id;
}

/** As if the process with the action had been gone for longer than its lease. */
const endLeases = async () => {
  const names = await test.queues.redis.zrange('{errand}:bulk-queue', '0', '-1');
  for (const name of names) await test.queues.redis.zadd('{errand}:bulk-queue', 0, name);
};

describe('The token of a dry run', () => {
  it('A token begins its action once, and only for its tenant', async () => {
    const token = await actions.prepare('default', PLAN);
    expect(await actions.begin('acme', token, ADA)).toBe('unknown');
    expect(await actions.begin('default', 'forged', ADA)).toBe('unknown');
    const [first, second] = await Promise.all([
      actions.begin('default', token, { ...ADA, name: 'stop all' }),
      actions.begin('default', token, ADA),
    ]);
    expect([first, second].filter((begun) => begun === 'used')).toHaveLength(1);
    const [begun] = (await actions.list('default', 10)).items;
    expect(begun).toMatchObject({
      action: 'cancel',
      filter: {},
      by: 'key:ada',
      state: 'running',
      matched: 3,
      done: 0,
      skipped: 0,
      failed: [],
      asOf: '1970-01-01T00:00:01.000Z',
    });
    expect((await actions.list('acme', 10)).items).toEqual([]);
    expect(await actions.read('acme', begun?.id ?? '')).toBeUndefined();
  });

  it('A token has a lifetime, and Redis does not have it in clear', async () => {
    const token = await actions.prepare('default', PLAN);
    const [key = ''] = await test.queues.redis.keys('{errand}:bulk-token:*');
    expect(key).not.toContain(token);
    expect(await test.queues.redis.pttl(key)).toBeLessThanOrEqual(600_000);
    await test.queues.redis.del(key);
    expect(await actions.begin('default', token, ADA)).toBe('unknown');
  });

  it('An action whose begin is sent twice begins once, and its id is known', async () => {
    const token = await actions.prepare('default', PLAN);
    const begun = await sendTwice(test.queues.redis, () => actions.begin('default', token, ADA));
    expect((await actions.list('default', 10)).items).toMatchObject([begun]);
    expect(await actions.begin('default', token, ADA)).toBe('used');
  });

  it('A tenant has a bounded number of open actions', async () => {
    const ids: string[] = [];
    for (let n = 0; n < MOST_OPEN_BULKS; n++) ids.push(await begin());
    const token = await actions.prepare('default', PLAN);
    expect(await actions.begin('default', token, ADA)).toBe('busy');
    await begin('acme');
    await actions.abort('default', ids[0] ?? '');
    expect(await actions.begin('default', token, ADA)).toEqual({ id: expect.stringMatching(/^blk_/) });
  });
});

describe('The work on bulk actions', () => {
  it('Another process continues an action behind the last stored part, and the late end of the first one changes nothing', async () => {
    const id = await begin();
    const first = await actions.take();
    if (!first) throw new Error('nothing is due');
    await actions.commit(first, { done: 2, skipped: 1, failed: [{ id: 'inv_x', code: 'conflict' }], next: 'p1' });
    const second = await actions.take();
    if (!second) throw new Error('nothing is due');
    expect(second).toMatchObject({ id, tenant: 'default', plan: PLAN, position: 'p1' });
    expect(await actions.take()).toBeUndefined();
    await endLeases();
    const third = await new BulkActions(test.queues).take();
    expect(third).toMatchObject({ id, position: 'p1' });
    expect(await actions.renew(second)).toBe(false);
    await actions.commit(second, { done: 5, skipped: 0, failed: [], next: 'p2' });
    expect(await actions.read('default', id)).toMatchObject({ done: 2, skipped: 1, failedCount: 1 });
    if (third) await actions.commit(third, { done: 1, skipped: 0, failed: [] });
    expect(await actions.read('default', id)).toMatchObject({
      state: 'done',
      done: 3,
      skipped: 1,
      finishedAt: expect.any(String),
      failed: [{ id: 'inv_x', code: 'conflict' }],
    });
    await endLeases();
    expect(await actions.take()).toBeUndefined();
  });

  it('The part that a killed process had begun comes first, and a process without the lease notes none', async () => {
    await begin();
    const first = await actions.take();
    if (!first) throw new Error('nothing is due');
    expect(await actions.renew(first, { ids: ['inv_1'], next: 'p1' })).toBe(true);
    await endLeases();
    const second = await actions.take();
    if (!second) throw new Error('nothing is due');
    expect(second.begun).toEqual({ ids: ['inv_1'], next: 'p1' });
    await actions.commit(second, { done: 1, skipped: 0, failed: [], next: 'p1' });
    expect(await actions.renew(first, { ids: ['inv_1'], next: 'p1' })).toBe(false);
    expect(await actions.take()).toMatchObject({ position: 'p1' });
    await endLeases();
    expect(await actions.take()).not.toHaveProperty('begun');
  });

  it('A part that is stored twice counts once', async () => {
    const id = await begin();
    const part = await actions.take();
    if (!part) throw new Error('nothing is due');
    await sendTwice(test.queues.redis, () => actions.commit(part, { done: 1, skipped: 1, failed: [], next: 'a' }));
    expect(await actions.read('default', id)).toMatchObject({ done: 1, skipped: 1 });
  });

  it('Actions take turns, so that a long one does not hold up others', async () => {
    const long = await begin();
    const short = await begin('acme');
    const dueAt = (at: number, name: string) => test.queues.redis.zadd('{errand}:bulk-queue', at, name);
    await Promise.all([dueAt(1, `default:${long}`), dueAt(2, `acme:${short}`)]);
    const seen: string[] = [];
    for (let n = 0; n < 4; n++) {
      const taken = await actions.take();
      if (!taken) throw new Error('nothing is due');
      seen.push(taken.id);
      await dueAt(n + 3, `${taken.tenant}:${taken.id}`);
    }
    expect(seen).toEqual([long, short, long, short]);
  });

  it('An aborted action is taken no more, and the part that was running counts', async () => {
    const id = await begin();
    const taken = await actions.take();
    if (!taken) throw new Error('nothing is due');
    expect(await actions.abort('acme', id)).toBeUndefined();
    expect(await actions.abort('default', id)).toBe('running');
    expect(await actions.renew(taken)).toBe(false);
    await actions.commit(taken, { done: 2, skipped: 0, failed: [], next: 'p1' });
    expect(await actions.read('default', id)).toMatchObject({ state: 'aborted', done: 2 });
    expect(await actions.abort('default', id)).toBe('aborted');
    expect(await actions.take()).toBeUndefined();
  });

  it('All keys of bulk actions have a lifetime', async () => {
    await begin();
    const taken = await actions.take();
    if (taken)
      await actions.commit(taken, { done: 0, skipped: 0, failed: [{ id: 'inv_x', code: 'conflict' }], next: 'p' });
    const names = await test.queues.redis.keys('{errand}:bulk*');
    expect(names.length).toBeGreaterThanOrEqual(6);
    const lives = await Promise.all(names.map((name) => test.queues.redis.ttl(name)));
    expect(names.filter((_, n) => (lives[n] ?? 0) <= 0)).toEqual([]);
  });
});
