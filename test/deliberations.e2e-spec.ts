import type { Invocation, Round, SessionMessage } from '@errand/contracts';
import { turnLibrary } from './support/turn-library.js';
import { useScriptedModel } from './support/scripted-model.js';
import { useStack } from './support/start-stack.js';

const edge = (source: string, sourceHandle: string, target: string, targetHandle: string) => ({
  source,
  sourceHandle,
  target,
  targetHandle,
});
const TEXT = { dataFlowType: 'STRING' };

/** A deliberation as the invocation protocol describes it: states and observations as texts in, `full_text` out. */
const SEED_WORKFLOW = {
  id: 'seed-deliberation',
  nodes: [
    { id: 'in', type: 'core:GroupInput' },
    { id: 'parts', type: 'core:object' },
    { id: 'join', type: 'core:template', inputValues: { template: 'P={{P}} W={{W}} O={{O}}' } },
    { id: 'ask', type: 'core:llm' },
    { id: 'out', type: 'core:GroupOutput' },
  ],
  edges: [
    edge('in', 'PrivateState', 'parts', 'P'),
    edge('in', 'WorldState', 'parts', 'W'),
    edge('in', 'Observations', 'parts', 'O'),
    edge('parts', 'value', 'join', 'data'),
    edge('join', 'text', 'ask', 'prompt'),
    edge('ask', 'text', 'out', 'full_text'),
  ],
  interfaceInputs: { PrivateState: TEXT, WorldState: TEXT, Observations: TEXT },
  interfaceOutputs: { full_text: TEXT },
};

const model = useScriptedModel();
const { client } = useStack({
  with: ['worker'],
  library: turnLibrary({
    'workflows/seed-deliberation.json': SEED_WORKFLOW,
    'agents/seed.json': {
      id: 'seed',
      core_deliberation_workflow_id: 'seed-deliberation',
      tool_ids_inventory: ['core:echo'],
      privateState: { mood: 'calm' },
      worldState: { door: 'shut' },
    },
  }),
});

const ask = (agent: string, more: object = {}) => ({
  toolId: `agent:${agent}`,
  arguments: { message: 'Hello' },
  ...more,
});
const roundsOf = ({ steps }: Invocation): Round[] => steps[0]?.rounds ?? [];

describe('The deliberation of a turn', () => {
  it('The library of these tests has no problems', async () => {
    expect((await client.get<{ items: object[] }>('/v1/tools/problems')).body.items).toEqual([]);
  });

  it('A workflow with states and observations as texts deliberates', async () => {
    model.current.restart(['<ACTION><core:echo><value>x</value></core:echo></ACTION>', 'Done.']);
    const turn = await client.invoke(ask('seed', { arguments: { message: 'Hello', state: { lamp: 'on' } } }));
    expect(turn).toMatchObject({ status: 'succeeded', result: 'Done.' });
    expect(model.current.requests.map(({ last }) => last)).toEqual([
      'P={"mood":"calm"} W={"door":"shut","lamp":"on"} O=',
      'P={"mood":"calm"} W={"door":"shut","lamp":"on"} O=Observation: Tool core:echo executed successfully. Result: x',
    ]);
  });

  it('A block of TAM is read as well as one of ACTION', async () => {
    const block = '<|[REQUEST_TOOL]|>\ncommand:「始」core:echo「末」\nvalue:「始」x「末」\n<|[END_TOOL]|>';
    model.current.restart([`I look.\n${block}`, 'Done.']);
    const turn = await client.invoke(ask('guide'));
    expect(turn).toMatchObject({ status: 'succeeded', result: 'Done.' });
    expect(roundsOf(turn)[0]?.calls).toMatchObject([{ toolId: 'core:echo', arguments: { value: 'x' } }]);
  });

  it('Thoughts of the model are in the round, and neither in the result nor in a text event', async () => {
    model.current.restart([{ text: ['<think>Hm. ', 'Well.</think>', 'Hello.'] }]);
    const turn = await client.invoke(ask('guide'));
    expect(turn).toMatchObject({ result: 'Hello.' });
    expect(roundsOf(turn)[0]?.text).toBe('<think>Hm. Well.</think>Hello.');
    const events = await client.events(turn.id);
    expect(
      events
        .filter(({ event }) => event === 'text')
        .map(({ data }) => data['delta'])
        .join(''),
    ).toBe('Hello.');
  });

  it('Reasoning that the endpoint shows is streamed as events and stored in the round', async () => {
    model.current.restart([{ reasoning: ['First ', 'I think.'], text: ['Hel', 'lo.'] }]);
    const turn = await client.invoke(ask('guide'));
    expect(turn).toMatchObject({ result: 'Hello.' });
    expect(roundsOf(turn)[0]).toMatchObject({ text: 'Hello.', reasoning: 'First I think.' });
    const told = (await client.events(turn.id)).filter(({ event }) => event === 'reasoning');
    expect(told.map(({ data }) => data['delta']).join('')).toBe('First I think.');
  });

  it('A deliberation that fails ends the turn with its error, and a retry continues there', async () => {
    model.current.restart((_, n) => (n === 0 ? { status: 400, message: 'no' } : 'Now.'));
    const failed = await client.invoke(ask('guide', { session: 'fails' }));
    expect(failed).toMatchObject({ status: 'failed', error: { type: 'NodeError' } });
    const { body } = await client.retry(failed.id);
    expect(await client.untilEnded(body.id)).toMatchObject({ status: 'succeeded', result: 'Now.' });
    const { body: page } = await client.get<{ items: SessionMessage[] }>('/v1/sessions/fails/messages?agent=guide');
    expect(page.items.map(({ role, content }) => [role, content])).toEqual([
      ['user', 'Hello'],
      ['assistant', 'Now.'],
    ]);
  });

  it('A retry does not lay the state of its message over the world again', async () => {
    model.current.restart((_, n) => (n === 0 ? { status: 400, message: 'no' } : 'Now.'));
    const args = { message: 'Hello', state: { lamp: 'on' } };
    const failed = await client.invoke(ask('guide', { session: 'lamp', arguments: args }));
    const changed = await fetch(`${client.url}/v1/sessions/lamp/state`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/merge-patch+json' },
      body: JSON.stringify({ lamp: 'off' }),
    });
    expect(changed.status).toBe(200);
    const { body } = await client.retry(failed.id);
    expect((await client.untilEnded(body.id)).status).toBe('succeeded');
    expect((await client.get('/v1/sessions/lamp/state')).body).toEqual({ lamp: 'off' });
  });

  it('The time limit of a turn counts its waits', async () => {
    model.current.restart(['<ACTION><test:ask/></ACTION>']);
    const turn = await client.invoke(ask('guide', { options: { timeoutMs: 2_000 } }));
    expect(turn).toMatchObject({ status: 'failed', error: { type: 'TimeoutError' } });
    const child = roundsOf(turn)[0]?.invocationId ?? '';
    expect((await client.untilEnded(child)).status).toBe('cancelled');
  });
});
