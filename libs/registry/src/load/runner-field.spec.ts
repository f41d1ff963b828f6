import { load, toolFile, type Files } from '../../test/write-library.js';

const SCRIPT = { type: 'external-script', language: 'python', scriptPath: 'render.py' };
const IN_PLUGIN = { type: 'script', language: 'python', scriptPath: 'render.py' };

function scriptTool(over: Record<string, unknown> = {}): Files {
  return {
    'scripts/render.py': 'print(1)',
    'tools/render.tool.json': toolFile({ toolId: 'studio:render', handler: SCRIPT, ...over }),
  };
}

function pluginTool(over: Record<string, unknown>): Files {
  const tool = { id: 'studio:render', description: 'd', implementation: IN_PLUGIN, ...over };
  return {
    'plugins/studio/scripts/render.py': 'print(1)',
    'plugins/studio/plugin.yaml': { name: 'studio', version: '1.0.0', tools: [tool] },
  };
}

describe('The runner label of a script tool', () => {
  it.each([
    ['beside the handler of a tool file', scriptTool({ runner: 'gpu' })],
    ['beside the implementation in a manifest', pluginTool({ runner: 'gpu' })],
  ])('The runner label is read %s', async (_where, files) => {
    const registry = await load(files);
    expect(registry.problems()).toEqual([]);
    expect(registry.find('studio:render')).toMatchObject({ runner: 'gpu' });
  });

  it('The runner label changes the digests of the tool and of its definition', async () => {
    const [plain, gpu] = await Promise.all([load(scriptTool()), load(scriptTool({ runner: 'gpu' }))]);
    const [one, other] = [plain.find('studio:render')!, gpu.find('studio:render')!];
    expect(one.digest).not.toBe(other.digest);
    expect((await plain.define(one)).digest).not.toBe((await gpu.define(other)).digest);
  });

  it.each(['GPU', 'gpu:0', '', 'x'.repeat(33), 7])('The runner label %j is refused', async (runner) => {
    const [problem, ...more] = (await load(scriptTool({ runner }))).problems();
    expect(problem).toMatchObject({
      file: expect.stringMatching(/render\.tool\.json$/),
      line: expect.any(Number),
      field: 'runner',
      message: expect.stringMatching(/^'runner' must be /),
    });
    expect(more).toEqual([]);
  });

  it('An invalid runner label in a manifest is refused with its place', async () => {
    const [problem] = (await load(pluginTool({ runner: 'GPU' }))).problems();
    expect(problem).toMatchObject({ field: 'tools[0].runner', line: expect.any(Number) });
    expect(problem!.message).toContain('must be written like gpu, got GPU');
  });

  it('A tool without a script cannot ask for a runner', async () => {
    const registry = await load({ 'tools/a.tool.json': toolFile({ runner: 'gpu' }) });
    expect(registry.find('kb:search')).toBeUndefined();
    expect(registry.problems()).toMatchObject([
      { field: 'runner', message: expect.stringContaining('this tool has no script (its kind is service)') },
    ]);
  });
});
