import { digestOf } from '@errand/contracts';
import { recordOf, useQueues } from '../../test/use-queues.js';
import { cancelInvocation, Definitions, type Queues } from '../index.js';

const YEAR_MS = 365 * 86_400_000;

const kit = useQueues();
const { submit } = kit;
let queues: Queues;
beforeAll(() => {
  ({ queues } = kit);
});

it('A definition is kept while a delayed invocation needs it, even if it is stored again', async () => {
  const definition = { tool: { toolId: 'test:late' } } as never;
  const digest = digestOf(definition);
  const call = { ...recordOf().calls[0]!, digest };
  await new Definitions(queues).put([{ digest, definition }]);
  const id = await submit({ delayMs: YEAR_MS }, { calls: [call] });
  await new Definitions(queues).put([{ digest, definition }]);
  expect(await queues.redis.ttl(`{errand}:definition:${digest}`)).toBeGreaterThan(360 * 86_400);
  await cancelInvocation(queues, 'default', id);
});

describe('The stored definitions', () => {
  const definition = { tool: { toolId: 'test:tool', version: '1.0.0' } as never };

  it('Another process can read a definition by its digest', async () => {
    const digest = digestOf(definition);
    await new Definitions(queues).put([{ digest, definition }]);
    expect(await new Definitions(queues).get(digest)).toEqual(definition);
  });

  it('A definition that does not match its digest is refused', async () => {
    await new Definitions(queues).put([{ digest: 'f'.repeat(64), definition }]);
    await expect(new Definitions(queues).get('f'.repeat(64))).rejects.toMatchObject({ type: 'SecurityError' });
  });

  it('Reading an unknown definition fails with a LostError', async () => {
    await expect(new Definitions(queues).get('0'.repeat(64))).rejects.toMatchObject({ type: 'LostError' });
  });

  const toolOf = (toolId: string) => {
    const stored = { definition: { tool: { toolId, version: '1.0.0' } as never } };
    return { digest: digestOf(stored.definition), ...stored };
  };
  const agentWith = (tool: ReturnType<typeof toolOf>) => {
    const agent = { tools: [{ tool: tool.definition.tool, digest: tool.digest }, { tool: { toolId: 'agent:b' } }] };
    const stored = { definition: { ...toolOf('agent:a').definition, agent } as never };
    return { digest: digestOf(stored.definition), ...stored };
  };

  it('The tools of an agent are stored with it', async () => {
    const tool = toolOf('test:own');
    const agent = agentWith(tool);
    await new Definitions(queues).put([{ ...agent, inventory: [tool] }]);
    await expect(new Definitions(queues).get(tool.digest)).resolves.toEqual(tool.definition);
    await expect(new Definitions(queues).get(agent.digest)).resolves.toEqual(agent.definition);
  });

  it('An agent that is stored again extends the expiry of its tools', async () => {
    const tool = toolOf('test:kept');
    const agent = agentWith(tool);
    await new Definitions(queues).put([{ ...agent, inventory: [tool] }]);
    await queues.redis.expire(`{errand}:definition:${tool.digest}`, 60);
    await new Definitions(queues).put([agent]);
    expect(await queues.redis.ttl(`{errand}:definition:${tool.digest}`)).toBeGreaterThan(80 * 86_400);
  });
});
