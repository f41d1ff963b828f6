import type { Invocation, JsonObject } from '@errand/contracts';
import { useStack } from '../../../test/support/start-stack.js';

const PLUGIN = `
name: who
version: 1.0.0
nodes: { entry: nodes/index.js }
tools:
  - id: who:node
    description: Says the session and the agent that a node sees.
    parameters: { type: object, properties: {} }
    implementation: { type: node, nodeType: 'who:ami' }
  - id: who:service
    description: Says the session and the agent that a service sees.
    parameters: { type: object, properties: {} }
    implementation: { type: service, serviceName: who, methodName: ami }
`;
const NODES = `
const say = ({ session, agent }) => [session ?? null, agent ?? null];
module.exports = {
  nodes: [{ type: 'who:ami', description: 'd', inputs: {}, outputs: { value: { dataFlowType: 'ARRAY' } }, run: (_, context) => ({ value: say(context) }) }],
  services: [{ name: 'who', methods: { ami: (_, context) => say(context) } }],
};`;
const profile = (id: string) => JSON.stringify({ id, tool_ids_inventory: ['*'] });

const stack = useStack({
  with: ['worker'],
  library: {
    'plugins/who/plugin.yaml': PLUGIN,
    'plugins/who/nodes/index.js': NODES,
    'agents/ada.json': profile('ada'),
    'agents/bob.json': profile('bob'),
  },
});

async function call(toolId: string, args: JsonObject, where: JsonObject = {}): Promise<Invocation> {
  return stack.client.invoke({ toolId, arguments: args, ...where });
}
const ADA = { agent: 'ada', session: 'room' };
const BOB = { agent: 'bob', session: 'room' };

describe('The tools of a session', () => {
  it('The world state belongs to the session, and each private state to its agent', async () => {
    await call('state:update_world', { path: 'lamp.on', value: true }, ADA);
    await call('state:update_private', { key: 'mood', value: 'calm' }, ADA);
    await call('state:update_private', { key: 'mood', value: 'angry' }, BOB);
    expect((await call('state:read_world', { path: 'lamp' }, BOB)).result).toEqual({ on: true });
    expect((await call('state:read_private', { path: 'mood' }, ADA)).result).toBe('calm');
    expect((await call('state:read_private', {}, BOB)).result).toEqual({ mood: 'angry' });
    expect((await call('state:read_world', { path: 'lamp' }, { ...ADA, session: 'hall' })).result).toBeNull();
  });

  it('The names of the seeds call the same tools', async () => {
    const seeds = { agent: 'ada', session: 'seeds' };
    await call('UpdateWorldStateTool', { path: 'a', value: [1] }, seeds);
    await call('UpdatePrivateStateTool', { key: 'b.c', value: 2 }, seeds);
    expect((await call('ReadWorldStateTool', { path: 'a.0' }, seeds)).result).toBe(1);
    expect((await call('ReadPrivateStateTool', { path: 'b.c' }, seeds)).result).toBe(2);
    expect((await call('ReadPrivateStateTool', { path: 'x', default_value: 'none' }, seeds)).result).toBe('none');
  });

  it('A stored null is a value, and default_value is only for a missing one', async () => {
    await call('state:update_world', { path: 'empty', value: null }, ADA);
    expect((await call('state:read_world', { path: 'empty', default_value: 1 }, ADA)).result).toBeNull();
    expect((await call('state:read_world', { path: 'lack', default_value: 1 }, ADA)).result).toBe(1);
  });

  it.each<[toolId: string, args: JsonObject, where: JsonObject, message: string]>([
    ['state:read_world', { path: 'a' }, { agent: 'ada' }, 'state:read_world works in a session'],
    ['state:update_world', { path: 'a', value: 1 }, {}, 'state:update_world works in a session'],
    ['state:read_private', { path: 'a' }, { session: 'room' }, 'state:read_private belongs to one agent'],
    ['session:search', { query: 'a' }, { agent: 'ada' }, 'session:search works in a session'],
    ['state:update_world', { path: 'lamp.on.x', value: 1 }, ADA, 'The value at "lamp.on" is a boolean'],
  ])('The call of %s with %j at %j fails and says why', async (toolId, args, where, message) => {
    expect(await call(toolId, args, where)).toMatchObject({
      status: 'failed',
      error: { type: 'ParameterValidationError', message: expect.stringContaining(message) },
    });
  });

  it('A state above its bound fails with the limit', async () => {
    const value = 'x'.repeat(65 * 1_024);
    expect(await call('state:update_private', { key: 'a', value }, ADA)).toMatchObject({
      status: 'failed',
      error: { type: 'ResourceLimitError', details: { limit: 65_536 } },
    });
  });

  it('A search finds nothing in a conversation without messages', async () => {
    expect((await call('session:search', { query: 'lamp' }, ADA)).result).toEqual({ matches: [], searched: 0 });
  });

  it('Nodes and services see the session and the agent', async () => {
    for (const tool of ['who:node', 'who:service']) {
      expect((await call(tool, {}, ADA)).result).toEqual(['room', 'ada']);
      expect((await call(tool, {})).result).toEqual([null, null]);
    }
  });
});
