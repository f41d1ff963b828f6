import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { eventually } from '../../test/retry-expectation.js';
import { CORE, loadFolders, toolFile, writeLibrary, type Files } from '../../test/write-library.js';
import { checkWorkflow } from '@errand/engine';
import { watchRegistry } from '../live/watch-registry.js';

const SECRET = 'root-password-hunter2';
const GOOD: Files = { 'tools/good.tool.json': toolFile({ toolId: 'kb:good' }) };

/** A library with links (path in the library → target) beside a folder with foreign files. */
function libraryWith(links: Record<string, string>, files: Files = {}, foreign: Files = {}): string {
  const folder = writeLibrary({
    'library/x': '',
    ...inside('library', { ...GOOD, ...files }),
    ...inside('foreign', foreign),
  });
  for (const [path, target] of Object.entries(links)) {
    mkdirSync(dirname(join(folder, 'library', path)), { recursive: true });
    symlinkSync(target, join(folder, 'library', path));
  }
  return join(folder, 'library');
}

function inside(folder: string, files: Files): Files {
  return Object.fromEntries(Object.entries(files).map(([path, content]) => [`${folder}/${path}`, content]));
}

async function problemsOf(library: string): Promise<Record<string, string>> {
  const registry = await loadFolders([library]);
  expect(registry.find('kb:good')).toBeDefined();
  return Object.fromEntries(registry.problems().map(({ file, message }) => [relative(library, file), message]));
}

const LEAVES = /^The link leads out of the library, to ".*"; it is not followed$/;
const BACK = /^The link leads back to a folder that contains it; it is not followed$/;

describe('A link that is a problem', () => {
  it.each<[what: string, links: Record<string, string>, expected: Record<string, RegExp>]>([
    ['to the folder around it', { 'scripts/up': '..' }, { 'scripts/up': BACK }],
    ['to its own folder', { 'scripts/here': '.' }, { 'scripts/here': BACK }],
    ['to the library at its top', { loop: '.' }, { loop: BACK }],
    ['to itself', { 'scripts/self': 'self' }, { 'scripts/self': /leads back to itself/ }],
    [
      'in a circle of two',
      { 'tools/a': 'b', 'tools/b': 'a' },
      { 'tools/a': /back to itself/, 'tools/b': /back to itself/ },
    ],
    ['to nothing', { 'scripts/gone.py': 'nowhere' }, { 'scripts/gone.py': /missing file/ }],
    ['to a device', { 'tools/zero.tool.json': '/dev/zero' }, { 'tools/zero.tool.json': LEAVES }],
    ['to the root of the disk', { 'scripts/disk': '/' }, { 'scripts/disk': /leads back to a folder|leads out/ }],
    ['to a foreign folder', { 'agents/more': '../../foreign' }, { 'agents/more': LEAVES }],
    ['to a sibling whose name begins the same', { 'tools/x': '../../library-2' }, { 'tools/x': /missing file/ }],
    [
      'by way of another link',
      { 'tools/first': '../second', second: '../foreign' },
      { 'tools/first': LEAVES, second: LEAVES },
    ],
    ['in place of the folder of tools', { workflows: '../foreign' }, { workflows: LEAVES }],
    ['in place of the folder of scripts', { scripts: '../foreign' }, { scripts: LEAVES }],
  ])('A link that leads %s is reported, and the rest of the library loads', async (_what, links, expected) => {
    const library = libraryWith(
      links,
      {},
      { 'a.tool.json': toolFile({ toolId: 'kb:foreign' }), 'w.json': { nodes: [], edges: [] } },
    );
    const problems = await problemsOf(library);
    expect(Object.keys(problems).toSorted()).toEqual(Object.keys(expected).toSorted());
    for (const [path, message] of Object.entries(expected)) expect(problems[path]).toMatch(message);
  });

  it('Two folders that link to each other are reported once', async () => {
    const library = libraryWith({ 'scripts/a/b': '../b', 'scripts/b/a': '../a' });
    expect(Object.values(await problemsOf(library))).toEqual([expect.stringMatching(BACK)]);
  });

  it('The scan takes linear time, even if many folders link to each other', async () => {
    const names = Array.from({ length: 30 }, (_item, index) => `f${index}`);
    const links = names.flatMap((from) => names.map((to): [string, string] => [`tools/${from}/${to}`, `../${to}`]));
    const files = Object.fromEntries(names.map((name) => [`tools/${name}/x.txt`, '']));
    const problems = await problemsOf(libraryWith(Object.fromEntries(links), files));
    expect(Object.values(problems).every((message) => BACK.test(message))).toBe(true);
    const missing = toolFile({ handler: { type: 'external-script', language: 'python', scriptPath: 'no.py' } });
    const scripts = Object.fromEntries(links.map(([path, to]) => [path.replace('tools', 'scripts'), to]));
    const second = await problemsOf(
      libraryWith(scripts, { 'tools/m.tool.json': missing, ...inside('scripts', { 'f0/x': '' }) }),
    );
    expect(second['tools/m.tool.json']).toMatch(/no script/);
  });
});

describe('A link inside the library', () => {
  it('A link may lead to files and folders of the library, also through other links', async () => {
    const library = libraryWith(
      { 'tools/linked': '../more', 'tools/one.tool.json': '../chain', chain: 'more/deep/one.tool.json' },
      {
        'more/a.tool.json': toolFile({ toolId: 'kb:a' }),
        'more/deep/one.tool.json': toolFile({ toolId: 'kb:one' }),
      },
    );
    rmSync(join(library, 'more/deep/one.tool.json'));
    writeFileSync(join(library, 'more/deep/one.json'), JSON.stringify(toolFile({ toolId: 'kb:one' })));
    rmSync(join(library, 'chain'));
    symlinkSync('more/deep/one.json', join(library, 'chain'));
    const registry = await loadFolders([library]);
    expect(registry.problems()).toEqual([]);
    expect(registry.list({ namespace: 'kb' }).map(({ toolId }) => toolId)).toEqual(['kb:a', 'kb:good', 'kb:one']);
  });

  it('A library folder may be a link', async () => {
    const library = libraryWith({});
    symlinkSync(library, `${library}-link`);
    const registry = await loadFolders([`${library}-link`]);
    expect(registry.problems()).toEqual([]);
    expect(registry.find('kb:good')).toBeDefined();
  });
});

describe('A library folder that cannot be opened', () => {
  it.each<[what: string, make: (path: string) => void]>([
    ['is a link to itself', (path) => symlinkSync(path, path)],
    ['is a link to nothing', (path) => symlinkSync('nowhere', path)],
    ['is a file', (path) => writeFileSync(path, '')],
    ['is a pipe', (path) => execFileSync('mkfifo', [path])],
    ['is a link to a device', (path) => symlinkSync('/dev/null', path)],
  ])('A library folder that %s is a problem, and the others load', async (_what, make) => {
    const other = writeLibrary(GOOD);
    const broken = join(writeLibrary({}), 'broken');
    make(broken);
    const watched = await watchRegistry({ folders: [broken, other], coreDir: CORE, checkWorkflow });
    expect(watched.registry.find('kb:good')).toBeDefined();
    expect(watched.registry.problems()).toEqual([{ file: broken, message: expect.stringMatching(/library folder/) }]);
    await watched.close();
  });
});

describe('The content of a foreign file', () => {
  const foreign: Files = {
    passwd: `${SECRET}:x:0:0\n- *${SECRET}\n`,
    'tool.json': `{"toolId": "${SECRET}", "${SECRET}": 1}`,
    'plugin.yaml': `name: ${SECRET}\n`,
    'data.json': `${SECRET} is not JSON`,
    'folder/plugin.yaml': `name: ${SECRET}\nversion: x\n`,
    'scripts/a.py': SECRET,
  };
  it.each<[what: string, links: Record<string, string>, files?: Files]>([
    ['a tool that is not JSON', { 'tools/a.tool.json': '../../foreign/passwd' }],
    ['a tool with wrong fields', { 'tools/a.tool.json': '../../foreign/tool.json' }],
    ['a workflow', { 'workflows/a.json': '../../foreign/passwd' }],
    ['an agent', { 'agents/a.json': '../../foreign/tool.json' }],
    ['a manifest', { 'plugins/p/plugin.yaml': '../../../foreign/plugin.yaml' }],
    ['a manifest that is not YAML', { 'plugins/p/plugin.yaml': '../../../foreign/passwd' }],
    ['a plugin', { 'plugins/p': '../../foreign/folder' }],
    ['all plugins', { plugins: '../foreign' }],
    [
      'a file that the code of a plugin reads',
      { 'plugins/p/nodes/data.json': '../../../../foreign/data.json' },
      {
        'plugins/p/plugin.yaml': 'name: p\nversion: 1.0.0\nnodes: {entry: nodes/index.js}\n',
        'plugins/p/nodes/index.js': "exports.nodes = []; require('./data.json');",
      },
    ],
    [
      'the code of a plugin',
      { 'plugins/p/nodes/index.js': '../../../../foreign/passwd' },
      { 'plugins/p/plugin.yaml': 'name: p\nversion: 1.0.0\nnodes: {entry: nodes/index}\n' },
    ],
    [
      'the folder of scripts',
      { scripts: '../foreign/scripts' },
      {
        'tools/a.tool.json': toolFile({ handler: { type: 'external-script', language: 'python', scriptPath: 'a.py' } }),
      },
    ],
    [
      'a script whose function is missing',
      { 'scripts/a.py': '../../foreign/scripts/a.py' },
      {
        'tools/a.tool.json': toolFile({
          handler: { type: 'external-script', language: 'python', scriptPath: 'a.py', entryPoint: 'run' },
        }),
      },
    ],
  ])('The content of a foreign file is not shown if it is linked as %s', async (_what, links, files = {}) => {
    const library = libraryWith(links, files, foreign);
    const registry = await loadFolders([library]);
    expect(registry.problems().length).toBeGreaterThan(0);
    const [link] = Object.keys(links);
    expect(registry.problems().map(({ file }) => relative(library, file))).toContain(link);
    expect(JSON.stringify(registry.problems())).not.toContain(SECRET);
    expect(JSON.stringify(registry.list())).not.toContain(SECRET);
  });

  it('A linked folder of foreign scripts is not packed', async () => {
    const library = libraryWith({ scripts: '../foreign/scripts' }, {}, foreign);
    const registry = await loadFolders([library]);
    const tool = registry.find('core:execute-python-script')!;
    await expect(registry.define(tool, { scriptPath: 'a.py' })).rejects.toMatchObject({
      type: 'SecurityError',
      message: "The folder 'scripts' is a link that leads out of the library",
    });
  });
});

describe('A pipe in a library', () => {
  it.each([
    'plugins/p/plugin.yaml',
    'plugins/q/nodes/index.js',
    'plugins/q/nodes/more.json',
    'agents/a.json',
    'workflows/w.json',
  ])('A pipe called %s does not block the start', async (path) => {
    const library = libraryWith(
      {},
      {
        'plugins/q/plugin.yaml': 'name: q\nversion: 1.0.0\nnodes: {entry: nodes/index.js}\n',
        ...(path !== 'plugins/q/nodes/index.js' && { 'plugins/q/nodes/index.js': 'exports.nodes = [];' }),
      },
    );
    mkdirSync(dirname(join(library, path)), { recursive: true });
    execFileSync('mkfifo', [join(library, path)]);
    expect(Object.values(await problemsOf(library)).join()).toMatch(/not a regular file/);
  });
});

describe('A library that is watched', () => {
  it('A watched library stays live after links of every kind were added and removed', async () => {
    const library = libraryWith({ 'scripts/up': '..' });
    const watched = await watchRegistry({ folders: [library], coreDir: CORE, checkWorkflow });
    const { registry } = watched;
    expect(registry.problems()).toMatchObject([{ file: join(library, 'scripts/up') }]);
    const links = {
      'tools/loop': '.',
      'tools/self': 'self',
      'tools/out': '/proc/self',
      'tools/null.tool.json': '/dev/null',
    };
    for (const [path, target] of Object.entries(links)) symlinkSync(target, join(library, path));
    await eventually(() => expect(registry.problems()).toHaveLength(5));
    for (const path of Object.keys(links)) rmSync(join(library, path));
    await eventually(() => expect(registry.problems()).toHaveLength(1));
    for (let round = 0; round < 20; round++) {
      mkdirSync(join(library, 'tools/gone/deep/er'), { recursive: true });
      symlinkSync('../..', join(library, 'tools/gone/deep/up'));
      rmSync(join(library, 'tools/gone'), { recursive: true });
    }
    writeFileSync(join(library, 'tools/new.tool.json'), JSON.stringify(toolFile({ toolId: 'kb:new' })));
    await eventually(() => expect(registry.find('kb:new')).toBeDefined());
    await watched.close();
  });
});
