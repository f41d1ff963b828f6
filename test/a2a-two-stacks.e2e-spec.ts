import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Invocation } from '@errand/contracts';
import { useScriptedModel, type ModelRequest } from './support/scripted-model.js';
import { Stack, useStack } from './support/start-stack.js';
import { turnLibrary } from './support/turn-library.js';

const model = useScriptedModel();
const far = useStack({
  with: ['worker'],
  library: turnLibrary({
    'agents/helper.json': JSON.stringify({
      id: 'helper',
      core_deliberation_workflow_id: 'core:deliberate',
      instructions: 'You are the helper.',
      tool_ids_inventory: ['core:math'],
    }),
  }),
});
let near: Stack;
beforeAll(async () => {
  near = new Stack({
    with: ['worker'],
    library: turnLibrary({
      'workflows/ask-helper.json': documentedWorkflow(`${far.url}/a2a/helper`),
      'agents/boss.json': JSON.stringify({
        id: 'boss',
        core_deliberation_workflow_id: 'core:deliberate',
        instructions: 'You are the boss.',
        tool_ids_inventory: ['workflow:ask-helper'],
      }),
    }),
    env: { ERRAND_CALLBACK_ALLOW: '127.0.0.1' },
  });
  await near.open();
});
afterAll(() => near.close());

/** The workflow of docs/a2a.md, for another address. */
function documentedWorkflow(url: string): string {
  const page = readFileSync(join(__dirname, '../docs/a2a.md'), 'utf8');
  const [, workflow = ''] = /```json\n(\{\n {2}"id": "ask-helper"[^`]*)```/.exec(page) ?? [];
  return workflow.replace('https://agents.example/a2a/helper', url);
}

const isHelper = ({ messages }: ModelRequest) => JSON.stringify(messages[0]).includes('You are the helper.');
const said = ({ last }: ModelRequest) => last.replace('Observation: ', '');

it('An agent calls an agent of another stack, which calls its own tools', async () => {
  model.current.restart((request) => {
    const hasObservation = request.last.startsWith('Observation');
    if (!isHelper(request))
      return hasObservation
        ? `The helper says: ${said(request)}`
        : '<ACTION><workflow:ask-helper><message>6 times 7?</message></workflow:ask-helper></ACTION>';
    return hasObservation ? 'It is 42.' : '<ACTION><core:math><op>multiply</op><a>6</a><b>7</b></core:math></ACTION>';
  });
  const turn = await near.client.invoke({ toolId: 'agent:boss', arguments: { message: 'Ask the helper' } });
  expect(turn).toMatchObject({ status: 'succeeded', result: expect.stringContaining('It is 42.') });
  const { body } = await far.client.get<{ items: Invocation[] }>('/v1/invocations?toolId=agent:helper');
  expect(body.items).toHaveLength(1);
  const there = await far.client.read(body.items[0]?.id ?? '');
  expect(there).toMatchObject({ status: 'succeeded', result: 'It is 42.' });
  expect(there.steps[0]?.arguments).toEqual({ message: '6 times 7?' });
});

it('An agent elsewhere that fails is an Observation for the agent that called it', async () => {
  model.current.restart((request) => {
    if (isHelper(request)) return { status: 400, message: 'No such model' };
    return request.last.startsWith('Observation')
      ? 'The helper is out.'
      : '<ACTION><workflow:ask-helper><message>Hello?</message></workflow:ask-helper></ACTION>';
  });
  const turn = await near.client.invoke({ toolId: 'agent:boss', arguments: { message: 'Ask the helper' } });
  expect(turn).toMatchObject({ status: 'succeeded', result: 'The helper is out.' });
  expect(turn.steps[0]?.rounds?.[0]?.observation).toContain('Error');
});
