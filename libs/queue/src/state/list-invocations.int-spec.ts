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
    expect(await listAll({ metadata: { ticket: '7', note: 'a=b' }, statuses: ['queued'] })).toEqual([one]);
    expect(await listAll({ metadata: { ticket: '7' }, agent: 'bob' })).toEqual([]);
    expect(await listAll({ toolId: 'test:none' })).toEqual([]);
  });

  it('A list filtered by time contains only the invocations submitted in that time', async () => {
    const noon = Date.UTC(2026, 5, 1, 12);
    const ids: string[] = [];
    for (const hour of [0, 1, 2, 3]) ids.push(...(await submit([recordOf()], noon + hour * 3_600_000)));
    expect(await listAll({ from: noon + 3_600_000, to: noon + 3 * 3_600_000 })).toEqual(newestFirst(ids.slice(1, 3)));
    expect(await listAll({ toolId: 'test:tool', from: noon + 3 * 3_600_000 })).toEqual([ids[3]]);
    expect(await listAll({ to: noon, statuses: ['queued'] })).toEqual([]);
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
      expect(await listAll({ statuses: [status as Status] })).toEqual(newestFirst(ids));
      expect(await listAll({ statuses: [status as Status], toolId: 'test:tool' })).toEqual(newestFirst(ids));
    }
    expect(await listAll({})).toHaveLength(sessions.length);
    hold.abort();
    await until(running, 'succeeded');
    expect(await listAll({ statuses: ['succeeded'] })).toEqual(newestFirst([running, succeeded]));
    expect(await listAll({ statuses: ['running'] })).toEqual([]);
  });
});

describe('A list with several conditions', () => {
  const stop = new AbortController();
  afterAll(() => stop.abort());

  it('A list of several statuses is in one order, and its cursor survives changes of status', async () => {
    const ids = await submit(
      Array.from({ length: 12 }, (_, n) => recordOf({ session: n % 3 === 0 ? 'later' : 'now' })),
    );
    for (const n of [1, 4, 6]) await cancelInvocation(queues, 'default', ids[n]!);
    expect(await listAll({ statuses: ['cancelled', 'queued'] }, 3)).toEqual(newestFirst(ids));
    expect(await listAll({ statuses: ['cancelled', 'failed'] }, 2)).toEqual(newestFirst([ids[1]!, ids[4]!, ids[6]!]));
    const query = { statuses: ['cancelled', 'queued'] as const };
    const first = await listInvocations(queues, 'default', query, { limit: 5 });
    for (const n of [0, 9, 11]) await cancelInvocation(queues, 'default', ids[n]!);
    const rest = await listInvocations(queues, 'default', query, { limit: 20, after: first.next });
    expect([...first.items, ...rest.items].map(({ id }) => id)).toEqual(newestFirst(ids));
    expect(await listAll({ statuses: ['queued', 'running'], session: 'later' })).toEqual(newestFirst([ids[3]!]));
  });

  it('A list of running invocations has none of another tenant', async () => {
    await serve('invocations', async ({ signal }) => {
      await new Promise<void>((resolve) => {
        for (const end of [signal, stop.signal]) end.addEventListener('abort', () => resolve());
      });
      return { steps: [{ status: 'succeeded', result: 1 }] };
    });
    const [own] = await submit([recordOf({ session: 'own' }), recordOf({ tenant: 'stranger' })]);
    await until(own!, 'running');
    while ((await queues.byName.invocations.getActiveCount()) < 2) await new Promise(setImmediate);
    expect(await listAll({ statuses: ['running'] })).toEqual([own]);
    expect(await listAll({ statuses: ['running', 'waiting_external', 'failed'] })).toEqual([own]);
    expect(await listAll({ statuses: ['running'], updatedAfter: 0 })).toEqual([own]);
    expect((await listInvocations(queues, 'third', { statuses: ['running'] }, { limit: 5 })).items).toEqual([]);
    stop.abort();
  });

  it('A list by ids has the known ones of the tenant that fulfil the other conditions', async () => {
    const ids = await submit(['a', 'a', 'b', 'b'].map((session) => recordOf({ session })));
    const [foreign] = await submit([recordOf({ tenant: 'stranger' })]);
    await cancelInvocation(queues, 'default', ids[0]!);
    const asked = [...ids.slice(0, 3), ids[0]!, foreign!, newInvocationId()];
    expect(await listAll({ ids: asked }, 2)).toEqual(newestFirst(ids.slice(0, 3)));
    expect(await listAll({ ids: asked, session: 'a', statuses: ['queued'] })).toEqual([ids[1]]);
    expect(await listAll({ ids: asked, statuses: ['cancelled'] })).toEqual([ids[0]]);
    expect(await listAll({ ids: [foreign!] })).toEqual([]);
  });

  it('A list by the time of the end has the invocations that ended in that time, newest first', async () => {
    const ids = await submit(Array.from({ length: 6 }, (_, n) => recordOf({ session: n < 3 ? 'a' : 'b' })));
    const ends = new Map<string, number>();
    // The older ones end last.
    for (const id of newestFirst(ids).slice(1)) {
      await cancelInvocation(queues, 'default', id);
      ends.set(id, Date.parse((await until(id, 'cancelled')).finishedAt!));
      while (Date.now() <= ends.get(id)!) await new Promise(setImmediate);
    }
    const [third, first] = [ends.get(ids[2]!)!, ends.get(ids[0]!)!];
    expect(await listAll({ finishedFrom: third }, 2)).toEqual(newestFirst(ids.slice(0, 3)));
    expect(await listAll({ finishedFrom: third, finishedTo: first }, 2)).toEqual(newestFirst(ids.slice(1, 3)));
    expect(await listAll({ finishedTo: third, session: 'b' })).toEqual(newestFirst(ids.slice(3, 5)));
    expect(await listAll({ finishedFrom: third, session: 'b' })).toEqual([]);
    expect(await listAll({ finishedFrom: third, statuses: ['failed', 'queued'] })).toEqual([]);
    expect(await listAll({ finishedTo: third, statuses: ['queued'] })).toEqual([]);
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
      { statuses: ['queued'] },
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
    expect(await listAll({ agent: 'rare', toolId: 'test:tool', statuses: ['queued'] })).toEqual(rare);
    const spent = await commandsFor({ statuses: ['queued'], to: start + 90_000 });
    // The walk and the read of a page look for each job in both queues.
    expect(spent['hmget']).toBeLessThanOrEqual(2 * 2 * 2_000);
  });
});
