import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { CommandReader } from './command-reader.js';
import { runErrand } from './run-errand.js';

let folder: string;
/** The current folder of the reader, in which commands write nothing. Its data folder is that of every command: no stack runs there. */
let empty: string;
let reader: CommandReader;

beforeAll(async () => {
  empty = mkdtempSync(join(tmpdir(), 'errand-empty-'));
  reader = await CommandReader.start({ cwd: empty, env: { ERRAND_DATA_DIR: join(empty, 'data') } });
});
afterAll(async () => {
  await reader.stop();
  rmSync(empty, { recursive: true });
});
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'errand-tools-'))));
afterEach(() => rmSync(folder, { recursive: true }));

/** Runs a command in the folder of the test. */
const errand = (...args: string[]) => errandWith({}, ...args);
const errandWith = (env: Record<string, string>, ...args: string[]) => reader.runIn({ cwd: folder, env }, ...args);
/** Starts `./errand` in the folder of the test. */
const startedErrand = (env: Record<string, string>, ...args: string[]) =>
  runErrand(args, { cwd: folder, env: { ERRAND_DATA_DIR: join(empty, 'data'), ...env } });

function write(path: string, content: unknown): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), typeof content === 'string' ? content : JSON.stringify(content, null, 2));
}

const hello = {
  toolId: 'my:hello',
  description: 'Greets',
  version: '1.0.0',
  handler: { type: 'external-script', language: 'python', scriptPath: 'hello.py' },
};

describe('./errand tools', () => {
  it('`./errand tools` lists all tools on a line each without colours, and says where it read them', async () => {
    const { status, stdout, stderr } = await startedErrand({ CI: 'true' }, 'tools');
    expect(status).toBe(0);
    expect(stdout).toMatch(/^core:echo +node +Returns its value/m);
    expect(stdout).toMatch(/^workflow:greet +workflow /m);
    expect(stdout + stderr).not.toContain('\u001b[');
    expect(stderr).toMatch(/\d+ tools, from the files in .*examples \(no stack runs\)\.\n.*tools show <id>/);
  });

  it('`./errand tools` searches and filters, with the best match first', async () => {
    expect((await errand('tools', 'roll', 'dice')).stdout.split(/\s/)[0]).toBe('dice:roll');
    const { stdout } = await errand('tools', '--kind', 'script', '--namespace', 'text', '--json');
    const { items } = JSON.parse(stdout) as { items: { toolId: string }[] };
    expect(items.map(({ toolId }) => toolId)).toEqual(['text:analyze', 'text:slugify']);
  });

  it('`./errand tools show` shows a tool with a call in each protocol', async () => {
    const { status, stdout } = await errand('tools', 'show', 'core:math');
    expect(status).toBe(0);
    expect(stdout).toContain('op  string, required, one of "add"');
    expect(stdout).toContain('<ACTION>\n  <core:math>');
    expect(stdout).toContain('command:「始」core:math「末」');
    expect(stdout).toContain('curl -s http://127.0.0.1:3000/v1/invocations');
    const { calls } = JSON.parse((await errand('tools', 'show', 'core:math', '--json')).stdout) as { calls: object[] };
    expect(calls).toHaveLength(3);
  });

  it('`./errand tools show` shows the requested version, with calls of that version', async () => {
    const call = async (id: string) => (await errand('tools', 'show', id, '--library', 'library')).stdout;
    for (const version of ['1.0.0', '2.0.0']) write(`library/tools/${version}.tool.json`, { ...hello, version });
    write('library/scripts/hello.py', 'print(1)');
    expect(await call('my:hello@^1')).toContain('<my:hello@1.0.0 />');
    expect(await call('my:hello@^1')).toContain('"toolId":"my:hello@1.0.0"');
    expect(await call('my:hello')).toContain('"toolId":"my:hello"');
  });

  it.each([
    [['tools', 'show', 'core:mth'], 1, /did you mean 'core:math'/],
    [['tools', 'chek'], 1, /Did you mean the command `.\/errand tools check`/],
    [['tools', 'shwo', 'core:math'], 0, /Did you mean the command `.\/errand tools show core:math`/],
    [['tools', '--library', 'nowhere'], 1, /The folder 'nowhere' does not exist/],
    [['tools', '--agent', 'nobody'], 1, /Unknown agent 'nobody'; the agents are: calculator, demo/],
    [['tools', 'show'], 2, /<id> is missing, for example: \.\/errand tools show core:math/],
    [['tools', '--kind', 'nod'], 2, /--kind must be one of node,/],
    [['tools', '--kin', 'node'], 2, /no option '--kin', did you mean '--kind'/],
    [['plugin', 'nw'], 2, /did you mean 'plugin new'/],
    [['plugin', 'new', 'Bad/Name'], 2, /may have only letters a-z/],
    [['tools', '--help'], 0, /^$/],
    [['tools', 'help'], 0, /^$/],
  ])('The command %j ends with exit code %d', async (args, code, message) => {
    const { status, stderr } = await reader.run(...args);
    expect({ status, stderr }).toEqual({ status: code, stderr: expect.stringMatching(message) });
  });
});

describe('./errand tools check', () => {
  it('`./errand tools check` finds no problems in a correct library', async () => {
    write('library/tools/hello.tool.json', hello);
    write('library/scripts/hello.py', 'print(1)');
    expect(await errand('tools', 'check', 'library')).toMatchObject({
      status: 0,
      stdout: '',
      stderr: 'No problems: 1 tool.\n',
    });
  });

  it('`./errand tools check` reports place, field, message and suggestion, and ends with 1', async () => {
    write('library/tools/hello.tool.json', { ...hello, displayNam: 'x' });
    write('library/tools/broken.tool.json', '{\n  "toolId": "a:b",\n}');
    const { status, stdout, stderr } = await startedErrand({}, 'tools', 'check', 'library');
    expect(status).toBe(1);
    expect(stdout).toMatch(/^library\/tools\/hello\.tool\.json:\d+:\d+: displayNam: .*did you mean 'displayName'/m);
    expect(stdout).toMatch(/^library\/tools\/broken\.tool\.json:3:1: /m);
    expect(stderr).toMatch(/problems? in 2 files/);
  });

  it('`./errand tools check` reports all errors of a file, and links out of the library without their content', async () => {
    write('library/tools/hello.tool.json', {
      ...hello,
      version: undefined,
      tags: 5,
      handler: { ...hello.handler, scriptPath: 'no.py' },
    });
    write('secret.json', '{"toolId": "hunter2"');
    symlinkSync(join(folder, 'secret.json'), join(folder, 'library/tools/link.tool.json'));
    mkdirSync(join(folder, 'library/scripts'));
    symlinkSync('..', join(folder, 'library/scripts/up'));
    const { status, stdout } = await errand('tools', 'check', 'library');
    expect(status).toBe(1);
    expect(stdout).toMatch(/hello\.tool\.json:.*version: Missing field/);
    expect(stdout).toMatch(/hello\.tool\.json:.*tags: .*got an integer: 5/);
    expect(stdout).toMatch(/hello\.tool\.json:.*handler\.scriptPath: There is no script 'no\.py'/);
    expect(stdout).toMatch(/^library\/tools\/link\.tool\.json: The link leads out of the library/m);
    expect(stdout).toMatch(/^library\/scripts\/up: The link leads back to a folder that contains it/m);
    expect(stdout).not.toContain('hunter2');
    expect((await errand('tools', 'check', 'library/tools/link.tool.json')).status).toBe(1);
  });

  it('`./errand tools check` checks one file or folder as a part of its library', async () => {
    write('library/tools/hello.tool.json', hello);
    write('library/scripts/hello.py', 'print(1)');
    write('library/tools/broken.tool.json', '{}');
    expect((await errand('tools', 'check', 'library/tools/hello.tool.json')).status).toBe(0);
    expect((await errand('tools', 'check', 'library/tools')).status).toBe(1);
    expect((await errand('tools', 'check', 'library/scripts')).status).toBe(0);
  });

  it('`./errand tools check` checks a plugin in any folder, also through a link', async () => {
    write(
      'thing/plugin.yaml',
      'name: thing\nversion: 1.0.0\ntools:\n  - id: other:x\n    description: x\n    implementation: { type: external }\n',
    );
    symlinkSync(join(folder, 'thing'), join(folder, 'link'));
    for (const path of ['thing', 'link']) {
      const { status, stdout } = await errand('tools', 'check', path);
      expect(status).toBe(1);
      expect(stdout).toMatch(new RegExp(String.raw`^${path}/plugin\.yaml:4:\d+: tools`, 'm'));
    }
    const { items } = JSON.parse((await errand('tools', 'check', 'thing', '--json')).stdout) as { items: object[] };
    expect(items).toEqual([expect.objectContaining({ line: 4, message: expect.stringContaining("'thing:'") })]);
  });

  it('`./errand tools check` ends with 1 if there is nothing to check', async () => {
    mkdirSync(join(folder, 'empty'));
    expect(await errand('tools', 'check', 'empty')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('is not a library'),
    });
    expect(await errand('tools', 'check', 'nowhere')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("file or folder 'nowhere' does not exist"),
    });
  });
});

describe('./errand doctor', () => {
  it('`./errand doctor` reports problems of the library', async () => {
    write('library/tools/hello.tool.json', hello);
    const { stderr } = await errandWith({ ERRAND_LIBRARY: 'library', ERRAND_NO_DOCKER: 'true' }, 'doctor');
    expect(stderr).toMatch(/! library +library\/tools\/hello\.tool\.json:\d+:\d+: handler.*no script 'hello\.py'/);
    expect(stderr).toMatch(/To fix it: .*\.\/errand tools check/);
  });
});

describe('./errand tools draft', () => {
  it('`./errand tools draft` writes a tool that loads', async () => {
    write(
      'library/scripts/area.py',
      'def area(width: float, depth: float = 2) -> float:\n    """The area of a room."""\n    return width * depth\n',
    );
    const { status, stderr } = await startedErrand({}, 'tools', 'draft', 'library/scripts/area.py');
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: expect.stringContaining('wrote library/tools/area.tool.json'),
    });
    expect(readdirSync(join(folder, 'library/scripts')).toSorted()).toEqual(['area.py']);
    expect((await errand('tools', 'check', 'library')).stderr).toBe('No problems: 1 tool.\n');
  });

  it('`./errand tools draft` overwrites nothing', async () => {
    write('library/scripts/area.py', 'def area(*widths: float): ...');
    write('library/scripts/area.call.py', 'mine');
    const { status, stderr } = await errand('tools', 'draft', 'library/scripts/area.py');
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining('area.call.py already exists') });
    expect(readFileSync(join(folder, 'library/scripts/area.call.py'), 'utf8')).toBe('mine');
    expect(existsSync(join(folder, 'library/tools'))).toBe(false);
  });

  it('`./errand tools draft` prints the declaration for a plugin', async () => {
    write('thing/plugin.yaml', 'name: thing\nversion: 1.0.0\n');
    write('thing/scripts/area.py', 'def area(width: float):\n  "The area."');
    const { status, stdout } = await errand('tools', 'draft', 'thing/scripts/area.py');
    expect(status).toBe(0);
    write('thing/plugin.yaml', `name: thing\nversion: 1.0.0\ntools:\n${stdout.replace(/^/gm, '  ')}`);
    expect((await errand('tools', 'check', 'thing')).stderr).toBe('No problems: 1 tool.\n');
  });

  it.each([
    ['notes.txt', '', 2, /The name of a script must end in one of \.py/],
    ['none.py', 'x = 1', 1, /has no function to call/],
  ])('`./errand tools draft` refuses %s', async (name, source, code, message) => {
    write(name, source);
    const { status, stderr } = await errand('tools', 'draft', name);
    expect({ status, stderr }).toEqual({ status: code, stderr: expect.stringMatching(message) });
  });
});

describe('./errand plugin new', () => {
  it('`./errand plugin new` creates a plugin that loads, with its own ids and a passing test', async () => {
    const { status, stderr } = await startedErrand({}, 'plugin', 'new', 'rock-garden', '--in', 'library');
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: expect.stringContaining('./errand tools check library/plugins/rock-garden'),
    });
    expect((await errand('tools', 'check', 'library/plugins/rock-garden')).stderr).toBe('No problems: 3 tools.\n');
    const test = spawnSync('node', ['--test', join(folder, 'library/plugins/rock-garden/test/plugin.test.js')], {
      encoding: 'utf8',
    });
    expect(test.stdout).toMatch(/^# fail 0$/m);
    expect(test.stdout).not.toMatch(/^# pass 0$/m);
    expect(readFileSync(join(folder, 'library/plugins/rock-garden/plugin.yaml'), 'utf8')).not.toMatch(/starter/i);
  });

  it('`./errand plugin new` overwrites nothing', async () => {
    write('library/plugins/garden/mine.txt', 'mine');
    expect(await errand('plugin', 'new', 'garden', '--in', 'library')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('already exists'),
    });
    expect(readdirSync(join(folder, 'library/plugins/garden'))).toEqual(['mine.txt']);
  });

  it.each([
    ['core', /Errand reserves this name/],
    ['Workflow', /Errand reserves this name/],
    ['Garden', /lower case, 'garden'/],
    ['my garden', /letters a-z/],
    ['../garden', /letters a-z/],
    ['7up', /begin with a letter/],
    ['a--b', /between two letters or digits/],
    ['x'.repeat(41), /41 characters/],
  ])('`./errand plugin new` refuses %s with the reason', async (name, message) => {
    const { status, stderr } = await reader.run('plugin', 'new', name, '--in', 'library');
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringMatching(message) });
    expect(existsSync(join(empty, 'library'))).toBe(false);
  });

  it('`./errand plugin new` refuses a name that other tools use', async () => {
    expect(await errand('plugin', 'new', 'text', '--in', 'library')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('text:analyze'),
    });
  });
});
