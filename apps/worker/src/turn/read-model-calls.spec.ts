import { readRound, type Deliberated } from '@errand/agents';
import { DEFAULT_AGENT_LIMITS, type AgentDefinition, type JsonObject } from '@errand/contracts';
import { validateArguments } from '@errand/registry';
import type { ClientArguments } from '../steps/check-client-arguments.js';
import { readModelCalls } from './read-model-calls.js';
import { TurnTools } from './turn-tools.js';

const COLOR = { type: 'string', default: 'blue', enum: ['blue', 'red'] };
const PAINT = { name: 'paint', parameters: { properties: { color: COLOR, size: { type: 'integer' } } } };
const ECHO = {
  toolId: 'core:echo',
  version: '1.0.0',
  displayName: 'Echo',
  description: '',
  kind: 'node' as const,
  parameters: { type: 'object', properties: { value: {} }, required: ['value'] },
  tags: [],
};
const AGENT: AgentDefinition = {
  agentId: 'painter',
  instructions: '',
  protocol: 'action',
  limits: DEFAULT_AGENT_LIMITS,
  workflowId: 'w',
  backgroundTools: [],
  tools: [{ tool: ECHO }],
};
const newTools = () => new TurnTools(AGENT, [PAINT]);

const block = (inner: string): Deliberated => ({ text: `Well.\n<ACTION>${inner}</ACTION>`, toolCalls: [] });
const native = (...calls: [name: string, args: JsonObject][]): Deliberated => ({
  text: 'Well.',
  toolCalls: calls.map(([name, args], n) => ({
    id: `c${n}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(args) },
  })),
});

/** Reads an answer, and records what was checked elsewhere. */
async function read(deliberated: Deliberated) {
  const checked: ClientArguments[] = [];
  const result = await readModelCalls(deliberated, newTools(), async (given) => {
    checked.push(...given);
    return given.map(({ tool, arguments: args }) => validateArguments(tool, args));
  });
  return { result, checked: checked.map(({ tool, arguments: args }) => [tool.toolId, args]) };
}

const ANSWERS: [what: string, answer: Deliberated, checked: unknown[]][] = [
  ['text without calls', { text: 'Hello', toolCalls: [] }, []],
  ['a call of the inventory', block('<core:echo><value>x</value></core:echo>'), []],
  ['a wrong call of the inventory', native(['core:echo', {}]), []],
  ['a call of a client tool with a default', block('<paint><size>1</size></paint>'), [['paint', { size: 1 }]]],
  ['a native call of a client tool', native(['paint', { color: 'red' }]), [['paint', { color: 'red' }]]],
  ['a client call with wrong arguments', native(['paint', { color: 'green' }]), [['paint', { color: 'green' }]]],
  [
    'two equal client calls beside one of the inventory',
    native(['paint', { size: 2 }], ['core:echo', { value: 1 }], ['paint', { size: 2 }]),
    [['paint', { size: 2 }]],
  ],
  [
    'a wrong client call beside an unknown tool',
    native(['paint', { size: 'x' }], ['core:ecko', {}]),
    [['paint', { size: 'x' }]],
  ],
];

describe('The calls of a round with client tools', () => {
  it.each(ANSWERS)('Only client arguments are checked elsewhere, and the result is the same: %s', async (...given) => {
    const [, answer, expected] = given;
    const { result, checked } = await read(answer);
    expect(result).toEqual(readRound(answer, newTools()));
    expect(checked).toEqual(expected);
  });

  it('A check that fails fails the reading, so that no unchecked call passes', async () => {
    const failing = readModelCalls(native(['paint', {}]), newTools(), () => Promise.reject(new Error('no thread')));
    await expect(failing).rejects.toThrow('no thread');
    const short = readModelCalls(native(['paint', {}]), newTools(), async () => []);
    await expect(short).rejects.toThrow('An argument was not checked');
  });
});
