import { digestOf, newInvocationId, type Definition, type Json } from '@errand/contracts';
import { MAIN, turnOf } from '../../test/sessions.js';
import { recordOf, useQueues } from '../../test/use-queues.js';
import {
  Definitions,
  eventDepthOf,
  findPredecessor,
  publishEvent,
  QueueFullError,
  readInvocation,
  submitInvocation,
  type InvocationRecord,
  type SessionEvent,
} from '../index.js';

const kit = useQueues({ each: true });

/** An agent whose triggers match, as the registry gives it. */
function agentNamed(agent: string) {
  const definition: Definition = {
    tool: {
      toolId: `agent:${agent}`,
      version: '1.0.0',
      displayName: agent,
      description: 'An agent.',
      kind: 'agent',
      parameters: { type: 'object' },
      tags: [],
      implementation: { type: 'agent', agentId: agent },
      source: 'agents/x.json',
      digest: 'd',
    },
  };
  return { agent, define: async () => ({ digest: digestOf(definition), definition }) };
}

const ALL = ['ada', 'bob', 'eve'].map(agentNamed);

async function submit(record: InvocationRecord): Promise<string> {
  const id = newInvocationId();
  await submitInvocation(kit.queues, 'invocations', id, record);
  return id;
}

const turnIn = (agent: string, over: Partial<InvocationRecord> = {}) => submit(turnOf({ ...MAIN, agent }, over));

function publish(over: Partial<SessionEvent> = {}) {
  const origin = { seed: 'inv_1 0', at: Date.parse('2026-01-02T03:04:05Z') };
  const event = { tenant: MAIN.tenant, session: MAIN.session, type: 'npc.moved', depth: 0, origin, ...over };
  return publishEvent(kit.queues, new Definitions(kit.queues), event, ALL);
}
const agentsOf = async (over: Partial<SessionEvent>) => (await publish(over)).map(({ agent }) => agent);

describe('An event of a session', () => {
  it('An event begins a turn of each agent that has acted in the session or is named, except the publisher', async () => {
    await turnIn('ada');
    await turnIn('bob');
    expect(await agentsOf({})).toEqual(['ada', 'bob']);
    expect(await agentsOf({ publisher: 'ada', origin: { seed: '2', at: 1 } })).toEqual(['bob']);
    expect(await agentsOf({ publisher: 'ada', agents: ['eve', 'ada'], origin: { seed: '3', at: 1 } })).toEqual([
      'bob',
      'eve',
    ]);
    expect(await agentsOf({ tenant: 'acme' })).toEqual([]);
    expect(await agentsOf({ session: 'hall', agents: ['eve'] })).toEqual(['eve']);
  });

  it('The turn has the event in its record, and its place behind the turns of its agent', async () => {
    const first = await turnIn('bob');
    const [turn] = await publish({ publisher: 'ada', payload: { x: 1 } });
    const stored = (await readInvocation(kit.queues, MAIN.tenant, turn!.invocationId))!;
    expect(stored.record).toMatchObject({
      session: MAIN.session,
      calls: [{ toolId: 'agent:bob', kind: 'agent', arguments: { message: 'Event npc.moved from ada: {"x":1}' } }],
      trigger: { event: 'npc.moved', payload: { x: 1 }, agent: 'ada', depth: 1 },
    });
    expect(stored.createdAt).toBe('2026-01-02T03:04:05.000Z');
    expect(await findPredecessor(kit.queues, { ...MAIN, agent: 'bob' }, turn!.invocationId)).toBe(first);
  });

  it('An event that is published again from the same origin begins no second turn', async () => {
    await turnIn('ada');
    await turnIn('bob');
    const [first, again] = [await publish(), await publish()];
    expect(again).toEqual(first);
    const other = await publish({ origin: { seed: 'inv_1 1', at: Date.now() } });
    expect(other.map(({ invocationId }) => invocationId)).not.toEqual(first.map(({ invocationId }) => invocationId));
    expect(await kit.queues.byName.invocations.getWaitingCount()).toBe(2 + 2 + 2);
  });

  it('A publisher that stops after a part of the turns begins the others the next time', async () => {
    await turnIn('ada');
    await turnIn('bob');
    Object.assign(kit.queues.bounds, { waiting: 3 });
    await expect(publish()).rejects.toThrow(QueueFullError);
    expect(await kit.queues.byName.invocations.getWaitingCount()).toBe(3);
    Object.assign(kit.queues.bounds, { waiting: 0 });
    expect(await publish()).toHaveLength(2);
    expect(await kit.queues.byName.invocations.getWaitingCount()).toBe(4);
  });

  it.each<[payload: Json | undefined, bytes: number | undefined]>([
    [undefined, undefined],
    ['x'.repeat(65_534), undefined],
    ['x'.repeat(65_535), 65_537],
    ['ü'.repeat(32_768), 65_538],
  ])('A payload has at most 64 KB', async (payload, bytes) => {
    await turnIn('ada');
    if (bytes === undefined) return expect(await publish({ payload })).toHaveLength(1);
    await expect(publish({ payload })).rejects.toMatchObject({ details: { limit: 65_536, value: bytes } });
  });
});

describe('A chain of events', () => {
  it('A chain has 8 events, and the ninth fails with the limit', async () => {
    await turnIn('ada');
    expect(await publish({ depth: 7 })).toHaveLength(1);
    await expect(publish({ depth: 8 })).rejects.toMatchObject({
      name: 'ResourceLimitError',
      details: { limit: 8, value: 9 },
    });
  });

  it('An event that no agent gets ends no chain', async () => {
    expect(await publish({ depth: 8 })).toEqual([]);
  });

  it('The depth of an event is found from a call of the turn, also through turns that called each other', async () => {
    const top = await turnIn('ada', { trigger: { event: 'x', depth: 3 } });
    const called = await turnIn('bob', { parentTurn: { invocationId: top, step: 0, round: 0 } });
    const parentTurn = { invocationId: called, step: 0, round: 2 };
    expect(await eventDepthOf(kit.queues, recordOf({ parentTurn }))).toBe(3);
    expect(await eventDepthOf(kit.queues, turnOf(MAIN, { trigger: { event: 'x', depth: 5 } }))).toBe(5);
    expect(await eventDepthOf(kit.queues, recordOf())).toBe(0);
    const gone = { invocationId: newInvocationId(), step: 0, round: 0 };
    expect(await eventDepthOf(kit.queues, recordOf({ parentTurn: gone }))).toBe(0);
  });
});
