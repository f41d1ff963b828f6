import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalJson, type JsonObject } from '@errand/contracts';
import { loadFolders, toolFile, writeLibrary, type Files } from '../../test/write-library.js';
import type { Registry } from './registry.js';

const script = (scriptPath: string, entryPoint?: string) =>
  toolFile({ toolId: 'my:script', handler: { type: 'external-script', language: 'python', scriptPath, entryPoint } });

async function libraryWith(files: Files): Promise<{ folder: string; registry: Registry }> {
  const folder = writeLibrary(files);
  const registry = await loadFolders([folder]);
  expect(registry.problems()).toEqual([]);
  return { folder, registry };
}

const define = (registry: Registry, args?: JsonObject) => registry.define(registry.find('my:script')!, args);
const runPython = (registry: Registry, scriptPath: string) =>
  registry.define(registry.find('core:execute-python-script')!, { scriptPath });
const pathsOf = async (defined: ReturnType<Registry['define']>) =>
  (await defined).definition.script!.files.map(({ path }) => path);

describe('The script of a tool', () => {
  it('A script in a folder is packed with that folder, except hidden, installed and cached files', async () => {
    const { registry } = await libraryWith({
      'tools/s.tool.json': script('job/main.py'),
      'scripts/other.py': '',
      'scripts/job/main.py': 'print("é")',
      'scripts/job/requirements.txt': '',
      'scripts/job/deep/er/x.txt': '',
      'scripts/job/.env': 'SECRET=1',
      'scripts/job/.git/config': '',
      'scripts/job/node_modules/x/index.js': '',
      'scripts/job/__pycache__/main.pyc': '',
    });
    const { definition } = await define(registry);
    expect(definition.script).toMatchObject({ language: 'python', entry: 'main.py' });
    expect(await pathsOf(define(registry))).toEqual(['deep/er/x.txt', 'main.py', 'requirements.txt']);
    const main = definition.script!.files.find(({ path }) => path === 'main.py')!;
    expect(Buffer.from(main.base64, 'base64').toString()).toBe('print("é")');
  });

  it('A script directly in `scripts` is packed only with the files beside it', async () => {
    const { registry } = await libraryWith({
      'tools/s.tool.json': script('a.py'),
      'scripts/a.py': '',
      'scripts/b.py': '',
      'scripts/job/c.py': '',
    });
    expect(await pathsOf(define(registry))).toEqual(['a.py', 'b.py']);
  });

  it('A script directly in `scripts` is packed without links to the outside and pipes', async () => {
    const { folder, registry } = await libraryWith({ 'tools/s.tool.json': script('a.py'), 'scripts/a.py': '' });
    symlinkSync('/etc/hostname', join(folder, 'scripts/out.py'));
    execFileSync('mkfifo', [join(folder, 'scripts/pipe.py')]);
    expect(await pathsOf(define(registry))).toEqual(['a.py']);
  });

  it('A script may be a folder with an entry point', async () => {
    const { registry } = await libraryWith({
      'tools/s.tool.json': script('job', 'src/main.py'),
      'scripts/job/src/main.py': '',
      'scripts/job/x.py': '',
    });
    expect((await define(registry)).definition.script!.entry).toBe('src/main.py');
    expect(await pathsOf(define(registry))).toEqual(['src/main.py', 'x.py']);
  });

  it('The script of a plugin is found in the folder of the plugin', async () => {
    const { registry } = await libraryWith({
      'plugins/my/plugin.yaml':
        'name: my\nversion: 1.0.0\ntools: [{id: my:script, description: d, implementation: {type: script, language: bun, scriptPath: x.ts}}]',
      'plugins/my/scripts/x.ts': '',
    });
    expect((await define(registry)).definition.script).toMatchObject({ language: 'bun', entry: 'x.ts' });
  });

  it('A changed script changes the digest, and an unchanged script is not packed again', async () => {
    const { folder, registry } = await libraryWith({ 'tools/s.tool.json': script('a.py'), 'scripts/a.py': 'one' });
    const first = await define(registry);
    expect(first.digest).toBe(createHash('sha256').update(canonicalJson(first.definition)).digest('hex'));
    expect(await define(registry)).toBe(first);
    utimesSync(join(folder, 'scripts/a.py'), 1, 1);
    const touched = await define(registry);
    expect(touched).not.toBe(first);
    expect(touched.digest).toBe(first.digest);
    writeFileSync(join(folder, 'scripts/a.py'), 'two!');
    expect((await define(registry)).digest).not.toBe(first.digest);
  });

  it('The digest of a script does not depend on the location of its library', async () => {
    const files = { 'tools/s.tool.json': script('a.py'), 'scripts/a.py': 'one' };
    const [here, there] = await Promise.all([libraryWith(files), libraryWith(files)]);
    expect((await define(here.registry)).digest).toBe((await define(there.registry)).digest);
    expect(JSON.stringify((await define(here.registry)).definition)).not.toContain(here.folder);
  });

  it('A script that was deleted is reported as missing', async () => {
    const { folder, registry } = await libraryWith({ 'tools/s.tool.json': script('a.py'), 'scripts/a.py': 'one' });
    rmSync(join(folder, 'scripts/a.py'));
    await expect(define(registry)).rejects.toMatchObject({ type: 'ScriptError', message: "There is no script 'a.py'" });
  });
});

describe('A script that the caller names', () => {
  it('A named script is packed with its folder', async () => {
    const { registry } = await libraryWith({ 'scripts/job/main.py': '', 'scripts/job/x.py': '' });
    expect(await pathsOf(runPython(registry, 'job/main.py'))).toEqual(['main.py', 'x.py']);
  });

  it('A named script is searched in all libraries in their order', async () => {
    const folders = [
      writeLibrary({ 'scripts/a.py': 'first' }),
      writeLibrary({ 'scripts/a.py': 'second', 'scripts/b.py': 'second' }),
    ];
    const registry = await loadFolders(folders);
    const textOf = async (path: string) => {
      const { script: packed } = (await runPython(registry, path)).definition;
      return Buffer.from(packed!.files.find((file) => file.path === path)!.base64, 'base64').toString();
    };
    expect([await textOf('a.py'), await textOf('b.py')]).toEqual(['first', 'second']);
  });

  it.each(['./job/a.py', 'job//a.py', 'job/./a.py', '././/job/.//a.py'])('The path %s means job/a.py', async (path) => {
    const { registry } = await libraryWith({ 'scripts/job/a.py': '' });
    expect(await pathsOf(runPython(registry, path))).toEqual(['a.py']);
  });

  it('A definition without a script path contains no script', async () => {
    const { registry } = await libraryWith({ 'scripts/a.py': '' });
    const tool = registry.find('core:execute-python-script')!;
    expect((await registry.define(tool)).definition).toEqual({ tool });
  });

  it('A missing script is reported with the nearest name', async () => {
    const { registry } = await libraryWith({ 'scripts/job/report.py': '' });
    await expect(runPython(registry, 'job/reprot.py')).rejects.toMatchObject({
      type: 'ScriptError',
      message: "There is no script 'job/reprot.py', did you mean 'job/report.py'?",
    });
    await expect(runPython(registry, 'job')).rejects.toMatchObject({
      type: 'ScriptError',
      message: expect.stringMatching(/names a folder/),
    });
    await expect(runPython(registry, 'job/report.py/x')).rejects.toMatchObject({ type: 'ScriptError' });
  });

  it.each([
    '/etc/passwd',
    '../a.py',
    'job/../../a.py',
    './../a.py',
    'job/.././a.py',
    './/../a.py',
    '//a.py',
    '.',
    './',
    'a.py/',
    '',
    '.hidden.py',
    'job/.env',
    '-c',
    'job/-x.py',
    'a.py\0.txt',
    'C:\\a.py',
    'job\\a.py',
    '\\\\host\\a.py',
  ])('The script path %j is refused', async (path) => {
    const { registry } = await libraryWith({ 'scripts/a.py': '', 'scripts/job/.env': '' });
    await expect(runPython(registry, path)).rejects.toMatchObject({
      type: 'SecurityError',
      message: expect.stringMatching(/is not allowed/),
    });
  });
});

describe('Links in the folder of scripts', () => {
  it('A link inside the folder of scripts is followed', async () => {
    const { folder, registry } = await libraryWith({ 'scripts/job/main.py': '', 'scripts/shared/x.py': 'shared' });
    symlinkSync('../shared', join(folder, 'scripts/job/shared'));
    symlinkSync('main.py', join(folder, 'scripts/job/again.py'));
    expect(await pathsOf(runPython(registry, 'job/again.py'))).toEqual(['again.py', 'main.py', 'shared/x.py']);
  });

  it.each<[what: string, target: string, path: string]>([
    ['a file outside', '/etc/hostname', 'link.py'],
    ['a folder outside', '/etc', 'link'],
    ['a sibling whose name begins the same', '../../scripts-private/x.py', 'link.py'],
  ])('A link to %s is refused, whether it is named or packed with a script', async (_what, target, path) => {
    const { folder, registry } = await libraryWith({ 'scripts/job/main.py': '', 'scripts-private/x.py': '' });
    symlinkSync(target, join(folder, 'scripts/job', path));
    const refusal = { type: 'SecurityError', message: expect.stringMatching(/leads out of the folder 'scripts'/) };
    await expect(runPython(registry, `job/${path}`)).rejects.toMatchObject(refusal);
    await expect(runPython(registry, 'job/main.py')).rejects.toMatchObject(refusal);
  });

  it('A link cycle is refused', async () => {
    const { folder, registry } = await libraryWith({ 'scripts/job/main.py': '', 'scripts/job/sub/x.py': '' });
    symlinkSync('..', join(folder, 'scripts/job/sub/up'));
    await expect(runPython(registry, 'job/main.py')).rejects.toMatchObject({
      type: 'SecurityError',
      message: expect.stringMatching(/contains it/),
    });
    symlinkSync('loop.py', join(folder, 'scripts/job/loop.py'));
    await expect(runPython(registry, 'job/loop.py')).rejects.toMatchObject({ type: 'SecurityError' });
  });
});

describe('The limits of a script', () => {
  it('A pipe in the folder of a script is refused', async () => {
    const { folder, registry } = await libraryWith({ 'scripts/job/main.py': '' });
    execFileSync('mkfifo', [join(folder, 'scripts/job/pipe')]);
    const refusal = { type: 'SecurityError', message: expect.stringMatching(/is not a regular file/) };
    await expect(runPython(registry, 'job/main.py')).rejects.toMatchObject(refusal);
    await expect(runPython(registry, 'job/pipe')).rejects.toMatchObject(refusal);
  });

  it('A script with more than 500 files or 4 MiB is refused', async () => {
    const many = Object.fromEntries(Array.from({ length: 501 }, (_item, index) => [`scripts/many/${index}.py`, '']));
    const { folder, registry } = await libraryWith(many);
    mkdirSync(join(folder, 'scripts/large'));
    writeFileSync(join(folder, 'scripts/large/main.py'), Buffer.alloc(4 * 1024 * 1024 + 1));
    const refusal = { type: 'ResourceLimitError', message: expect.stringMatching(/at most 500 files with 4 MB/) };
    await expect(runPython(registry, 'many/0.py')).rejects.toMatchObject(refusal);
    await expect(runPython(registry, 'large/main.py')).rejects.toMatchObject(refusal);
  });

  it('A script among installed packages is refused', async () => {
    const { registry } = await libraryWith({
      'tools/s.tool.json': script('job', 'node_modules/x.py'),
      'scripts/job/node_modules/x.py': '',
    });
    await expect(define(registry)).rejects.toMatchObject({
      type: 'ScriptError',
      message: expect.stringMatching(/is not packed/),
    });
  });
});

const containing = (id: string) => ({
  id,
  nodes: [{ id: 'g', type: 'core:NodeGroup', configValues: { referencedWorkflowId: `${id}x` } }],
  edges: [],
});

test('A workflow is packed with all workflows that it contains', async () => {
  const { registry } = await libraryWith({
    'workflows/a.json': containing('a'),
    'workflows/ax.json': containing('ax'),
    'workflows/axx.json': { nodes: [], edges: [] },
    'workflows/other.json': { nodes: [], edges: [] },
  });
  const tool = registry.find('workflow:a')!;
  const defined = await registry.define(tool);
  expect(Object.keys(defined.definition.workflows!)).toEqual(['a', 'ax', 'axx']);
  expect(await registry.define(tool)).toBe(defined);
  expect(JSON.parse(JSON.stringify(defined.definition))).toEqual(defined.definition);
});
