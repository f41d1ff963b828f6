import { cpSync, mkdirSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { checkWorkflow } from '@errand/engine';
import { eventually } from '../../test/retry-expectation.js';
import { CORE, toolFile, writeLibrary, type Files } from '../../test/write-library.js';
import { watchRegistry, type WatchedRegistry, type WatchOptions } from './watch-registry.js';

const open: WatchedRegistry[] = [];
const notices: string[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((watched) => watched.close()));
  expect(notices.splice(0)).toEqual([]);
});

async function follow(files: Files, more: Partial<WatchOptions> = {}) {
  const folder = writeLibrary(files);
  const watched = await watchFolders([folder], more);
  const write = (path: string, content: unknown) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), typeof content === 'string' ? content : JSON.stringify(content, null, 2));
  };
  return { folder, write, watched, registry: watched.registry };
}

async function watchFolders(folders: string[], more: Partial<WatchOptions> = {}): Promise<WatchedRegistry> {
  const onNotice = (message: string) => notices.push(message);
  const watched = await watchRegistry({ folders, coreDir: CORE, checkWorkflow, onNotice, ...more });
  open.push(watched);
  return watched;
}

const tool = 'tools/a.tool.json';
const describes = (description: string) => toolFile({ description });

test('A new file, an edit and a deletion are live', async () => {
  const { folder, write, registry } = await follow({ 'agents/a.json': { id: 'a', tool_ids_inventory: ['*'] } });
  expect(registry.find('kb:search')).toBeUndefined();
  write(tool, describes('one'));
  await eventually(() => expect(registry.find('kb:search')?.description).toBe('one'));
  write(tool, describes('two'));
  await eventually(() => expect(registry.find('kb:search')?.description).toBe('two'));
  expect(registry.search('two').map(({ toolId }) => toolId)).toContain('kb:search');
  rmSync(join(folder, tool));
  await eventually(() => expect(registry.find('kb:search')).toBeUndefined());
  write('agents/a.json', { id: 'b', tool_ids_inventory: ['*'] });
  await eventually(() => expect(registry.agentIds()).toEqual(['b']));
});

test('A broken edit keeps the last good version and reports the problem', async () => {
  const { write, registry } = await follow({ [tool]: describes('good') });
  for (const [content, message] of [
    ['{', /not valid JSON/],
    ['', /is empty/],
    [
      { ...describes('bad'), handler: { type: 'service-method', serviceName: 'sistem', methodName: 'x' } },
      /no service 'sistem'/,
    ],
    [{ ...describes('bad'), versoin: '2' }, /Unknown field 'versoin'/],
    [{ ...describes('bad'), parameters: { properties: { q: { type: 'txt' } } } }, /must be one of|must be/],
  ] as const) {
    write(tool, content);
    await eventually(() =>
      expect(registry.problems()[0]?.message).toMatch(new RegExp(`${message.source}.*last good version`)),
    );
    expect(registry.find('kb:search')?.description).toBe('good');
  }
  write(tool, describes('mended'));
  await eventually(() => expect(registry.find('kb:search')?.description).toBe('mended'));
  expect(registry.problems()).toEqual([]);
});

test('A good edit beside a broken one is live', async () => {
  const { write, registry } = await follow({ [tool]: toolFile(), 'tools/b.tool.json': toolFile({ toolId: 'kb:b' }) });
  write(tool, '{');
  write('tools/b.tool.json', toolFile({ toolId: 'kb:b', description: 'new' }));
  await eventually(() => {
    expect(registry.find('kb:b')?.description).toBe('new');
    expect(registry.problems()).toHaveLength(1);
  });
  expect(registry.find('kb:search')).toBeDefined();
});

const dice = (tools: string) => `name: dice\nversion: 1.0.0\ntools:\n${tools}`;
const ask = (name: string, id = `dice:${name}`) =>
  `  - {id: '${id}', description: ${name}, implementation: {type: external}}\n`;

test('A plugin keeps its old version if an edit breaks one of its tools', async () => {
  const manifest = 'plugins/dice/plugin.yaml';
  const { write, registry } = await follow({ [manifest]: dice(ask('one') + ask('two')) });
  const ids = () => registry.list({ namespace: 'dice' }).map(({ toolId }) => toolId);
  write(manifest, dice(ask('one') + ask('two', 'kb:two') + ask('three')));
  await eventually(() => expect(registry.problems()).toHaveLength(1));
  expect(ids()).toEqual(['dice:one', 'dice:two']);
  write(manifest, dice(ask('one') + ask('three')));
  await eventually(() => expect(ids()).toEqual(['dice:one', 'dice:three']));
  expect(registry.problems()).toEqual([]);
});

test('A plugin that was never valid can be fixed step by step', async () => {
  const manifest = 'plugins/dice/plugin.yaml';
  const { write, registry } = await follow({
    [manifest]: dice(ask('one') + ask('two', 'kb:two') + ask('three', 'x:y')),
  });
  expect(registry.problems()).toHaveLength(2);
  write(manifest, dice(ask('one') + ask('two') + ask('three', 'x:y')));
  await eventually(() => expect(registry.problems()).toHaveLength(1));
  expect(registry.find('dice:two')).toBeDefined();
});

test('A workflow that an edit breaks keeps its old version, also inside other workflows', async () => {
  const nodes = [{ id: 'echo', type: 'core:echo', inputValues: { value: 1 } }];
  const group = { nodes: [{ id: 'g', type: 'NodeGroup', configValues: { referencedWorkflowId: 'inner' } }], edges: [] };
  const { folder, write, registry } = await follow({
    'workflows/inner.json': { nodes, edges: [] },
    'workflows/outer.json': group,
  });
  const outer = registry.find('workflow:outer')!;
  const before = await registry.define(outer);
  write('workflows/inner.json', { nodes: [{ id: 'x', type: 'core:ecko' }], edges: [] });
  await eventually(() => expect(registry.problems()).toHaveLength(1));
  expect((await registry.define(outer)).digest).toBe(before.digest);
  write('workflows/inner.json', { nodes: [{ ...nodes[0], inputValues: { value: 2 } }], edges: [] });
  await eventually(() => expect(registry.problems()).toEqual([]));
  expect((await registry.define(registry.find('workflow:outer')!)).digest).not.toBe(before.digest);
  expect(before.definition.workflows!.inner!.nodes[0]!.inputValues).toEqual({ value: 1 });
  rmSync(join(folder, 'workflows/inner.json'));
  await eventually(() => expect(registry.find('workflow:outer')).toBeUndefined());
});

test('A tool loads as soon as its script exists', async () => {
  const handler = { type: 'external-script', language: 'python', scriptPath: 'deep/main.py' };
  const { write, registry } = await follow({ [tool]: toolFile({ handler }) });
  expect(registry.problems()).toHaveLength(1);
  write('scripts/deep/main.py', 'print(1)');
  await eventually(() => expect(registry.find('kb:search')).toBeDefined());
  expect(registry.problems()).toEqual([]);
  const { digest } = await registry.define(registry.find('kb:search')!);
  write('scripts/deep/main.py', 'print(22)');
  expect((await registry.define(registry.find('kb:search')!)).digest).not.toBe(digest);
});

describe('The writes of an editor', () => {
  /** Edits the tool repeatedly. The tool must exist all the time without a problem. */
  async function edit(save: (path: string, text: string) => void) {
    const heard: unknown[] = [];
    const onReload: WatchOptions['onReload'] = (problems) =>
      heard.push([problems, registry.versions('kb:search').length]);
    const { folder, registry } = await follow({ [tool]: describes('0') }, { onReload });
    for (let count = 1; count <= 5; count++) {
      save(join(folder, tool), JSON.stringify(describes(`${count}`)));
      await eventually(() => expect(registry.find('kb:search')?.description).toBe(`${count}`));
    }
    expect(heard).toEqual(Array.from({ length: 5 }, () => [[], 1]));
  }

  it('A tool stays loaded while an editor writes a new file and renames it', () =>
    edit((path, text) => {
      writeFileSync(`${path}.tmp`, text);
      renameSync(`${path}.tmp`, path);
    }));

  it('A tool stays loaded while an editor empties its file and writes it again', () =>
    edit((path, text) => {
      truncateSync(path);
      writeFileSync(path, text);
    }));

  it('A tool stays loaded while an editor deletes its file and writes it again', () =>
    edit((path, text) => {
      rmSync(path);
      writeFileSync(path, text);
    }));
});

describe('The library folder', () => {
  it('A library folder that appears later is loaded, also after it was removed', async () => {
    const elsewhere = writeLibrary({ [tool]: describes('one') });
    const folder = join(elsewhere, 'later', 'library');
    const { registry } = await watchFolders([folder]);
    expect(registry.problems()).toMatchObject([{ file: folder }]);
    mkdirSync(folder, { recursive: true });
    cpSync(join(elsewhere, 'tools'), join(folder, 'tools'), { recursive: true });
    await eventually(() => expect(registry.find('kb:search')?.description).toBe('one'));
    rmSync(folder, { recursive: true });
    await eventually(() => expect(registry.find('kb:search')).toBeUndefined());
    cpSync(join(elsewhere, 'tools'), join(folder, 'tools'), { recursive: true });
    await eventually(() => expect(registry.find('kb:search')).toBeDefined());
    writeFileSync(join(folder, tool), JSON.stringify(describes('two')));
    await eventually(() => expect(registry.find('kb:search')?.description).toBe('two'));
  });

  it('An edit behind a link to files or folders of the library is live', async () => {
    const { folder, write, registry } = await follow({
      'more/x/a.tool.json': describes('one'),
      'more/b.json': toolFile({ toolId: 'kb:b' }),
      'tools/c.tool.json': toolFile({ toolId: 'kb:c' }),
    });
    symlinkSync('../more/x', join(folder, 'tools/linked'));
    symlinkSync('../more/b.json', join(folder, 'tools/b.tool.json'));
    await eventually(() => expect(registry.list({ namespace: 'kb' })).toHaveLength(3));
    write('more/x/a.tool.json', describes('two'));
    await eventually(() => expect(registry.find('kb:search')?.description).toBe('two'));
  });

  it('An edit in a library folder that is a link is live', async () => {
    const elsewhere = writeLibrary({ [`library/${tool}`]: describes('one') });
    symlinkSync('library', join(elsewhere, 'link'));
    const { registry } = await watchFolders([join(elsewhere, 'link')]);
    writeFileSync(join(elsewhere, 'library', tool), JSON.stringify(describes('two')));
    await eventually(() => expect(registry.find('kb:search')?.description).toBe('two'));
  });
});

test('A refresh without edits changes nothing and causes no reload', async () => {
  const reloads: unknown[] = [];
  const { watched, write, registry } = await follow(
    { [tool]: describes('one') },
    { onReload: (told) => reloads.push(told) },
  );
  for (let scan = 0; scan < 4; scan++) await watched.refresh();
  expect(reloads).toEqual([]);
  write(tool, describes('two'));
  await eventually(() => expect(registry.find('kb:search')?.description).toBe('two'));
  for (let scan = 0; scan < 4; scan++) await watched.refresh();
  expect(reloads).toHaveLength(1);
});

test('A snapshot does not change', async () => {
  const { folder, registry } = await follow({ [tool]: describes('one') });
  const snapshot = registry.snapshot();
  rmSync(join(folder, tool));
  await eventually(() => expect(registry.find('kb:search')).toBeUndefined());
  expect(snapshot.find('kb:search')?.description).toBe('one');
});

test('A tool that was not edited stays the same object', async () => {
  const { write, registry } = await follow({ [tool]: toolFile(), 'tools/b.tool.json': toolFile({ toolId: 'kb:b' }) });
  const before = registry.find('kb:search');
  write('tools/b.tool.json', toolFile({ toolId: 'kb:b', description: 'new' }));
  await eventually(() => expect(registry.find('kb:b')?.description).toBe('new'));
  expect(registry.find('kb:search')).toBe(before);
});

test('A closed watcher ignores further edits', async () => {
  const { write, watched, registry } = await follow({ [tool]: describes('one') });
  await watched.close();
  write(tool, describes('two'));
  await watched.refresh();
  expect(registry.find('kb:search')?.description).toBe('one');
});
