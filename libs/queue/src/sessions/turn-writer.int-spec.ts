import { newInvocationId, type TurnEvent } from '@errand/contracts';
import { appendMessages, beginAttempt, livesOf, MAIN, messageOf, turnOf } from '../../test/sessions.js';
import { LossyProxy } from '../../test/lossy-proxy.js';
import { useQueues } from '../../test/use-queues.js';
import { openConnection } from '../redis/primary-redis.js';
import {
  connectQueues,
  EventWriter,
  readConversation,
  readEvents,
  readState,
  submitInvocation,
  SupersededError,
  TurnWriter,
  Queues,
  type TurnAttempt,
} from '../index.js';
import { conversationKeys } from './conversation.js';
import { keys } from '../redis/names.js';

const kit = useQueues({ each: true });
let queues: Queues;
let turn: TurnAttempt;

async function beginTurn(over: Partial<typeof MAIN> = {}): Promise<TurnAttempt> {
  const id = newInvocationId();
  const conversation = { ...MAIN, ...over };
  await submitInvocation(queues, 'invocations', id, turnOf(conversation));
  return beginAttempt(queues, id, conversation);
}

beforeEach(async () => {
  ({ queues } = kit);
  turn = await beginTurn();
});

const contentsOf = async (conversation = MAIN) =>
  (await readConversation(queues, conversation, { maxChars: 1e9, maxMessages: 1e6 })).messages.map(({ id }) => id);

const ROUND: TurnEvent = { event: 'round', round: 0, status: 'running' };
const TEXT: TurnEvent = { event: 'text', round: 0, messageId: 'm', delta: 'Hello' };

describe('A step of a turn', () => {
  it('A step writes fields, events and messages together, and notifies the readers of the turn', async () => {
    const subscription = kit.notifications.listen(turn.id);
    const messages = [messageOf('a'), messageOf('b', { role: 'tool', toolCallId: 'c1', name: 'x' })];
    await new TurnWriter(queues, turn).commit({
      fields: [['0:round.0', { index: 0 }]],
      events: [ROUND, TEXT],
      messages,
    });
    expect(await subscription.next(AbortSignal.timeout(60_000))).toBe(true);
    subscription.close();
    expect((await readState(queues, turn.id)).get('0:round.0')).toBe('{"index":0}');
    const events = await readEvents(queues, turn.id);
    expect(events.map(({ number }) => number)).toEqual([1, 2]);
    expect(events.map(({ event }) => event)).toMatchObject([ROUND, TEXT]);
    expect(await readConversation(queues, MAIN, { maxChars: 1_000 })).toEqual({ messages, older: 0 });
  });

  it('A step that is written twice leaves each message once and in place', async () => {
    const writer = new TurnWriter(queues, turn);
    await writer.commit({ messages: [messageOf('a'), messageOf('b')] });
    await writer.commit({ messages: [messageOf('c')] });
    await writer.commit({ messages: [messageOf('b', { content: 'another' }), messageOf('d')] });
    expect(await contentsOf()).toEqual(['a', 'b', 'c', 'd']);
  });

  it('A superseded attempt writes nothing', async () => {
    await new TurnWriter(queues, turn).commit({ messages: [messageOf('a')] });
    await beginAttempt(queues, turn.id, MAIN);
    const late = new TurnWriter(queues, turn);
    const step = { fields: [['0', 1]] as const, events: [ROUND], messages: [messageOf('b')] };
    await expect(late.commit(step)).rejects.toThrow(SupersededError);
    expect(await contentsOf()).toEqual(['a']);
    expect(await readEvents(queues, turn.id)).toEqual([]);
    expect((await readState(queues, turn.id)).size).toBe(0);
  });

  it('A turn whose job does not exist writes nothing', async () => {
    const gone = { ...turn, id: newInvocationId() };
    await expect(new TurnWriter(queues, gone).commit({ messages: [messageOf('a')] })).rejects.toThrow(SupersededError);
    expect(await contentsOf()).toEqual([]);
  });

  it('New facts reset the count of deaths, and a repeated step does not', async () => {
    const job = `{errand}:invocations:${turn.id}`;
    const writer = new TurnWriter(queues, turn);
    const step = { fields: [['0:round.0', { index: 0 }]] as const, messages: [messageOf('a')] };
    await queues.redis.hset(job, 'stc', 2);
    await writer.commit(step);
    expect(await queues.redis.hget(job, 'stc')).toBe('0');
    await queues.redis.hset(job, 'stc', 2);
    await writer.commit({ ...step, events: [ROUND] });
    expect(await queues.redis.hget(job, 'stc')).toBe('2');
  });

  it('Events of a turn and of its steps share one numbering without gaps', async () => {
    const events = new EventWriter(queues, turn.id, () => {});
    const writer = new TurnWriter(queues, turn);
    const emitting = Array.from({ length: 40 }, async (_, n) => {
      events.emit({ event: 'log', line: `${n}`, stream: 'stderr', step: 0 });
      await Promise.all([events.flush(), writer.commit({ events: [TEXT] })]);
    });
    await Promise.all(emitting);
    expect((await readEvents(queues, turn.id)).map(({ number }) => number)).toEqual(
      Array.from({ length: 80 }, (_, n) => n + 1),
    );
  });

  it('Writers of several agents in one session keep their conversations apart', async () => {
    const other = await beginTurn({ agent: 'bob' });
    await Promise.all(
      Array.from({ length: 20 }, (_, n) => [
        new TurnWriter(queues, turn).commit({ messages: [messageOf(`a${n}`)] }),
        new TurnWriter(queues, other).commit({ messages: [messageOf(`b${n}`)] }),
      ]).flat(),
    );
    expect((await contentsOf()).toSorted()).toEqual(Array.from({ length: 20 }, (_, n) => `a${n}`).toSorted());
    expect(await contentsOf(other.conversation)).toHaveLength(20);
  });

  it('The names of sessions and agents cannot run into each other', async () => {
    const odd = await beginTurn({ session: 'kitchen: a/b:ada', agent: 'x' });
    const even = await beginTurn({ session: 'kitchen: a/b', agent: 'ada:x' });
    await new TurnWriter(queues, odd).commit({ messages: [messageOf('odd')] });
    expect(await contentsOf(even.conversation)).toEqual([]);
  });
});

describe('The bounds of a conversation', () => {
  const small = () =>
    connectQueues(kit.redis.url, { ageSeconds: 3_600, count: 10 }, undefined, { ageSeconds: 600, messages: 5 });

  it('A conversation keeps its newest messages up to the bound, and a removed message is not appended again', async () => {
    const bounded = small();
    try {
      const messages = Array.from({ length: 6 }, (_, n) => messageOf(`m${n}`));
      await appendMessages(bounded, turn, messages.slice(0, 5));
      expect(await contentsOf()).toEqual(['m0', 'm1', 'm2', 'm3', 'm4']);
      await appendMessages(bounded, turn, messages);
      expect(await contentsOf()).toEqual(['m1', 'm2', 'm3', 'm4', 'm5']);
    } finally {
      await bounded.close();
    }
  });

  it('The ids of removed messages are removed, too, after another 1,000', async () => {
    const bounded = small();
    try {
      await appendMessages(
        bounded,
        turn,
        Array.from({ length: 1_200 }, (_, n) => messageOf(`m${n}`)),
      );
      expect(await bounded.redis.zcard(conversationKeys(keys, MAIN).ids)).toBe(1_005);
    } finally {
      await bounded.close();
    }
  });

  it('Every key of a session lives as long as the session after its last turn', async () => {
    const other = await beginTurn({ agent: 'bob' });
    await appendMessages(queues, other, [messageOf('b')]);
    await appendMessages(queues, turn, [messageOf('a')]);
    const seconds = queues.sessions.ageSeconds;
    for (const conversation of [MAIN, other.conversation]) {
      const names = Object.values({ ...conversationKeys(keys, conversation) });
      await Promise.all(names.map((key) => queues.redis.expire(key, seconds / 2)));
    }
    await queues.redis.expire('{errand}:session:default:' + (await sessionDigest()), seconds / 2);
    await appendMessages(queues, turn, [messageOf('c')]);
    for (const conversation of [MAIN, other.conversation])
      for (const life of Object.values(await livesOf(queues, conversation))) {
        expect(life).toBeGreaterThan(seconds - 300);
        expect(life).toBeLessThanOrEqual(seconds);
      }
  });

  it('A turn never shortens the life of its session', async () => {
    await appendMessages(queues, turn, [messageOf('a')]);
    const key = '{errand}:session:default:' + (await sessionDigest());
    await queues.redis.expire(key, 10 * queues.sessions.ageSeconds);
    await appendMessages(queues, turn, [messageOf('b')]);
    const { session, messages } = await livesOf(queues, MAIN);
    expect(session).toBeGreaterThan(9 * queues.sessions.ageSeconds);
    expect(messages).toBeGreaterThan(9 * queues.sessions.ageSeconds);
  });
});

async function sessionDigest(): Promise<string> {
  const [key = ''] = await queues.redis.keys('{errand}:session:default:*');
  return key.slice(key.lastIndexOf(':') + 1);
}

describe('A command whose response is lost', () => {
  it('A step and a batch of events that are sent again are stored once', async () => {
    const proxy = await LossyProxy.start(kit.redis.url);
    const redis = openConnection(proxy.url, 'patient');
    const patient = new Queues(redis, queues.byName, queues.retention);
    const fence = { queue: 'invocations', attempt: turn.attempt } as const;
    const writer = new EventWriter(patient, turn.id, () => {}, fence);
    const write = async (event: TurnEvent) => {
      writer.emit(event);
      await writer.flush();
    };
    try {
      // Redis knows the scripts from now on, so that the lost responses are not those about a missing script.
      await new TurnWriter(patient, turn).commit({ fields: [['0:round.0', {}]] });
      await write({ ...TEXT, delta: 'first' });
      const lostStep = proxy.loseNext();
      await new TurnWriter(patient, turn).commit({ fields: [['0:round.0', { index: 0 }]], events: [ROUND] });
      await lostStep;
      const lostBatch = proxy.loseNext();
      writer.emit(TEXT);
      await write({ ...TEXT, delta: ' you' });
      await lostBatch;
      await write({ ...TEXT, delta: '!' });
      const events = await readEvents(queues, turn.id);
      expect(events.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5]);
      expect(events.map(({ event }) => ('delta' in event ? event.delta : event.event))).toEqual([
        'first',
        'round',
        'Hello',
        ' you',
        '!',
      ]);
    } finally {
      redis.disconnect();
      proxy.close();
    }
  });
});
