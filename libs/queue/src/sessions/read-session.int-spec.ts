import { newInvocationId } from '@errand/contracts';
import { appendMessages, beginAttempt, MAIN, messageOf, turnOf } from '../../test/sessions.js';
import { succeed, suspendOnce, useQueues } from '../../test/use-queues.js';
import {
  cancelInvocation,
  deleteSession,
  listMessages,
  openSession,
  readInvocation,
  readSession,
  readSessionAgents,
  submitInvocation,
  type Conversation,
} from '../index.js';

const kit = useQueues({ each: true });
const { serve, until } = kit;
const BOB = { ...MAIN, agent: 'bob' };
const NAME = { tenant: MAIN.tenant, session: MAIN.session };

async function submit(conversation: Conversation = MAIN, over: object = {}): Promise<string> {
  const id = newInvocationId();
  await submitInvocation(kit.queues, 'invocations', id, turnOf(conversation, over));
  return id;
}

const countsOf = async () => (await readSession(kit.queues, NAME))?.turns;

describe('A stored session', () => {
  it('A session has its agents, its world state and its times', async () => {
    const id = await submit(BOB);
    await submit();
    const turn = await beginAttempt(kit.queues, id, BOB);
    await openSession(kit.queues, turn, { worldState: { door: 'shut' } });
    const session = await readSession(kit.queues, NAME);
    expect(session).toMatchObject({
      session: MAIN.session,
      agents: ['ada', 'bob'],
      worldState: { door: 'shut' },
      turns: { running: 2, waiting: 0, ended: 0 },
    });
    expect(Date.parse(session!.updatedAt)).toBeGreaterThanOrEqual(Date.parse(session!.createdAt));
  });

  it('A session that does not exist is undefined, also for another tenant', async () => {
    expect(await readSession(kit.queues, NAME)).toBeUndefined();
    await submit();
    expect(await readSession(kit.queues, { ...NAME, tenant: 'acme' })).toBeUndefined();
    expect(await readSessionAgents(kit.queues, { ...NAME, tenant: 'acme' })).toBeUndefined();
  });

  it('The turns of a session are counted by what they do, also those that another turn called', async () => {
    const waiting = await (async () => {
      await serve('invocations', suspendOnce(undefined, 'answer'));
      const id = await submit();
      await until(id, 'waiting_external');
      return id;
    })();
    await kit.endConsumers();
    await serve('invocations', succeed);
    await until(await submit(BOB), 'succeeded');
    await kit.endConsumers();
    const called = await submit(BOB, { parentTurn: { invocationId: waiting, step: 0, round: 0 } });
    expect(await countsOf()).toEqual({ running: 1, waiting: 1, ended: 1 });
    await Promise.all([waiting, called].map((id) => cancelInvocation(kit.queues, 'default', id)));
    expect(await countsOf()).toEqual({ running: 0, waiting: 0, ended: 3 });
  });

  it('More turns than one script looks at are counted', async () => {
    const ids = await Promise.all(Array.from({ length: 1_100 }, () => submit()));
    await Promise.all(ids.slice(0, 100).map((id) => cancelInvocation(kit.queues, 'default', id)));
    expect(await countsOf()).toEqual({ running: 1_000, waiting: 0, ended: 100 });
  });
});

describe('The deletion of a session', () => {
  it('A session with an open turn stays, and the turn is named', async () => {
    const [id, other] = [await submit(), await submit(BOB)];
    await cancelInvocation(kit.queues, 'default', id);
    expect(await deleteSession(kit.queues, NAME)).toEqual({ openTurn: other });
    expect(await readSessionAgents(kit.queues, NAME)).toEqual(['ada', 'bob']);
  });

  it('A deleted session leaves no key behind, and its invocations stay', async () => {
    const ids = [await submit(), await submit(BOB)];
    for (const [n, conversation] of [MAIN, BOB].entries()) {
      const turn = await beginAttempt(kit.queues, ids[n]!, conversation);
      await openSession(kit.queues, turn, { messages: [messageOf(`m${n}`)] });
    }
    await Promise.all(
      ids.map(async (id) => {
        // The test began the attempts itself, so no lock is held.
        await kit.queues.redis.hdel(`{errand}:invocations:${id}`, 'ats');
        await cancelInvocation(kit.queues, 'default', id);
      }),
    );
    expect(await deleteSession(kit.queues, NAME)).toBe('deleted');
    const keys = await kit.queues.redis.keys('{errand}:*');
    expect(keys.filter((key) => /^\{errand\}:(session|messages|message-ids|turns):/.test(key))).toEqual([]);
    expect((await readInvocation(kit.queues, 'default', ids[0]!))!.status).toBe('cancelled');
    expect(await deleteSession(kit.queues, NAME)).toBe('unknown');
  });
});

describe('The list of the messages of a session', () => {
  async function fill(): Promise<void> {
    const turns = [
      await beginAttempt(kit.queues, await submit(), MAIN),
      await beginAttempt(kit.queues, await submit(BOB), BOB),
    ];
    for (let n = 0; n < 30; n++) await appendMessages(kit.queues, turns[n % 3 === 0 ? 1 : 0]!, [messageOf(`m${n}`)]);
  }
  async function allPages(agents: readonly string[], limit: number): Promise<string[]> {
    const ids: string[] = [];
    for (let after: number | undefined = 0; after !== undefined;) {
      const page = await listMessages(kit.queues, NAME, { agents, after, limit });
      expect(page.items.length).toBeLessThanOrEqual(limit);
      ids.push(...page.items.map(({ message }) => message.id));
      after = page.next;
    }
    return ids;
  }

  it.each([1, 7, 20, 30, 1_000])(
    'Pages of %d messages have every message once, in the order of writing',
    async (limit) => {
      await fill();
      const ids = Array.from({ length: 30 }, (_, n) => `m${n}`);
      expect(await allPages(['ada', 'bob'], limit)).toEqual(ids);
      expect(await allPages(['bob'], limit)).toEqual(ids.filter((_, n) => n % 3 === 0));
    },
  );

  it('A page of large messages is cut by its size and continues without a gap', async () => {
    const [one, other] = [
      await beginAttempt(kit.queues, await submit(), MAIN),
      await beginAttempt(kit.queues, await submit(BOB), BOB),
    ];
    const content = 'x'.repeat(250_000);
    for (let n = 0; n < 20; n++) {
      const message = messageOf(`m${n}`, n % 5 === 0 ? {} : { content });
      await appendMessages(kit.queues, n % 5 === 0 ? other : one, [message]);
    }
    const { items } = await listMessages(kit.queues, NAME, { agents: ['ada'], after: 0, limit: 1_000 });
    expect(items).toHaveLength(8);
    expect(await allPages(['ada', 'bob'], 1_000)).toEqual(Array.from({ length: 20 }, (_, n) => `m${n}`));
  });

  it('A session without messages has an empty page', async () => {
    await submit();
    expect(await listMessages(kit.queues, NAME, { agents: ['ada'], after: 0, limit: 5 })).toEqual({ items: [] });
  });
});
