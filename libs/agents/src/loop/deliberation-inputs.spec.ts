import type { JsonObject } from '@errand/contracts';
import { deliberationInputs, type RoundContext } from './deliberation-inputs.js';
import { readDeliberation } from './read-deliberation.js';

const CONTEXT: RoundContext = {
  agent: 'guide',
  session: 's',
  round: 2,
  message: 'Where is it?',
  history: { messages: [{ role: 'user', content: 'Where is it?' }], left: 3 },
  observations: 'Observation: x',
  instructions: 'Be brief.',
  toolsPrompt: '## Tools',
  tools: [],
  privateState: { mood: 'calm' },
  worldState: { door: 'open' },
  context: [{ description: 'Place', value: { room: 1 } }],
  limits: { maxRounds: 10 },
};
const slots = (...names: string[]) => Object.fromEntries(names.map((name) => [name, { dataFlowType: 'WILDCARD' }]));

describe('The inputs of a deliberation', () => {
  it('A workflow gets only the inputs that it declares', () => {
    expect(deliberationInputs(slots('message', 'round'), CONTEXT)).toEqual({ message: 'Where is it?', round: 2 });
  });

  it.each(['PrivateState', 'private_state', 'privateState', 'PRIVATE_STATE'])(
    'The input %s is the private state',
    (name) => {
      expect(deliberationInputs(slots(name), CONTEXT)).toEqual({ [name]: { mood: 'calm' } });
    },
  );

  it('An input of type STRING gets a state as JSON text', () => {
    expect(deliberationInputs({ WorldState: { dataFlowType: 'STRING' } }, CONTEXT)).toEqual({
      WorldState: '{"door":"open"}',
    });
  });

  it('The first message has the instructions, the tools, the context and the number of messages that are left out', () => {
    const { messages } = deliberationInputs(slots('messages'), CONTEXT) as { messages: { content: string }[] };
    expect(messages).toHaveLength(2);
    expect(messages[0]?.content).toBe(
      'Be brief.\n\n## Tools\n\n## Context\n\nPlace: {"room":1}\n\n(3 older messages of this conversation are left out.)',
    );
  });
});

describe('The outputs of a deliberation', () => {
  it.each<JsonObject>([{ text: 'a' }, { full_text: 'a' }, { FullText: 'a' }, { anything: 'a' }])(
    'The text of %j is read',
    (outputs) => {
      expect(readDeliberation(outputs)).toEqual({ text: 'a', toolCalls: [] });
    },
  );

  it('Only the numbers of the usage count', () => {
    const usage = { total_tokens: 3, details: { cached: 1 } };
    expect(readDeliberation({ text: 'a', usage })).toMatchObject({ usage: { total_tokens: 3 } });
  });

  it('A workflow without a text fails with the names of its outputs', () => {
    expect(() => readDeliberation({ one: 1, two: 2 })).toThrow(/one, two/);
  });

  it.each<JsonObject>([{ text: 7 }, { text: 'a', toolCalls: 'x' }, { text: { a: 1 } }])(
    'The outputs %j are refused',
    (outputs) => {
      expect(() => readDeliberation(outputs)).toThrow(/must be/);
    },
  );
});
