import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { processStart } from '../src/processes.js';
import { QUICK_START } from '../../../test/support/start-process.js';

const ROOT = join(__dirname, '../../..');
const HELLO = {
  toolId: 'my:hello',
  description: 'Greets',
  version: '1.0.0',
  handler: { type: 'external-script', language: 'python', scriptPath: 'hello.py' },
};
let folder: string;

beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'errand-library-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const errand = (...args: string[]) => errandWith({}, ...args);

/** Runs `./errand` in the folder of the test. */
function errandWith(settings: Record<string, string>, ...args: string[]) {
  const env = { ...process.env, ERRAND_DATA_DIR: join(folder, 'data'), ...settings };
  const { status, stdout, stderr } = spawnSync(process.execPath, [...QUICK_START, join(ROOT, 'errand'), ...args], {
    encoding: 'utf8',
    cwd: folder,
    env,
  });
  return { status, stdout, stderr };
}

function write(path: string, content: unknown): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), typeof content === 'string' ? content : JSON.stringify(content));
}

describe('./errand tools while a stack runs', () => {
  /** Records this process as the stack of the data folder. */
  function recordStack(library?: string[]): void {
    const start = processStart(process.pid);
    write('data/up.json', { pid: process.pid, url: 'http://127.0.0.1:1', processStart: start, library });
  }
  const source = (...args: string[]) => /from the files in .*\)/.exec(errand('tools', 'hello', ...args).stderr)?.[0];

  it('`./errand tools --library` says which library the running stack has loaded', () => {
    write('mine/tools/hello.tool.json', HELLO);
    write('mine/scripts/hello.py', 'print(1)');
    write('other/README.txt', '');
    expect(source('--library', 'mine')).toBe('from the files in mine (no stack runs)');
    recordStack([join(folder, 'mine')]);
    expect(source('--library', 'mine')).toBe(
      'from the files in mine (the stack on http://127.0.0.1:1 has loaded this library)',
    );
    recordStack([join(folder, 'mine'), join(folder, 'other')]);
    expect(source('--library', './mine/')).toMatch(/has loaded this library among mine and other\)$/);
    recordStack([join(folder, 'other')]);
    expect(source('--library', 'mine')).toBe(
      'from the files in mine (the stack on http://127.0.0.1:1 has not loaded mine, but other)',
    );
    recordStack();
    expect(source('--library', 'mine')).toMatch(/does not say which library it has loaded\)$/);
    expect(errand('tools', 'show', 'my:hello', '--library', 'mine').stdout).toContain('http://127.0.0.1:1/v1');
  });
});

describe('The library of `./errand plugin new`', () => {
  it('`./errand plugin new` writes into the first library of the user, and never into the examples', () => {
    mkdirSync(join(folder, 'mine'));
    const libraries = `${join(ROOT, 'examples')}:mine`;
    const { status, stderr } = errandWith({ ERRAND_LIBRARY: libraries }, 'plugin', 'new', 'garden');
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: expect.stringContaining('tools check mine/plugins/garden'),
    });
    expect(stderr).not.toContain('loads the library');
    expect(existsSync(join(ROOT, 'examples/plugins/garden'))).toBe(false);
  });

  it('`./errand plugin new` says how to load a library that ERRAND_LIBRARY does not name', () => {
    const { stderr } = errandWith({ ERRAND_LIBRARY: join(ROOT, 'examples') }, 'plugin', 'new', 'meadow', '--in', 'far');
    expect(stderr).toMatch(/ERRAND_LIBRARY=.*examples:far \.\/errand up +loads the library/);
  });
});
