import { newInvocationId, ToolError, type Status } from '@errand/contracts';
import { recordOf, useQueues } from '../../test/use-queues.js';
import {
  cancelInvocation,
  listInvocations,
  SuspendJob,
  submitInvocations,
  type InvocationRecord,
  type Queues,
  type InvocationQuery,
} from '../index.js';

const DAY_MS = 86_400_000;

const kit = useQueues({ retention: { ageSeconds: 3_600, count: 1_000_000 }, each: true });
const { serve, until } = kit;
let queues: Queues;
beforeEach(() => {
  ({ queues } = kit);
});

async function submit(records: readonly InvocationRecord[], at?: number): Promise<string[]> {
  const fresh = records.map((each) => ({
    queue: 'invocations' as const,
    id: newInvocationId(at),
    record: each,
    ...(each.session === 'later' && { options: { delayMs: DAY_MS } }),
  }));
  await submitInvocations(queues, fresh);
  return fresh.map(({ id }) => id);
}

const newestFirst = (ids: readonly string[]) => ids.toSorted().toReversed();

/** All pages in order, as one list. */
async function listAll(query: InvocationQuery, limit = 7): Promise<string[]> {
  const ids: string[] = [];
  let after: string | undefined;
  do {
    const page = await listInvocations(queues, 'default', query, { limit, after });
    expect(page.items.length).toBeLessThanOrEqual(limit);
    ids.push(...page.items.map(({ id }) => id));
    after = page.next;
  } while (after !== undefined);
  return ids;
}

describe('The list of invocations', () => {
  it('A list contains each invocation once, newest first, across its pages', async () => {
    const ids = await submit(Array.from({ length: 23 }, () => recordOf()));
    expect(await listAll({})).toEqual(newestFirst(ids));
    expect(await listAll({}, 23)).toEqual(newestFirst(ids));
    const { items, next } = await listInvocations(queues, 'default', {}, { limit: 23 });
    expect(items).toHaveLength(23);
    expect(next).toBeUndefined();
    expect((await listInvocations(queues, 'stranger', {}, { limit: 5 })).items).toEqual([]);
  });

  it('A list filtered by tool, agent, session, metadata or status contains only the matching invocations', async () => {
    const [one, two, three, four] = (await submit([
      recordOf(
        { agent: 'ada', session: 's1', metadata: { ticket: 7, done: false, note: 'a=b' } },
        { toolId: 'test:one' },
      ),
      recordOf({ agent: 'ada', session: 's2', metadata: { ticket: '7' } }, { toolId: 'test:two' }),
      recordOf({ agent: 'bob', session: 's1', metadata: { ticket: 8, deep: { no: 1 } } }, { toolId: 'test:two' }),
      recordOf({ calls: ['test:one', 'test:two'].flatMap((toolId) => recordOf({}, { toolId }).calls) }),
    ])) as [string, string, string, string];
    expect(await listAll({ toolId: 'test:one' })).toEqual(newestFirst([one, four]));
    expect(await listAll({ toolId: 'test:two' })).toEqual(newestFirst([two, three, four]));
    expect(await listAll({ agent: 'ada' })).toEqual(newestFirst([one, two]));
    expect(await listAll({ session: 's1', agent: 'bob' })).toEqual([three]);
    expect(await listAll({ metadata: { ticket: '7' } })).toEqual(newestFirst([one, two]));
    expect(await listAll({ metadata: { ticket: '7', note: 'a=b' }, status: 'queued' })).toEqual([one]);
    expect(await listAll({ metadata: { ticket: '7' }, agent: 'bob' })).toEqual([]);
    expect(await listAll({ toolId: 'test:none' })).toEqual([]);
  });

  it('A list filtered by time contains only the invocations submitted in that time', async () => {
    const noon = Date.UTC(2026, 5, 1, 12);
    const ids: string[] = [];
    for (const hour of [0, 1, 2, 3]) ids.push(...(await submit([recordOf()], noon + hour * 3_600_000)));
    expect(await listAll({ from: noon + 3_600_000, to: noon + 3 * 3_600_000 })).toEqual(newestFirst(ids.slice(1, 3)));
    expect(await listAll({ toolId: 'test:tool', from: noon + 3 * 3_600_000 })).toEqual([ids[3]]);
    expect(await listAll({ to: noon, status: 'queued' })).toEqual([]);
  });

  it('A list filtered by status follows each change of an invocation at once', async () => {
    const hold = new AbortController();
    await serve('invocations', async ({ record: { session }, suspensions, signal }) => {
      if (session === 'failed') throw new ToolError('NodeError', 'no');
      if (session === 'suspended' && suspensions === 0) throw new SuspendJob(undefined, 'answer');
      if (session === 'running')
        await new Promise<void>((resolve) => {
          for (const end of [signal, hold.signal]) end.addEventListener('abort', () => resolve());
        });
      return { steps: [{ status: 'succeeded', result: 1 }] };
    });
    const sessions = ['later', 'running', 'suspended', 'failed', 'succeeded', 'cancelled', 'stopped'];
    const [later, running, suspended, failed, succeeded, cancelled, stopped] = (await submit(
      sessions.map((session) =>
        recordOf({ session: session.replace('cancelled', 'later').replace('stopped', 'running') }),
      ),
    )) as [string, string, string, string, string, string, string];
    await cancelInvocation(queues, 'default', cancelled);
    await until(stopped, 'running');
    await cancelInvocation(queues, 'default', stopped);
    const expected = { running: [running], waiting_external: [suspended], failed: [failed], succeeded: [succeeded] };
    for (const [status, ids] of Object.entries(expected)) for (const id of ids) await until(id, status);
    await until(stopped, 'cancelled');
    for (const [status, ids] of Object.entries({ ...expected, queued: [later], cancelled: [cancelled, stopped] })) {
      expect(await listAll({ status: status as Status })).toEqual(newestFirst(ids));
      expect(await listAll({ status: status as Status, toolId: 'test:tool' })).toEqual(newestFirst(ids));
    }
    expect(await listAll({})).toHaveLength(sessions.length);
    hold.abort();
    await until(running, 'succeeded');
    expect(await listAll({ status: 'succeeded' })).toEqual(newestFirst([running, succeeded]));
    expect(await listAll({ status: 'running' })).toEqual([]);
  });
});

describe('One page of a long list', () => {
  /** The number of Redis commands for one page, by command name. */
  async function commandsFor(query: InvocationQuery, after?: string): Promise<Record<string, number>> {
    const page = () => listInvocations(queues, 'default', query, { limit: 10, after });
    // The first page loads the script into Redis.
    await page();
    await queues.redis.config('RESETSTAT');
    await page();
    const stats = await queues.redis.info('commandstats');
    const calls = [...stats.matchAll(/cmdstat_(\w+):calls=(\d+)/g)].map(([, name, count]) => [name!, Number(count)]);
    const ours = calls.filter(([name]) => !/^(config|xread)/.test(String(name)));
    return Object.fromEntries(ours) as Record<string, number>;
  }

  it('A page of a long list needs no more Redis commands than one of a short list, at any depth', async () => {
    const rare = await submit([recordOf({ agent: 'rare' })], Date.UTC(2026, 0, 1));
    await submit(Array.from({ length: 30 }, () => recordOf({ agent: 'ada' })));
    const queries: InvocationQuery[] = [
      {},
      { status: 'queued' },
      { toolId: 'test:tool' },
      { toolId: 'test:tool', agent: 'ada' },
    ];
    const few = [];
    for (const query of queries) few.push(await commandsFor(query));
    // Adds index entries without jobs: a page reads only the jobs that it shows.
    const start = Date.UTC(2026, 0, 2);
    for (let from = 0; from < 100_000; from += 10_000) {
      const members = Array.from({ length: 10_000 }, (_, n) => [0, newInvocationId(start + from + n).slice(4)]).flat();
      for (const set of ['tool:test:tool', 'waiting:invocations'])
        await queues.redis.zadd(`{errand}:index:default:${set}`, ...(members as [number, string]));
    }
    for (const [n, query] of queries.entries()) expect(await commandsFor(query)).toEqual(few[n]);
    const deep = await commandsFor(
      {},
      (
        await submit(
          Array.from({ length: 20 }, () => recordOf()),
          start + 50_000,
        )
      )
        .toSorted()
        .at(-1),
    );
    expect(deep['zrevrangebylex']).toBe(few[0]!['zrevrangebylex']);
    // A rare value with its own set is found at once. Otherwise a page stops early and returns where to continue.
    expect(await listAll({ agent: 'rare' })).toEqual(rare);
    expect(await listAll({ agent: 'rare', toolId: 'test:tool', status: 'queued' })).toEqual(rare);
    const spent = await commandsFor({ status: 'queued', to: start + 90_000 });
    expect(spent['hexists']).toBeLessThanOrEqual(2 * 2_000);
  });
});
