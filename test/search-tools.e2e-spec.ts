import { useStack } from './support/start-stack.js';

const stack = useStack({
  with: ['worker'],
  library: { 'agents/writer.json': { id: 'writer', tool_ids_inventory: ['core:case', 'tools:search'] } },
});

interface Found {
  tools: { toolId: string; name: string; description: string; parameters: object }[];
  total: number;
}

const search = async (args: object, more: object = {}) =>
  (await stack.client.invoke({ toolId: 'tools:search', arguments: args, ...more })).result as unknown as Found;

describe('The search for tools', () => {
  it('Without an agent it finds all tools, the best match first', async () => {
    const { tools, total } = await search({ query: 'regular expression', limit: 2 });
    expect(tools).toHaveLength(2);
    expect(total).toBeGreaterThanOrEqual(2);
    expect(tools[0]).toMatchObject({
      toolId: 'core:regex',
      name: 'core__regex',
      description: expect.stringContaining('regular expression'),
      parameters: { type: 'object', required: ['text', 'pattern'] },
    });
  });

  it('An agent finds only the tools that it sees', async () => {
    const { tools } = await search({ query: 'text upper case regular expression' }, { agent: 'writer' });
    expect(tools.map(({ toolId }) => toolId)).toEqual(['core:case']);
    await expect(search({ query: 'zzzzzz' }, { agent: 'writer' })).resolves.toEqual({ tools: [], total: 0 });
  });
});
