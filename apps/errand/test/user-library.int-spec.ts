import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { processStart } from '../src/processes.js';
import { CommandReader } from './command-reader.js';
import { runErrand } from './run-errand.js';

const ROOT = join(__dirname, '../../..');
const HELLO = {
  toolId: 'my:hello',
  description: 'Greets',
  version: '1.0.0',
  handler: { type: 'external-script', language: 'python', scriptPath: 'hello.py' },
};
let folder: string;
/** The data folder of every command. */
let data: string;
let reader: CommandReader;

beforeAll(async () => {
  data = mkdtempSync(join(tmpdir(), 'errand-data-'));
  reader = await CommandReader.start({ env: { ERRAND_DATA_DIR: data } });
});
afterAll(async () => {
  await reader.stop();
  rmSync(data, { recursive: true });
});
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'errand-library-'))));
afterEach(() => {
  rmSync(folder, { recursive: true });
  rmSync(join(data, 'up.json'), { force: true });
});

/** Runs a command in the folder of the test. */
const errand = (...args: string[]) => errandWith({}, ...args);
const errandWith = (env: Record<string, string>, ...args: string[]) => reader.runIn({ cwd: folder, env }, ...args);

function write(path: string, content: unknown): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), typeof content === 'string' ? content : JSON.stringify(content));
}

describe('./errand tools while a stack runs', () => {
  /** Records this process as the stack of the data folder. */
  function recordStack(library?: string[]): void {
    const start = processStart(process.pid);
    const stack = { pid: process.pid, url: 'http://127.0.0.1:1', processStart: start, library };
    writeFileSync(join(data, 'up.json'), JSON.stringify(stack));
  }
  const source = async (...args: string[]) =>
    /from the files in .*\)/.exec((await errand('tools', 'hello', ...args)).stderr)?.[0];

  it('`./errand tools --library` says which library the running stack has loaded', async () => {
    write('mine/tools/hello.tool.json', HELLO);
    write('mine/scripts/hello.py', 'print(1)');
    write('other/README.txt', '');
    expect(await source('--library', 'mine')).toBe('from the files in mine (no stack runs)');
    recordStack([join(folder, 'mine')]);
    expect(await source('--library', 'mine')).toBe(
      'from the files in mine (the stack on http://127.0.0.1:1 has loaded this library)',
    );
    recordStack([join(folder, 'mine'), join(folder, 'other')]);
    expect(await source('--library', './mine/')).toMatch(/has loaded this library among mine and other\)$/);
    recordStack([join(folder, 'other')]);
    expect(await source('--library', 'mine')).toBe(
      'from the files in mine (the stack on http://127.0.0.1:1 has not loaded mine, but other)',
    );
    recordStack();
    expect(await source('--library', 'mine')).toMatch(/does not say which library it has loaded\)$/);
    expect((await errand('tools', 'show', 'my:hello', '--library', 'mine')).stdout).toContain('http://127.0.0.1:1/v1');
  });
});

describe('The library of `./errand plugin new`', () => {
  it('`./errand plugin new` writes into the first library of the user, and never into the examples', async () => {
    mkdirSync(join(folder, 'mine'));
    const libraries = `${join(ROOT, 'examples')}:mine`;
    const env = { ERRAND_DATA_DIR: data, ERRAND_LIBRARY: libraries };
    const { status, stderr } = await runErrand(['plugin', 'new', 'garden'], { cwd: folder, env });
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: expect.stringContaining('tools check mine/plugins/garden'),
    });
    expect(stderr).not.toContain('loads the library');
    expect(existsSync(join(ROOT, 'examples/plugins/garden'))).toBe(false);
  });

  it('`./errand plugin new` says how to load a library that ERRAND_LIBRARY does not name', async () => {
    const env = { ERRAND_LIBRARY: join(ROOT, 'examples') };
    const { stderr } = await errandWith(env, 'plugin', 'new', 'meadow', '--in', 'far');
    expect(stderr).toMatch(/ERRAND_LIBRARY=.*examples:far \.\/errand up +loads the library/);
  });
});
