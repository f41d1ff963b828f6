import { newInvocationId, type JsonObject } from '@errand/contracts';
import { applyPatch } from 'fast-json-patch';
import { beginAttempt, MAIN, turnOf } from '../../test/sessions.js';
import { useQueues } from '../../test/use-queues.js';
import {
  cancelInvocation,
  connectQueues,
  readEvents,
  readPrivateState,
  readWorldState,
  STATE_BYTES,
  submitInvocation,
  SupersededError,
  updateState,
  type Queues,
} from '../index.js';
import { sessionKey } from './conversation.js';
import { keys } from '../redis/names.js';

const kit = useQueues({ each: true });
let queues: Queues;
beforeEach(() => ({ queues } = kit));

const WORLD = { tenant: MAIN.tenant, session: MAIN.session };
const set = (key: string, value: JsonObject[string]) => (state: JsonObject) => ({ ...state, [key]: value });
const increment = (state: JsonObject) => ({ ...state, n: Number(state['n'] ?? 0) + 1 });

async function openTurn(): Promise<string> {
  const id = newInvocationId();
  await submitInvocation(queues, 'invocations', id, turnOf(MAIN));
  return id;
}

const patchesOf = async (id: string) =>
  (await readEvents(queues, id)).flatMap(({ event }) => (event.event === 'state' ? [event] : []));

describe('A change of a state', () => {
  it('Concurrent writers of several processes lose no change', async () => {
    const other = connectQueues(kit.redis.url, { ageSeconds: 3_600, count: 10 });
    try {
      const writers = Array.from({ length: 60 }, (_, n) => updateState(n % 2 ? queues : other, WORLD, increment));
      await Promise.all(writers);
    } finally {
      await other.close();
    }
    expect(await readWorldState(queues, WORLD)).toEqual({ n: 60 });
  });

  it('The events of a turn report its changes as patches that lead from the first state to the last', async () => {
    const id = await openTurn();
    await updateState(queues, WORLD, () => ({ list: [1, 2], deep: { a: 1 } }));
    const before = await readWorldState(queues, WORLD);
    await updateState(queues, WORLD, set('list', [2, 3, 4]), { id });
    await updateState(queues, WORLD, ({ list }) => ({ list: list ?? null, 'a/b~c': { x: null } }), { id });
    const events = await patchesOf(id);
    expect(events.map(({ scope }) => scope)).toEqual(['world', 'world']);
    const patched = events.reduce(
      (state, { patch }) => applyPatch(state, patch as never, true, false).newDocument,
      before,
    );
    expect(patched).toEqual(await readWorldState(queues, WORLD));
  });

  it('The order of the events is the order of the changes when many writers change one state', async () => {
    const id = await openTurn();
    await Promise.all(Array.from({ length: 30 }, () => updateState(queues, WORLD, increment, { id })));
    const values = (await patchesOf(id)).map(({ patch }) => patch[0]?.['value']);
    expect(values).toEqual(Array.from({ length: 30 }, (_, n) => n + 1));
  });

  it('A change of the private state is an event with its scope', async () => {
    const id = await openTurn();
    await updateState(queues, MAIN, set('mood', 'calm'), { id });
    expect(await patchesOf(id)).toMatchObject([
      { scope: 'private', patch: [{ op: 'add', path: '/mood', value: 'calm' }] },
    ]);
    expect(await readPrivateState(queues, MAIN)).toEqual({ mood: 'calm' });
    expect(await readWorldState(queues, WORLD)).toEqual({});
  });

  it('A change that changes nothing is no event', async () => {
    const id = await openTurn();
    await updateState(queues, WORLD, (state) => ({ ...state }), { id });
    expect(await patchesOf(id)).toEqual([]);
  });

  it('A turn that has ended gets no event, and the change is stored', async () => {
    const id = await openTurn();
    await cancelInvocation(queues, 'default', id);
    await updateState(queues, WORLD, increment, { id });
    expect(await patchesOf(id)).toEqual([]);
    expect(await readWorldState(queues, WORLD)).toEqual({ n: 1 });
  });

  it('A superseded attempt of a turn changes nothing', async () => {
    const id = await openTurn();
    const { attempt } = await beginAttempt(queues, id, MAIN);
    await beginAttempt(queues, id, MAIN);
    await expect(updateState(queues, WORLD, increment, { id, attempt })).rejects.toThrow(SupersededError);
    expect(await readWorldState(queues, WORLD)).toEqual({});
  });

  it('A change with a mark happens once', async () => {
    const id = await openTurn();
    await updateState(queues, WORLD, increment, { id, mark: 'once' });
    await updateState(queues, WORLD, increment, { id, mark: 'once' });
    expect(await readWorldState(queues, WORLD)).toEqual({ n: 1 });
  });

  it('An error of the change is passed on, and the state stays', async () => {
    const fail = () => {
      throw new Error('no such path');
    };
    await expect(updateState(queues, WORLD, fail)).rejects.toThrow('no such path');
    expect(await queues.redis.exists(sessionKey(keys, WORLD))).toBe(0);
  });
});

describe('The bounds of a state', () => {
  it.each([
    ['world', WORLD],
    ['private', MAIN],
  ] as const)('The %s state may have its bound in bytes and not one more', async (scope, name) => {
    const limit = STATE_BYTES[scope];
    // {"x":"…"} has 8 bytes beside the text, and each ü has 2.
    const text = 'ü'.repeat((limit - 8) / 2);
    await updateState(queues, name, set('x', text));
    await expect(updateState(queues, name, set('x', `${text}.`))).rejects.toMatchObject({
      name: 'ResourceLimitError',
      message: expect.stringContaining(`${limit} are allowed`),
      details: { limit, value: limit + 1 },
    });
  });

  it('A state that nests too deep is refused before it is stored', async () => {
    const deep = JSON.parse(`{"a":${'['.repeat(5_000)}${']'.repeat(5_000)}}`) as JsonObject;
    await expect(updateState(queues, WORLD, () => deep)).rejects.toMatchObject({ name: 'ParameterValidationError' });
  });

  it('Names such as __proto__ are data of a state and of its patch', async () => {
    const id = await openTurn();
    const hostile = '{"__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}}}';
    await updateState(queues, WORLD, () => JSON.parse(hostile) as JsonObject, { id });
    expect(JSON.stringify(await readWorldState(queues, WORLD))).toBe(hostile);
    expect((await patchesOf(id)).flatMap(({ patch }) => patch.map(({ path }) => path))).toEqual([
      '/__proto__',
      '/constructor',
    ]);
    await updateState(queues, WORLD, () => JSON.parse('{"__proto__":{"admin":false}}') as JsonObject, { id });
    expect(JSON.stringify(await readWorldState(queues, WORLD))).toBe('{"__proto__":{"admin":false}}');
    expect(({} as JsonObject)['admin']).toBeUndefined();
  });
});
