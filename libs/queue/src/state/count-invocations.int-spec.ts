import { newInvocationId } from '@errand/contracts';
import { recordOf, useQueues } from '../../test/use-queues.js';
import {
  cancelInvocation,
  countByStatus,
  countInvocations,
  submitInvocations,
  type InvocationQuery,
  type Queues,
} from '../index.js';
import { changedKey } from './search-index.js';
import { keys } from '../redis/names.js';

const kit = useQueues({ each: true });
let queues: Queues;
beforeEach(() => {
  ({ queues } = kit);
});

const count = (query: InvocationQuery, tenant = 'default') => countInvocations(queues, tenant, query);

async function submit(sessions: readonly string[], tenant = 'default'): Promise<string[]> {
  const fresh = sessions.map((session) => ({
    queue: 'invocations' as const,
    id: newInvocationId(),
    record: recordOf({ session, tenant, agent: 'ada' }),
  }));
  await submitInvocations(queues, fresh);
  return fresh.map(({ id }) => id);
}

/** Adds entries without jobs to sets of the index. */
async function fill(size: number, ...sets: readonly string[]): Promise<void> {
  for (let from = 0; from < size; from += 10_000) {
    const members = Array.from({ length: Math.min(10_000, size - from) }, () => newInvocationId().slice(4));
    const changed = members.flatMap((member, n) => [Date.now() * 1_000 + from + n, member]);
    await queues.redis.zadd(changedKey(keys, 'default'), ...(changed as [number, string]));
    for (const set of sets) {
      const entries = members.flatMap((member) => [0, member]);
      await queues.redis.zadd(`{errand}:index:default:${set}`, ...(entries as [number, string]));
    }
  }
}

describe('The count of a list', () => {
  it('A count is exact for each combination of few conditions, and for the tenant only', async () => {
    const before = Date.now();
    const ids = await submit(['a', 'a', 'a', 'b', 'b']);
    await submit(['a'], 'stranger');
    await cancelInvocation(queues, 'default', ids[0]!);
    await cancelInvocation(queues, 'default', ids[3]!);
    const cases: [InvocationQuery, number][] = [
      [{}, 5],
      [{ session: 'a' }, 3],
      [{ session: 'a', agent: 'ada' }, 3],
      [{ session: 'a', statuses: ['cancelled'] }, 1],
      [{ statuses: ['cancelled'] }, 2],
      [{ statuses: ['queued'] }, 3],
      [{ statuses: ['queued', 'cancelled'], session: 'b' }, 2],
      [{ statuses: ['running', 'waiting_external'] }, 0],
      [{ ids: [...ids.slice(2), newInvocationId()] }, 3],
      [{ finishedFrom: before }, 2],
      [{ finishedTo: before }, 0],
      [{ finishedFrom: before, statuses: ['queued'] }, 0],
      [{ from: before - 60_000, to: Date.now() + 60_000 }, 5],
      [{ to: before - 60_000 }, 0],
      [{ updatedAfter: 0 }, 5],
      [{ updatedAfter: 0, session: 'b', statuses: ['queued'] }, 1],
      [{ updatedAfter: Date.now() + 60_000 }, 0],
      [{ session: 'none' }, 0],
    ];
    for (const [query, value] of cases) expect([query, await count(query)]).toEqual([query, { value, exact: true }]);
    expect(await count({}, 'stranger')).toEqual({ value: 1, exact: true });
    expect(await count({}, 'third')).toEqual({ value: 0, exact: true });
  });

  it('A count is exact up to 10,000, and says so above that', async () => {
    const [first] = await submit(['a']);
    await cancelInvocation(queues, 'default', first!);
    await fill(9_999, 'cancelled', 'agent:ada', 'session:a');
    const queries: InvocationQuery[] = [
      {},
      { session: 'a', agent: 'ada' },
      { statuses: ['cancelled'], session: 'a' },
      { statuses: ['cancelled'], updatedAfter: 0 },
    ];
    for (const query of queries) expect(await count(query)).toEqual({ value: 10_000, exact: true });
    await fill(1, 'cancelled', 'agent:ada', 'session:a');
    for (const query of queries) expect(await count(query)).toEqual({ value: 10_000, exact: false });
  });

  it('A count of rare matches among very many invocations ends, and is not exact', async () => {
    await submit(['rare']);
    await fill(120_000, 'failed', 'session:rare');
    await fill(120_000, 'failed', 'agent:ada');
    const { value, exact } = await count({ session: 'rare', agent: 'ada' });
    expect(exact).toBe(false);
    expect(value).toBeLessThanOrEqual(1);
  });
});

describe('The counts by status', () => {
  const counts = (query: InvocationQuery) => countByStatus(queues, 'default', query);
  const NONE = { queued: 0, running: 0, waiting_external: 0, succeeded: 0, failed: 0, cancelled: 0 };

  it('Counts without a filter are exact at any size, because they are sizes of sets', async () => {
    const [first] = await submit(['a', 'b']);
    await cancelInvocation(queues, 'default', first!);
    await fill(30_000, 'succeeded');
    expect(await counts({})).toEqual({
      counts: { ...NONE, queued: 1, succeeded: 30_000, cancelled: 1 },
      approximate: false,
    });
    expect(await counts({ statuses: ['succeeded'] })).toEqual({
      counts: { ...NONE, succeeded: 30_000 },
      approximate: false,
    });
  });

  it('Counts that would look at more than 10,000 invocations are approximate', async () => {
    await fill(12_000, 'failed', 'session:a');
    await fill(12_000, 'failed', 'agent:ada');
    const { counts: found, approximate } = await counts({ session: 'a', agent: 'ada' });
    expect([found.failed, approximate]).toEqual([0, true]);
  });
});
