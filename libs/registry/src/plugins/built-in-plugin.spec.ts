import { checkWorkflow } from '@errand/engine';
import { CORE, toolFile, writeLibrary } from '../../test/write-library.js';
import { loadLibrary, type LibraryOptions } from '../load/load-library.js';

const loadWith = (options: Partial<LibraryOptions>) =>
  loadLibrary({ folders: [], coreDir: CORE, checkWorkflow, ...options });

const digestsOf = ({ tools }: Awaited<ReturnType<typeof loadLibrary>>) =>
  [...tools.values()].flat().map(({ toolId, digest }) => [toolId, digest]);

describe('The built-in plugin', () => {
  // Each start relies on this: it uses the plugin without these checks.
  it('Its manifest, node types, schemas and examples pass every check, and the checks change no tool', async () => {
    const [checked, trusted] = [await loadWith({ checksBuiltin: true }), await loadWith({})];
    expect(checked.problems).toEqual([]);
    expect(digestsOf(checked).length).toBeGreaterThan(50);
    expect(digestsOf(trusted)).toEqual(digestsOf(checked));
    expect([...trusted.nodeTypes.keys()]).toEqual([...checked.nodeTypes.keys()]);
  });

  it('The same checks find a wrong field, a wrong schema and a wrong example', async () => {
    const tool = (name: string) =>
      `  - { id: core:${name}, displayName: T, description: T, implementation: { type: external }`;
    const manifest = `
name: core
displayName: Core
version: 1.0.0
description: Tools
colour: red
tools:
${tool('schema')}, parameters: { type: object, properties: { n: { type: integr } } } }
${tool('example')}, parameters: { type: object, properties: { n: { type: integer } } }, examples: [{ description: One, arguments: { n: one } }] }
`;
    const coreDir = writeLibrary({ 'plugin.yaml': manifest });
    const { problems } = await loadWith({ coreDir, checksBuiltin: true });
    expect(problems.map(({ message }) => message)).toEqual([
      expect.stringContaining('colour'),
      expect.stringContaining('integr'),
      '\'n\' must be an integer, got a string: "one"',
    ]);
    expect((await loadWith({ coreDir })).problems).toEqual([]);
  });

  it('The files of a library are checked in any case', async () => {
    const folder = writeLibrary({ 'tools/a.tool.json': toolFile({ parameters: { type: 'object', required: 5 } }) });
    expect((await loadWith({ folders: [folder] })).problems).toHaveLength(1);
  });
});
