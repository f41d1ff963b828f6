import { newInvocationId, type JsonObject } from '@errand/contracts';
import { beginAttempt, MAIN, messageOf, turnOf } from '../../test/sessions.js';
import { useQueues } from '../../test/use-queues.js';
import {
  openSession,
  readConversation,
  readEvents,
  readPrivateState,
  readState,
  readWorldState,
  submitInvocation,
  SupersededError,
  updateState,
  type Conversation,
  type Queues,
  type TurnAttempt,
} from '../index.js';

const kit = useQueues({ each: true });
let queues: Queues;
beforeEach(() => ({ queues } = kit));

async function beginTurn(conversation: Conversation = MAIN): Promise<TurnAttempt> {
  const id = newInvocationId();
  await submitInvocation(queues, 'invocations', id, turnOf(conversation));
  return beginAttempt(queues, id, conversation);
}

const PROFILE = { privateState: { mood: 'calm' }, worldState: { door: 'shut', lamp: { on: true } } };

describe('The begin of a turn', () => {
  it('The first turn of a session stores the initial states of its profile', async () => {
    expect(await openSession(queues, await beginTurn(), PROFILE)).toEqual(PROFILE);
    expect(await readWorldState(queues, MAIN)).toEqual(PROFILE.worldState);
    expect(await readPrivateState(queues, MAIN)).toEqual(PROFILE.privateState);
  });

  it('A later turn gets the states as they are, not the initial ones', async () => {
    await openSession(queues, await beginTurn(), PROFILE);
    await updateState(queues, MAIN, () => ({ mood: 'angry' }));
    expect(await openSession(queues, await beginTurn(), PROFILE)).toEqual({
      privateState: { mood: 'angry' },
      worldState: PROFILE.worldState,
    });
  });

  it('Another agent of the session has its own private state and the same world', async () => {
    await openSession(queues, await beginTurn(), PROFILE);
    const bob = { ...MAIN, agent: 'bob' };
    const opened = await openSession(queues, await beginTurn(bob), {
      privateState: { a: 1 },
      worldState: { other: 1 },
    });
    expect(opened).toEqual({ privateState: { a: 1 }, worldState: PROFILE.worldState });
    expect(await readPrivateState(queues, MAIN)).toEqual(PROFILE.privateState);
  });

  it('A session without initial states begins with empty ones', async () => {
    expect(await openSession(queues, await beginTurn(), {})).toEqual({ privateState: {}, worldState: {} });
  });

  it('The state of the message replaces top-level keys of the world state, as an event of the turn', async () => {
    const turn = await beginTurn();
    const state = { lamp: { off: 1 }, page: 'home' };
    const { worldState } = await openSession(queues, turn, { ...PROFILE, state });
    expect(worldState).toEqual({ door: 'shut', lamp: { off: 1 }, page: 'home' });
    expect((await readEvents(queues, turn.id)).map(({ event }) => event)).toMatchObject([
      {
        event: 'state',
        scope: 'world',
        patch: [
          { op: 'remove', path: '/lamp/on' },
          { op: 'add', path: '/lamp/off', value: 1 },
          { op: 'add', path: '/page', value: 'home' },
        ],
      },
    ]);
  });

  it('A second attempt of a turn writes its messages and the state of its message once', async () => {
    const turn = await beginTurn();
    const opening = { ...PROFILE, state: { page: 'home' }, messages: [messageOf(`${turn.id}.m0`)] };
    await openSession(queues, turn, opening);
    await updateState(queues, { tenant: MAIN.tenant, session: MAIN.session }, (world) => ({ ...world, page: 'shop' }));
    const again = await openSession(queues, await beginAttempt(queues, turn.id, MAIN), opening);
    expect(again.worldState).toMatchObject({ page: 'shop' });
    expect((await readConversation(queues, MAIN, { maxChars: 1e6 })).messages).toEqual(opening.messages);
  });

  it('A superseded attempt begins nothing', async () => {
    const turn = await beginTurn();
    await beginAttempt(queues, turn.id, MAIN);
    const opening = { ...PROFILE, state: { page: 'home' }, messages: [messageOf('a')] };
    await expect(openSession(queues, turn, opening)).rejects.toThrow(SupersededError);
    expect(await readWorldState(queues, MAIN)).toEqual({});
  });

  it('The names __proto__ and constructor are ordinary keys of a state', async () => {
    const state = JSON.parse('{"__proto__":{"admin":true},"constructor":1}') as JsonObject;
    const { worldState } = await openSession(queues, await beginTurn(), { ...PROFILE, state });
    expect(Object.keys(worldState).toSorted()).toEqual(['__proto__', 'constructor', 'door', 'lamp']);
    expect(({} as JsonObject)['admin']).toBeUndefined();
    expect(JSON.stringify(await readWorldState(queues, MAIN))).toContain('"__proto__":{"admin":true}');
  });

  it('A world state above its bound refuses the turn and says the limit', async () => {
    const state = { page: 'x'.repeat(256 * 1_024) };
    await expect(openSession(queues, await beginTurn(), { ...PROFILE, state })).rejects.toMatchObject({
      name: 'ResourceLimitError',
      details: { limit: 262_144 },
    });
  });

  it('A turn has not begun before the state of its message lies over the world state', async () => {
    const turn = await beginTurn();
    const begin = { fields: [['0:round.0', {}]], messages: [messageOf(`${turn.id}.m0`)] } as const;
    const large = { ...begin, state: { page: 'x'.repeat(256 * 1_024) } };
    await expect(openSession(queues, turn, large)).rejects.toThrow('bytes');
    expect((await readState(queues, turn.id)).size).toBe(0);
    const again = await beginAttempt(queues, turn.id, MAIN);
    expect(await openSession(queues, again, { ...begin, state: { page: 'home' } })).toMatchObject({
      worldState: { page: 'home' },
    });
    expect([...(await readState(queues, turn.id)).keys()]).toEqual(['0:round.0']);
  });
});
