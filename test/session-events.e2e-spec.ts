import type { Invocation, JsonObject } from '@errand/contracts';
import { eventually } from './support/eventually.js';
import { useScriptedModel, type ModelRequest } from './support/scripted-model.js';
import { useStack } from './support/start-stack.js';
import { turnLibrary } from './support/turn-library.js';

const ANY = ['events:publish', 'state:*', 'session:*'];
const agent = (id: string, more: object) =>
  JSON.stringify({
    id,
    core_deliberation_workflow_id: 'core:deliberate',
    instructions: `You are ${id}.`,
    tool_ids_inventory: ANY,
    ...more,
  });

const model = useScriptedModel();
const { client } = useStack({
  with: ['worker'],
  library: turnLibrary({
    'agents/teller.json': agent('teller', { triggers: [{ event: 'npc.*' }], worldState: { door: 'shut' } }),
    'agents/guard.json': agent('guard', { triggers: [{ event: 'npc.*' }, { event: 'alarm' }] }),
    'agents/cook.json': agent('cook', { triggers: [{ event: 'food' }] }),
    'agents/tick.json': agent('tick', { triggers: [{ event: 'clock' }] }),
    'agents/tock.json': agent('tock', { triggers: [{ event: 'clock' }] }),
  }),
});

const act = (tool: string, args: JsonObject) =>
  `<ACTION><${tool}>${Object.entries(args)
    .map(([name, value]) => `<${name}>${typeof value === 'string' ? value : JSON.stringify(value)}</${name}>`)
    .join('')}</${tool}></ACTION>`;
const isFirst = ({ last }: ModelRequest) => !last.startsWith('Observation');
/** The agent of a request, by its instructions. */
const askedOf = ({ messages: [system] }: ModelRequest) => /You are (\w+)\./.exec(JSON.stringify(system))?.[1];
const say = (id: string, session: string, message = 'Hello') =>
  client.invoke({ toolId: `agent:${id}`, arguments: { message }, session });

interface Message {
  role: string;
  content: string;
  invocationId: string;
}
const messagesOf = async (session: string, id: string) =>
  (await client.get<{ items: Message[] }>(`/v1/sessions/${session}/messages?agent=${id}&limit=1000`)).body.items;

async function untilQuiet(session: string): Promise<void> {
  await eventually(async () => {
    const { turns } = (await client.get<{ turns: Record<string, number> }>(`/v1/sessions/${session}`)).body;
    return turns.running === 0 && turns.waiting === 0;
  }, `all turns of ${session} have ended`);
}

describe('An event that an agent publishes', () => {
  it('An event begins a turn of each agent whose triggers match, except the publisher', async () => {
    model.current.restart((request) => {
      if (askedOf(request) !== 'teller' || !isFirst(request)) return 'Noted.';
      return act('PublishEventTool', { event_type: 'npc.moved', payload: '<to>hall</to>' });
    });
    await say('guard', 'moves');
    await say('cook', 'moves');
    const told = await say('teller', 'moves');
    const { turns } = told.steps[0]!.rounds![0]!.calls[0]!.result as {
      turns: { agent: string; invocationId: string }[];
    };
    expect(turns).toEqual([{ agent: 'guard', invocationId: expect.stringMatching(/^inv_/) }]);
    await untilQuiet('moves');
    expect((await messagesOf('moves', 'guard')).slice(2)).toMatchObject([
      { role: 'event', content: 'Event npc.moved from teller: {"to":"hall"}', invocationId: turns[0]!.invocationId },
      { role: 'assistant', content: 'Noted.' },
    ]);
    expect((await messagesOf('moves', 'teller')).map(({ role }) => role)).not.toContain('event');
    expect(await messagesOf('moves', 'cook')).toHaveLength(2);
  });

  it('An agent that has not acted gets the event only if it is named', async () => {
    model.current.restart((request) => {
      if (askedOf(request) !== 'teller' || !isFirst(request)) return 'Noted.';
      const named: JsonObject = request.last.includes('named') ? { agents: ['guard', 'cook'] } : {};
      return act('events:publish', { event_type: 'npc.moved', ...named });
    });
    const turnsOf = ({ steps }: Invocation) => steps[0]!.rounds![0]!.calls[0]!.result;
    expect(turnsOf(await say('teller', 'alone'))).toEqual({ turns: [] });
    expect(turnsOf(await say('teller', 'alone', 'named'))).toMatchObject({ turns: [{ agent: 'guard' }] });
    await untilQuiet('alone');
  });

  it('A chain of events ends 8 deep with an error that names the limit', async () => {
    model.current.restart((request) => {
      const other = askedOf(request) === 'tick' ? 'tock' : 'tick';
      return isFirst(request) ? act('events:publish', { event_type: 'clock', agents: [other] }) : 'Done.';
    });
    const { body } = await client.post<{ turns: object[] }>('/v1/sessions/chain/events', {
      type: 'clock',
      agents: ['tick'],
    });
    expect(body.turns).toHaveLength(1);
    await untilQuiet('chain');
    const all = [...(await messagesOf('chain', 'tick')), ...(await messagesOf('chain', 'tock'))];
    expect(all.filter(({ role }) => role === 'event')).toHaveLength(8);
    const refused = all.filter(({ content }) => content.includes('ends a chain of 8 events'));
    expect(refused).toHaveLength(1);
  });

  it('An unknown agent is an error with the nearest name', async () => {
    model.current.restart((request) =>
      isFirst(request) ? act('events:publish', { event_type: 'npc.moved', agents: ['gaurd'] }) : 'Done.',
    );
    const turn = await say('teller', 'wrong');
    expect(turn.steps[0]!.rounds![0]!.observation).toContain("There is no agent 'gaurd', did you mean 'guard'?");
  });
});

describe('A state that an agent changes', () => {
  it('The change is an event of the turn, and the next turn has it', async () => {
    model.current.restart((request) =>
      isFirst(request) ? act('UpdateWorldStateTool', { path: 'door', value: 'open' }) : 'Done.',
    );
    const turn = await say('teller', 'doors');
    const states = (await client.events(turn.id)).filter(({ event }) => event === 'state');
    expect(states.map(({ data }) => data)).toMatchObject([
      { scope: 'world', patch: [{ op: 'replace', path: '/door', value: 'open' }] },
    ]);
    expect((await client.get('/v1/sessions/doors/state')).body).toEqual({ door: 'open' });
  });

  it('The model finds older messages by words', async () => {
    model.current.restart((request) =>
      request.last === 'Where was it?' ? act('session:search', { query: 'lighthouse' }) : 'Noted.',
    );
    await say('teller', 'search', 'The key is in the lighthouse.');
    const turn = await say('teller', 'search', 'Where was it?');
    expect(turn.steps[0]!.rounds![0]!.calls[0]!.result).toMatchObject({
      matches: [{ role: 'user', text: 'The key is in the lighthouse.' }],
    });
  });
});

describe('An event that a client publishes', () => {
  const publish = (session: string, body: unknown, headers: Record<string, string> = {}) =>
    client.post<{ turns: object[]; detail: string }>(`/v1/sessions/${session}/events`, body, headers);

  it('The same idempotency key begins the same turns once', async () => {
    model.current.restart(() => 'Noted.');
    const event = { type: 'alarm', agents: ['guard'], payload: [1] };
    const key = { 'idempotency-key': 'alarm-1' };
    const [first, again] = [await publish('keys', event, key), await publish('keys', event, key)];
    expect([first.status, again.status]).toEqual([202, 202]);
    expect(again.body).toEqual(first.body);
    expect((await publish('keys', { ...event, payload: [2] }, key)).status).toBe(409);
    await untilQuiet('keys');
    expect((await messagesOf('keys', 'guard')).filter(({ role }) => role === 'event')).toHaveLength(1);
  });

  it('An event that no agent reacts to begins nothing', async () => {
    model.current.restart(() => 'Noted.');
    await say('guard', 'quiet');
    expect((await publish('quiet', { type: 'rain' })).body).toEqual({ turns: [] });
  });

  it.each<[what: string, session: string, body: unknown, status: number, detail: string]>([
    ['an unknown session without agents', 'nowhere', { type: 'alarm' }, 404, 'There is no session nowhere'],
    ['an unknown agent', 'any', { type: 'alarm', agents: ['gard'] }, 422, "did you mean 'guard'?"],
    ['a large payload', 'any', { type: 'alarm', agents: ['guard'], payload: 'x'.repeat(65_536) }, 422, '65536 are'],
    ['no type', 'any', { agents: ['guard'] }, 400, 'type'],
    ['a type with a blank', 'any', { type: 'a b' }, 400, 'without blanks'],
    ['an unknown field', 'any', { type: 'alarm', agent: 'guard' }, 400, "did you mean 'agents'?"],
    ['65 agents', 'any', { type: 'alarm', agents: Array.from({ length: 65 }, () => 'guard') }, 400, 'agents'],
  ])('An event with %s is refused', async (_what, session, body, status, detail) => {
    const got = await publish(session, body);
    expect([got.status, got.body.detail]).toEqual([status, expect.stringContaining(detail)]);
  });
});
