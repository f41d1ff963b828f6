import { useQueues } from '../../test/use-queues.js';
import { claimEffect, listEffects, type Effect, type EffectQuery } from '../index.js';

const test = useQueues({ each: true });
const SALE: Effect = { tenant: 'default', session: 's', toolId: 'shop:sell', arguments: { to: 'ann' } };
const step = (invocationId: string, n = 0) => ({ invocationId, step: n });
const list = async (query: EffectQuery = {}, tenant = 'default') =>
  (await listEffects(test.queues, tenant, query, { limit: 100 })).items;

describe('The ledger of effects', () => {
  it('An effect is in the ledger with the equal calls that did not run', async () => {
    await claimEffect(test.queues, SALE, step('inv_a', 1));
    expect(await claimEffect(test.queues, SALE, step('inv_b'))).toEqual(step('inv_a', 1));
    await claimEffect(test.queues, SALE, step('inv_b'));
    await claimEffect(test.queues, SALE, step('inv_c', 2));
    const at = expect.any(String);
    expect(await list()).toEqual([
      {
        session: 's',
        toolId: 'shop:sell',
        arguments: { to: 'ann' },
        invocationId: 'inv_a',
        step: 1,
        at,
        repeats: [
          { invocationId: 'inv_b', step: 0, at },
          { invocationId: 'inv_c', step: 2, at },
        ],
      },
    ]);
  });

  it('An effect that another step takes over has that step as its owner', async () => {
    await claimEffect(test.queues, SALE, step('inv_a'));
    await claimEffect(test.queues, SALE, step('inv_b'));
    await claimEffect(test.queues, SALE, step('inv_b'), step('inv_a'));
    expect(await list()).toMatchObject([{ invocationId: 'inv_b', repeats: [] }]);
  });

  it('The ledger is found by session and tool, and another tenant does not see it', async () => {
    const other = { ...SALE, session: 't', toolId: 'shop:give' };
    await claimEffect(test.queues, SALE, step('inv_a'));
    await claimEffect(test.queues, other, step('inv_b'));
    const toolsOf = async (query: EffectQuery, tenant?: string) =>
      (await list(query, tenant)).map(({ toolId }) => toolId).toSorted();
    expect(await toolsOf({})).toEqual(['shop:give', 'shop:sell']);
    expect(await toolsOf({ session: 't' })).toEqual(['shop:give']);
    expect(await toolsOf({ toolId: 'shop:sell' })).toEqual(['shop:sell']);
    expect(await toolsOf({ session: 't', toolId: 'shop:sell' })).toEqual([]);
    expect(await toolsOf({}, 'acme')).toEqual([]);
  });

  it('Pages of the ledger have each effect once, newest first', async () => {
    for (let n = 0; n < 7; n++) await claimEffect(test.queues, { ...SALE, arguments: { n } }, step(`inv_${n}`));
    const seen: string[] = [];
    for (let after: string | undefined, n = 0; n < 10; n++) {
      const page = await listEffects(test.queues, 'default', {}, { limit: 3, after });
      seen.push(...page.items.map((item) => item.at));
      if (page.next === undefined) break;
      after = page.next;
    }
    expect(seen).toHaveLength(7);
    expect(seen).toEqual(seen.toSorted((a, b) => (a < b ? 1 : -1)));
  });

  it('An entry lives as long as its claim and leaves the ledger with it', async () => {
    const { redis } = test.queues;
    const effect = { ...SALE, arguments: { text: 'x'.repeat(10_000) } };
    await claimEffect(test.queues, effect, step('inv_a'));
    const names = [...(await redis.keys('{errand}:effect:*')), ...(await redis.keys('{errand}:effect-entry:*'))];
    // The claim is renewed by an attempt that continues later.
    await Promise.all(names.map((name) => redis.expire(name, 60)));
    await claimEffect(test.queues, effect, step('inv_a'));
    const lives = await Promise.all(names.map((name) => redis.ttl(name)));
    expect(lives).toEqual([expect.closeTo(90 * 86_400 + 3_600, -3), expect.closeTo(90 * 86_400 + 3_600, -3)]);
    expect(await list()).toMatchObject([{ arguments: null }]);
    await redis.del(names.at(-1) ?? '');
    expect(await list()).toEqual([]);
    expect(await test.queues.redis.exists('{errand}:effects:default:all')).toBe(0);
  });
});
