import { load, toolFile } from '../../test/write-library.js';

const file = (mcp: unknown, more: object = {}) => toolFile({ mcp, ...more });

describe('The field `mcp` of a tool', () => {
  it('The name for MCP is another name of the tool, and the mode of tasks is kept', async () => {
    const registry = await load({ 'tools/a.tool.json': file({ name: 'search.kb', tasks: 'always' }) });
    expect(registry.problems()).toEqual([]);
    expect(registry.find('search.kb')).toMatchObject({
      toolId: 'kb:search',
      mcp: { name: 'search.kb', tasks: 'always' },
    });
  });

  it('Tools of a plugin have it, too', async () => {
    const tool = {
      id: 'studio:render',
      description: 'd',
      mcp: { name: 'render' },
      implementation: { type: 'external' },
    };
    const registry = await load({
      'plugins/studio/plugin.yaml': { name: 'studio', version: '1.0.0', tools: [tool] },
    });
    expect(registry.problems()).toEqual([]);
    expect(registry.find('render')?.toolId).toBe('studio:render');
  });

  it.each([
    [{ name: 'a b' }, 'mcp.name'],
    [{ name: 'kb:search' }, 'mcp.name'],
    [{ name: 'x'.repeat(65) }, 'mcp.name'],
    [{ name: '' }, 'mcp.name'],
    [{ tasks: 'sometimes' }, 'mcp.tasks'],
    [{ nam: 'a' }, 'mcp.nam'],
    ['name', 'mcp'],
  ])('The value %j is refused with its place', async (mcp, field) => {
    const registry = await load({ 'tools/a.tool.json': file(mcp) });
    expect(registry.problems()).toMatchObject([{ file: expect.stringMatching(/a\.tool\.json$/), field }]);
  });

  it('Two tools of one name for MCP are reported at both places, and neither is called by that name', async () => {
    const registry = await load({
      'tools/a.tool.json': file({ name: 'find' }),
      'tools/b.tool.json': file({ name: 'find' }, { toolId: 'kb:find' }),
    });
    expect(registry.problems()).toMatchObject([
      { field: 'mcp.name', message: expect.stringContaining("The name for MCP 'find' has no effect") },
      { field: 'mcp.name' },
    ]);
    expect(registry.find('find')).toBeUndefined();
  });
});
