import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { writeFiles, type Files } from '../../../test/support/write-files.js';
import { CommandReader } from './command-reader.js';

const ROOT = join(__dirname, '../../..');

/** Starts `./errand` as a program, as a shell does. */
function startedErrand(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(join(ROOT, 'errand'), args, {
    encoding: 'utf8',
    env: { ...process.env, ERRAND_DATA_DIR: folder },
  });
  return { status, stdout, stderr };
}

/** The value of an expression in the modules of `bootstrap/`, which run before the first build. */
function evaluate(module: string, expression: string, settings: Record<string, string> = {}): unknown {
  const program = `import * as it from ${JSON.stringify(join(ROOT, 'bootstrap', module))}; console.log(JSON.stringify(${expression}))`;
  const env = { ...process.env, ...settings };
  const { stdout, stderr } = spawnSync('node', ['--input-type=module', '-e', program], { encoding: 'utf8', env });
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout);
}

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'errand-cli-'))));
afterEach(() => rmSync(folder, { recursive: true }));

test('The build writes the manifest of the built-in plugin as JSON with the same value', () => {
  const [source, built] = ['', 'dist/'].map((folderOf) =>
    readFileSync(join(ROOT, `${folderOf}plugins/core/plugin.yaml`), 'utf8'),
  );
  expect(JSON.parse(built ?? '')).toEqual(parse(source ?? ''));
});

describe('The command line', () => {
  it('A command ends without an error when its output is closed', () => {
    const program = `"${join(ROOT, 'errand')}" tools --json | true; echo "\${PIPESTATUS[0]}"`;
    const { stdout, stderr } = spawnSync('bash', ['-c', program], {
      encoding: 'utf8',
      env: { ...process.env, ERRAND_DATA_DIR: folder },
    });
    expect(stderr).not.toContain('EPIPE');
    expect(stdout).toBe('0\n');
  });

  let reader: CommandReader;
  beforeAll(async () => {
    reader = await CommandReader.start({
      env: { ERRAND_DATA_DIR: join(tmpdir(), `errand-without-data-${process.pid}`) },
    });
  });
  afterAll(() => reader.stop());
  const errand = (...args: string[]) => reader.run(...args);

  it('The help lists the commands', async () => {
    const { status, stdout } = startedErrand('help');
    expect(status).toBe(0);
    for (const name of ['demo', 'up', 'down', 'logs', 'invoke', 'parse', 'doctor', 'test'])
      expect(stdout).toContain(`./errand ${name} `);
    expect((await errand('--help')).stdout).toBe(stdout);
  });

  it('An unknown command gets exit code 2 and a suggestion', async () => {
    const { status, stderr } = startedErrand('dwon');
    expect(status).toBe(2);
    expect(stderr).toMatch(/no command 'dwon', did you mean 'down'/);
    expect((await errand('constructor')).status).toBe(2);
  });

  it('`./errand logs` reports a missing log', async () => {
    expect(await errand('logs')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('The log does not exist yet'),
    });
  });
});

describe('An internal error', () => {
  /** A folder in place of the record of a stack, and the place in the sources that fails to read it. */
  function breakRecord(): RegExp {
    writeFiles(folder, { 'up.json/file': '' });
    const file = join(ROOT, 'apps/errand/src/running-stack.ts');
    const lines = readFileSync(file, 'utf8').split('\n');
    const line = lines.findIndex((text) => text.includes('readFileSync(path')) + 1;
    return new RegExp(`at readRecord \\(${file}:${line}:\\d+\\)\n`);
  }

  it('An internal error of a command shows the places in the sources', () => {
    const place = breakRecord();
    const { status, stderr } = startedErrand('list', '--no-install');
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringMatching(place) });
    expect(stderr).toContain('bootstrap/main.mjs:');
  });

  it('An error that no command catches shows them, too', () => {
    const place = breakRecord();
    const [main, compiled] = ['bootstrap/main.mjs', 'dist/apps/errand/src/running-stack.js'].map((path) =>
      JSON.stringify(join(ROOT, path)),
    );
    const program = `await import(${main});
      const { findRunningStack } = (await import(${compiled})).default;
      setTimeout(() => findRunningStack(${JSON.stringify(folder)}), 1);`;
    const { status, stderr } = spawnSync('node', ['--input-type=module', '-e', program], { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringMatching(place) });
  });
});

describe('The digest of sources', () => {
  it('The digest changes with every edit, new file, removal and renaming, and with nothing else', () => {
    const large = 'x'.repeat(2 ** 18);
    const states: Files[] = [
      { 'a/deep/x': '1', 'b.txt': '2' },
      { 'a/deep/x': '1', 'b.txt': '2', unrelated: '' },
      { 'a/deep/x': '1+', 'b.txt': '2' },
      { 'a/deep/x': '1+', 'b.txt': '2', 'a/new': '' },
      { 'a/deep/x': '1+', 'b.txt': '2', 'a/newer': '' },
      { 'a/deep/x': '1+', 'a/newer': '' },
      // Files that are larger than a part in which they are read.
      { 'a/deep/x': `${large}1` },
      { 'a/deep/x': `${large}2` },
    ];
    const folders = states.map((files, n) => {
      writeFiles(join(folder, String(n)), files);
      return join(folder, String(n));
    });
    const digest = "(root) => it.digestOf(root, ['a', 'b.txt', 'absent'])";
    const [first, unrelated, ...changed] = evaluate(
      'digest.mjs',
      `${JSON.stringify(folders)}.map(${digest})`,
    ) as string[];
    expect(unrelated).toBe(first);
    expect(new Set([first, ...changed]).size).toBe(7);
  });
});

describe('The doctor', () => {
  const versions: [string, boolean][] = [
    ['1.1.5+ds1', false],
    ['1.2.7', false],
    ['1.2.8', true],
    ['1.3.2', false],
    ['1.3.3', true],
    ['1.4.0-rc.1', true],
    ['2.0.0', true],
  ];
  let verdicts: unknown[];
  beforeAll(() => {
    const names = versions.map(([version]) => version);
    verdicts = evaluate('doctor.mjs', `${JSON.stringify(names)}.map(it.isPatched)`) as unknown[];
  });

  it.each(versions)('The doctor takes runc %s as patched: %s', (version, patched) => {
    expect(verdicts[versions.findIndex(([name]) => name === version)]).toBe(patched);
  });
});

it('`./errand test` lists the ten slowest suites, the slowest first', () => {
  const results = Array.from({ length: 12 }, (_, n) => ({
    name: join(ROOT, `${n}.spec.ts`),
    startTime: 1_000,
    endTime: 1_000 + n * 1_500,
  }));
  const lines = evaluate('test.mjs', `it.slowestSuites(${JSON.stringify(results)})`) as string[];
  expect(lines).toHaveLength(10);
  expect(lines[0]).toBe('   16.5 s  11.spec.ts');
  expect(lines.at(-1)).toBe('    3.0 s  2.spec.ts');
});

it('Needs are provided in order, also if their Debian packages are missing and may not be installed', () => {
  const program = `await (async () => {
    const provided = [];
    const need = (title, there) => ({
      title,
      packages: () => ['no-such-package-' + title],
      check: async () => there && title,
      make: async () => provided.push(title),
    });
    await it.ensure([need('first'), need('second', true), need('third')], { later: [need('later')] });
    return provided;
  })()`;
  expect(evaluate('ensure.mjs', program, { ERRAND_NO_INSTALL: 'true' })).toEqual(['first', 'third']);
});

it('Each suite that `./errand test --cluster` leaves out exists and has a reason', () => {
  const left = Object.entries(evaluate('cluster-suites.mjs', 'it.LEFT_OUT') as Record<string, string>);
  expect(left.length).toBeGreaterThan(0);
  for (const [path, reason] of left) expect([existsSync(join(ROOT, path)), reason.length > 10]).toEqual([true, true]);
});

describe('The images of scripts', () => {
  const named = { ERRAND_IMAGE_PYTHON: 'own-python', ERRAND_IMAGE_BUN: 'own-bun' };
  const unset = { ERRAND_IMAGE_PYTHON: '', ERRAND_IMAGE_BUN: '' };
  const images = "['python', 'bun'].map(it.imageOf)";
  const needs = 'it.SANDBOX.map(({ title, make }) => [title, Boolean(make)])';

  it('The images that an operator names are used and never built', () => {
    expect(evaluate('needs/runner-images.mjs', images, named)).toEqual(['own-python', 'own-bun']);
    const looked = evaluate('ensure.mjs', needs, named);
    expect(looked).toEqual([
      ['Docker engine', true],
      ['python image', false],
      ['bun image', false],
    ]);
  });

  it('The default images are used if a setting is empty', () => {
    expect(evaluate('needs/runner-images.mjs', images, unset)).toEqual(['errand-runner-python', 'errand-runner-bun']);
    expect(evaluate('ensure.mjs', needs, unset)).toContainEqual(['base image', true]);
  });
});
