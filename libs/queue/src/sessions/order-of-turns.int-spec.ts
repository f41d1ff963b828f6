import { newInvocationId } from '@errand/contracts';
import { MAIN, turnOf } from '../../test/sessions.js';
import { recordOf, succeed, useQueues } from '../../test/use-queues.js';
import {
  cancelInvocation,
  findPredecessor,
  readInvocation,
  submitInvocation,
  type Conversation,
  type InvocationRecord,
  type SubmitOptions,
} from '../index.js';
import { conversationKeys, sessionKey } from './conversation.js';
import { keys } from '../redis/names.js';

const kit = useQueues({ each: true });

async function submit(record: InvocationRecord, options: SubmitOptions = {}): Promise<string> {
  const id = newInvocationId();
  await submitInvocation(kit.queues, 'invocations', id, record, options);
  return id;
}

const submitTurns = async (count: number): Promise<string[]> => {
  const ids: string[] = [];
  for (let n = 0; n < count; n++) ids.push(await submit(turnOf(MAIN)));
  return ids;
};

const predecessorOf = (id: string, conversation: Conversation = MAIN) => findPredecessor(kit.queues, conversation, id);

const membersOf = (conversation: Conversation = MAIN) =>
  kit.queues.redis.zrange(conversationKeys(keys, conversation).turns, '0', '-1');

describe('The order of turns', () => {
  it('Each turn has the turn accepted before it as its predecessor', async () => {
    const [first, second, third] = await submitTurns(3);
    expect(await Promise.all([first!, second!, third!].map((id) => predecessorOf(id)))).toEqual([
      undefined,
      first,
      second,
    ]);
  });

  it('Turns that were submitted at the same moment have an order in which each waits for one other', async () => {
    const ids = await Promise.all(Array.from({ length: 50 }, () => submit(turnOf(MAIN))));
    const before = await Promise.all(ids.map((id) => predecessorOf(id)));
    expect(new Set(before).size).toBe(50);
    expect(before.filter((id) => id === undefined)).toHaveLength(1);
  });

  it('A turn that was cancelled while it waited leaves the order, and the turn behind it waits for the one before', async () => {
    const [first, second, third] = await submitTurns(3);
    await cancelInvocation(kit.queues, 'default', second!);
    expect(await predecessorOf(third!)).toBe(first);
    expect(await membersOf()).toEqual([first, third]);
  });

  it('Ended turns leave the order when the next turn looks', async () => {
    await kit.serve('invocations', succeed);
    const ended = await submitTurns(30);
    await Promise.all(ended.map((id) => kit.until(id, 'succeeded')));
    await kit.endConsumers();
    const id = await submit(turnOf(MAIN));
    expect(await predecessorOf(id)).toBeUndefined();
    expect(await membersOf()).toEqual([id]);
  });

  it('A turn whose job was removed by hand holds nobody up', async () => {
    const [first, second] = await submitTurns(2);
    await kit.queues.redis.del(`{errand}:invocations:${first}`);
    expect(await predecessorOf(second!)).toBeUndefined();
  });

  it('Turns of another agent, session or tenant have an order of their own', async () => {
    await submitTurns(1);
    for (const other of [
      { ...MAIN, agent: 'bob' },
      { ...MAIN, session: 'hall' },
      { ...MAIN, tenant: 'acme' },
    ]) {
      const id = await submit(turnOf(other));
      expect(await predecessorOf(id, other)).toBeUndefined();
    }
  });

  it('A turn that another turn called neither waits nor holds up a turn', async () => {
    const first = await submit(turnOf(MAIN));
    const called = await submit(turnOf(MAIN, { parentTurn: { invocationId: first, step: 0, round: 0 } }));
    const second = await submit(turnOf(MAIN));
    expect(await predecessorOf(called)).toBeUndefined();
    expect(await predecessorOf(second)).toBe(first);
  });

  it('A turn with a delay has its place at the end of the delay', async () => {
    const late = await submit(turnOf(MAIN), { delayMs: 3_600_000 });
    const now = await submit(turnOf(MAIN));
    expect(await predecessorOf(now)).toBeUndefined();
    expect(await predecessorOf(late)).toBe(now);
  });

  it('An invocation of several agents has a place in the order of each', async () => {
    const bob = { ...MAIN, agent: 'bob' };
    const both = turnOf(MAIN, { calls: [...turnOf(MAIN).calls, ...turnOf(bob).calls] });
    const first = await submit(both);
    expect(await predecessorOf(await submit(turnOf(MAIN)))).toBe(first);
    expect(await predecessorOf(await submit(turnOf(bob)), bob)).toBe(first);
  });

  it('A refused turn has no place', async () => {
    await kit.queues.redis.flushall();
    const id = newInvocationId();
    Object.assign(kit.queues.bounds, { waiting: 1 });
    try {
      await submit(turnOf({ ...MAIN, agent: 'bob' }));
      await expect(submitInvocation(kit.queues, 'invocations', id, turnOf(MAIN))).rejects.toThrow('full');
    } finally {
      Object.assign(kit.queues.bounds, { waiting: 0 });
    }
    expect(await membersOf()).toEqual([]);
  });

  it('A turn that was submitted twice under one id has one place and counts once', async () => {
    const id = await submit(turnOf(MAIN));
    await submitInvocation(kit.queues, 'invocations', id, turnOf(MAIN));
    expect(await membersOf()).toEqual([id]);
    expect(await kit.queues.redis.hget(sessionKey(keys, MAIN), 'turns:ada')).toBe('1');
  });
});

describe('The session of a turn', () => {
  it('A turn without a session gets one of its own', async () => {
    const id = newInvocationId();
    const { session: _, ...record } = turnOf(MAIN);
    const shown = await submitInvocation(kit.queues, 'invocations', id, record);
    expect(shown.record.session).toBe(`ses_${id.slice('inv_'.length)}`);
    expect((await readInvocation(kit.queues, 'default', id))!.session).toBe(shown.record.session);
  });

  it('An invocation that calls no agent gets no session', async () => {
    const id = await submit(recordOf());
    expect((await readInvocation(kit.queues, 'default', id))!.session).toBeNull();
    expect(await kit.queues.redis.keys('{errand}:session:*')).toEqual([]);
  });

  it('A session exists from the acceptance of its first turn on', async () => {
    await submit(turnOf(MAIN));
    expect(await kit.queues.redis.hgetall(sessionKey(keys, MAIN))).toMatchObject({
      session: MAIN.session,
      'turns:ada': '1',
      createdAt: expect.stringMatching(/^\d+$/),
    });
  });
});
