import { newInvocationId, type Status } from '@errand/contracts';
import { recordOf, useQueues } from '../../test/use-queues.js';
import {
  cancelInvocation,
  giveAnswer,
  listInvocations,
  submitInvocations,
  SuspendJob,
  type InvocationQuery,
  type Queues,
} from '../index.js';
import { RetentionCleaner } from '../retention/clean-up.js';
import { keys } from '../redis/names.js';
import { changedKey } from './search-index.js';

const kit = useQueues({ retention: { ageSeconds: 3_600, count: 1_000_000 }, each: true });
const { serve, submit, until } = kit;
let queues: Queues;
beforeEach(() => {
  ({ queues } = kit);
});

const EVER = { updatedAfter: 0 };

/** Follows the order of changes as a client does: it keeps the last cursor, and reads until no more changes are there. */
class Follower {
  private cursor: string | undefined;

  constructor(
    private readonly query: InvocationQuery = EVER,
    private readonly limit = 3,
  ) {}

  async next(): Promise<{ id: string; status: Status }[]> {
    const seen: { id: string; status: Status }[] = [];
    for (;;) {
      const { items, next } = await listInvocations(queues, 'default', this.query, {
        limit: this.limit,
        after: this.cursor,
      });
      seen.push(...items.map(({ id, status }) => ({ id, status })));
      if (next === undefined) return seen;
      this.cursor = next;
    }
  }

  async nextIds(): Promise<string[]> {
    return (await this.next()).map(({ id }) => id);
  }
}

async function submitMany(count: number, session?: string): Promise<string[]> {
  const fresh = Array.from({ length: count }, () => ({
    queue: 'invocations' as const,
    id: newInvocationId(),
    record: recordOf(session === undefined ? {} : { session }),
  }));
  await submitInvocations(queues, fresh);
  return fresh.map(({ id }) => id);
}

describe('The order of changes', () => {
  it('A client that keeps its cursor sees each accepted invocation once, and later each one that has changed', async () => {
    const follower = new Follower();
    expect(await follower.nextIds()).toEqual([]);
    const ids = await submitMany(8);
    expect(await follower.nextIds()).toEqual(ids);
    expect(await follower.nextIds()).toEqual([]);
    await cancelInvocation(queues, 'default', ids[5]!);
    await cancelInvocation(queues, 'default', ids[2]!);
    expect(await follower.next()).toEqual([
      { id: ids[5], status: 'cancelled' },
      { id: ids[2], status: 'cancelled' },
    ]);
    expect(await new Follower().nextIds()).toEqual([...ids.filter((_, n) => n !== 5 && n !== 2), ids[5], ids[2]]);
    expect((await listInvocations(queues, 'stranger', EVER, { limit: 5 })).items).toEqual([]);
  });

  it('A start, a suspension, an answer and an end each move an invocation to the end of the order', async () => {
    const follower = new Follower();
    const id = await submit();
    expect(await follower.next()).toEqual([{ id, status: 'queued' }]);
    const held = new AbortController();
    const release = () => new Promise<void>((resolve) => held.signal.addEventListener('abort', () => resolve()));
    await serve('invocations', async ({ suspensions }) => {
      if (suspensions === 0) throw new SuspendJob(undefined, 'answer');
      await release();
      return { steps: [{ status: 'succeeded', result: 1 }] };
    });
    await until(id, 'waiting_external');
    expect(await follower.next()).toEqual([{ id, status: 'waiting_external' }]);
    await kit.endConsumers();
    await giveAnswer(queues, { reach: 'default', id, field: '0' }, { answer: { result: 1 } });
    expect(await follower.next()).toEqual([{ id, status: 'queued' }]);
    await serve('invocations', async () => {
      await release();
      return { steps: [{ status: 'succeeded', result: 1 }] };
    });
    await until(id, 'running');
    expect((await follower.next()).at(-1)).toEqual({ id, status: 'running' });
    held.abort();
    await until(id, 'succeeded');
    expect(await follower.next()).toEqual([{ id, status: 'succeeded' }]);
    expect(await follower.next()).toEqual([]);
  });

  it('A client that reads during many changes sees the end of every invocation', async () => {
    const follower = new Follower(EVER, 4);
    const ended = new Set<string>();
    await serve('invocations', async () => ({ steps: [{ status: 'succeeded', result: 1 }] }));
    const ids: string[] = [];
    const submitting = (async () => {
      for (let n = 0; n < 20; n++) ids.push(...(await submitMany(10)));
    })();
    const read = async () => {
      for (const { id, status } of await follower.next()) if (status === 'succeeded') ended.add(id);
    };
    const states: string[] = [];
    void submitting.then(() => states.push('submitted'));
    while (states.length === 0) await read();
    await submitting;
    for (const id of ids) await until(id, 'succeeded');
    await read();
    expect([...ended].toSorted()).toEqual(ids.toSorted());
  });

  it('Changes keep their order when the clock of Redis is set back', async () => {
    const [one] = await submitMany(1);
    // The number of the last change is a day ahead of the clock.
    const ahead = (Date.now() + 86_400_000) * 1_000;
    await queues.redis.set(keys.changeClock, ahead);
    const follower = new Follower();
    const later = await submitMany(3);
    expect(await follower.nextIds()).toEqual([one, ...later]);
    const last = await submitMany(2);
    expect(await follower.nextIds()).toEqual(last);
    expect(await queues.redis.get(keys.changeClock)).toBe(`${ahead + 5}`);
  });

  it('The filters of a list apply to the order of changes, for few and for many invocations', async () => {
    const rare = await submitMany(3, 'rare');
    await submitMany(30, 'common');
    await cancelInvocation(queues, 'default', rare[0]!);
    const expected = [rare[1], rare[2], rare[0]];
    expect(await new Follower({ ...EVER, session: 'rare' }).nextIds()).toEqual(expected);
    expect(await new Follower({ ...EVER, statuses: ['cancelled'] }).nextIds()).toEqual([rare[0]]);
    expect(await new Follower({ ...EVER, session: 'rare', statuses: ['queued'] }).nextIds()).toEqual(rare.slice(1));
    expect(await new Follower({ ...EVER, ids: rare.toReversed() }).nextIds()).toEqual(expected);
    expect(await new Follower({ ...EVER, finishedFrom: 1 }).nextIds()).toEqual([rare[0]]);
    expect(await new Follower({ updatedAfter: Date.now() + 3_600_000 }).nextIds()).toEqual([]);
    const follower = new Follower({ ...EVER, session: 'rare' });
    await follower.next();
    await cancelInvocation(queues, 'default', rare[2]!);
    expect(await follower.nextIds()).toEqual([rare[2]]);
  });

  it('A rare match behind many changes is found, and the pages end', async () => {
    const [rare] = await submitMany(1, 'rare');
    // Entries without jobs. A walk through all of them takes several pages.
    const start = Date.now() * 1_000;
    const entries = Array.from({ length: 5_000 }, (_, n) => [start + n, newInvocationId().slice(4)]).flat();
    const key = changedKey(keys, 'default');
    await queues.redis.zadd(key, ...(entries as [number, string]));
    await queues.redis.zadd(key, start + 6_000, rare!.slice(4));
    const many = Array.from({ length: 3_000 }, () => [0, newInvocationId().slice(4)]).flat();
    for (const set of ['session:rare', 'waiting:invocations'])
      await queues.redis.zadd(`{errand}:index:default:${set}`, ...(many as [number, string]));
    expect(await new Follower({ ...EVER, session: 'rare', statuses: ['queued'] }).nextIds()).toEqual([rare]);
  });
});

describe('The entries of the order of changes', () => {
  it('Retention removes the entry of an invocation', async () => {
    const [id, other] = await submitMany(2);
    await cancelInvocation(queues, 'default', id!);
    const cleaner = new RetentionCleaner(queues, () => {});
    await cleaner.sweep(Date.now() + 7_200_000);
    expect(await queues.redis.zrange(changedKey(keys, 'default'), '0', '-1')).toEqual([other!.slice(4)]);
    expect(await new Follower().nextIds()).toEqual([other]);
  });

  it('Invocations that an earlier version accepted are in the order: ended ones at their end', async () => {
    const ids = await submitMany(5);
    await cancelInvocation(queues, 'default', ids[3]!);
    const { finishedAt } = await until(ids[3]!, 'cancelled');
    // An earlier version had no such order.
    await queues.redis.del(changedKey(keys, 'default'), keys.changeClock);
    const [fresh] = await submitMany(1);
    const all = await new Follower().nextIds();
    expect(all.toSorted()).toEqual([...ids, fresh!].toSorted());
    expect(all[0]).toBe(ids[3]);
    const ended = Date.parse(finishedAt!);
    expect(await new Follower({ updatedAfter: ended + 1 }).nextIds()).not.toContain(ids[3]);
    expect(await new Follower({ updatedAfter: ended }).nextIds()).toContain(ids[3]);
  });

  it('Entries that share a number, and an entry that moves, lose no invocation at the edge of a page', async () => {
    const ids = await submitMany(9);
    const key = changedKey(keys, 'default');
    for (const id of ids) await queues.redis.zadd(key, 1_000_000, id.slice(4));
    const follower = new Follower(EVER, 4);
    expect((await follower.nextIds()).toSorted()).toEqual(ids.toSorted());
    const [first] = (await listInvocations(queues, 'default', EVER, { limit: 1 })).items;
    const { next } = await listInvocations(queues, 'default', EVER, { limit: 1 });
    await cancelInvocation(queues, 'default', first!.id);
    const { items } = await listInvocations(queues, 'default', EVER, { limit: 20, after: next });
    expect(items.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
  });
});
