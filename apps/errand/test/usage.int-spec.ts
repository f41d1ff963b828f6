import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CommandReader } from './command-reader.js';
import { everyClientCommand, everyCommand, ROOT } from './every-command.js';
import { outcomeOf } from './run-errand.js';

/** A copy of Errand as after `git clone`, without npm packages and build. Its path has a blank. */
let clone: string;
/** Reads the command lines of the clone. */
let reader: CommandReader;

beforeAll(async () => {
  clone = mkdtempSync(join(tmpdir(), 'errand clone '));
  for (const part of ['errand', 'bootstrap', 'package.json', 'package-lock.json'])
    cpSync(join(ROOT, part), join(clone, part), { recursive: true });
  reader = await CommandReader.start({ env: environment() }, clone);
});
afterAll(async () => {
  await reader.stop();
  rmSync(clone, { recursive: true });
});

/** Its PATH has no programs, and so an attempt to install something fails. */
const environment = () => ({ PATH: join(clone, 'no-programs'), ERRAND_DATA_DIR: join(clone, 'data') });
const errand = (...args: string[]) => reader.run(...args);

const VERSION = (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }).version;
const filesOfClone = () => new Set(readdirSync(clone, { recursive: true, encoding: 'utf8' }));
const refused = (message: RegExp) => ({ status: 2, stdout: '', stderr: expect.stringMatching(message) });

describe.each(everyCommand().map((words) => [words.join(' '), words] as const))(
  'The command ./errand %s',
  (name, words) => {
    it('The help is printed before anything is installed, and no file changes', async () => {
      const before = filesOfClone();
      const asked =
        name === 'help'
          ? [['help', 'help']]
          : [
              [...words, '--help'],
              [...words, '-h'],
              ['help', ...words],
            ];
      for (const args of asked) {
        const { status, stdout, stderr } = await errand(...args);
        expect({ args, status, stderr }).toEqual({ args, status: 0, stderr: '' });
        expect(stdout).toContain(`./errand ${name}`);
        expect(stdout).toMatch(/-h, --help +print this text/);
        expect(stdout).toMatch(/^Exit codes:\n {2}0 +success\n[^]*^ {2}2 +Errand does not understand/m);
      }
      expect(filesOfClone()).toEqual(before);
    });

    it('The version is printed before anything is installed, whatever else the command needs', async () => {
      const version = { status: 0, stdout: `errand ${VERSION}\n`, stderr: '' };
      expect(await errand(...words, '--version')).toEqual(version);
      expect(await errand('-V', ...words, '--nonsense')).toEqual(version);
    });

    it('An unknown option is refused before anything is installed, with a suggestion', async () => {
      const before = filesOfClone();
      expect(await errand(...words, '--hepl')).toEqual(refused(/there is no option '--hepl', did you mean '--help'/));
      expect(await errand(...words, '-X')).toEqual(refused(/there is no option '-X'/));
      expect(filesOfClone()).toEqual(before);
    });
  },
);

describe('The page about the command line', () => {
  const page = readFileSync(join(ROOT, 'docs/command-line.md'), 'utf8');

  it('The page has every exit code with the meaning that help prints', async () => {
    const { stdout } = await errand('help');
    const codes = [...stdout.matchAll(/^ {2}(\d+) {2,}(.+)$/gm)].map(([, code, meaning]) => [code!, meaning!]);
    const rows = [...page.matchAll(/^\| (\d+) +\| (.+?) +\|$/gm)].map(([, code, meaning]) => [code!, meaning!]);
    expect(codes.length).toBeGreaterThan(5);
    expect(rows).toEqual(codes);
  });

  it.each(everyClientCommand().map(({ path }) => path[0]!))('The page describes the client command %s', (name) => {
    expect(page).toMatch(new RegExp(`^\\./errand ${name}\\b`, 'm'));
  });
});

describe('The command line', () => {
  it('The program itself prints help, refuses what it does not know, and ends with the exit code', async () => {
    for (const args of [['help'], ['down', '--help'], ['dwon'], ['down', '--al']]) {
      const stdio = ['ignore', 'pipe', 'pipe'] as const;
      const child = spawn(process.execPath, [join(clone, 'errand'), ...args], {
        env: environment(),
        stdio: [...stdio],
      });
      expect(await outcomeOf(child)).toEqual(await errand(...args));
    }
  });

  it.each([
    [['down', 'now'], /'now' is one argument too many: the command takes none/],
    [['up', ''], /'' is one argument too many/],
    [['up', '--port', '3001'], /no option '--port'/],
    [['down', '--', '--help'], /'--help' is one argument too many/],
    [['down', '--al'], /did you mean '--all'/],
    [['down', '--HELP'], /did you mean '--help'/],
    [['down', '--help=now'], /--help takes no value/],
    [['down', '--nonsense=1'], /no option '--nonsense=1'/],
    [['down', '--__proto__'], /no option '--__proto__'/],
    [['down', '--constructor=1'], /no option '--constructor=1'/],
    [['down', '-?'], /no option '-\?'/],
    [['down', '--all=false'], /--all takes no value/],
    [['doctor', '--sandox'], /did you mean '--sandbox'/],
    [['logs', '-F'], /did you mean '-f'/],
    [['logs', '-fx'], /no option '-fx'/],
    [['parse', 'one', 'two'], /'two' is one argument too many: the command takes \[file\]/],
    [['invoke', '-5 degrees'], /goes after `--`/],
    [['invoke', '- '.repeat(5_000)], /no option '- - .{1,60}…'/],
    [['test', '-t', 'a title'], /options of jest go after `--`/],
    [['test', '--runInBand'], /options of jest go after `--`/],
    [['down', '--version=2'], /--version takes no value/],
    [['down', '--verison'], /did you mean '--version'/],
    [['get'], /<id> is missing, for example: \.\/errand get inv_/],
    [['get', 'inv_1', 'inv_2'], /'inv_2' is one argument too many/],
    [['list', 'failed'], /'failed' is one argument too many/],
    [['list', '--stauts=failed'], /did you mean '--status'/],
    [['follow', '--jsn'], /did you mean '--json'/],
    [['answer', 'inv_1', '-5'], /an answer that begins with a dash goes after `--`/],
    [['cancle', 'inv_1'], /no command 'cancle', did you mean 'cancel'/],
    [['logs', 'x'], /'x' is not the id of an invocation/],
    [['logs', '--step', '1'], /--step needs the id of an invocation/],
    [['build', '--watch'], /no option '--watch'/],
    [['tools', '--limit'], /--limit needs a value: --limit=<number>/],
    [['tools', '--limit', '--json'], /--limit needs a value/],
    [['tools', '--limit', '1', '--limit', '2'], /--limit is given twice/],
    [['tools', 'show'], /<id> is missing/],
    [['tools', 'show', 'one', 'two'], /'two' is one argument too many/],
    [['tools', '--json', 'show', 'core:math', '--kind', 'node'], /no option '--kind'/],
    [['plugin'], /name a command: `\.\/errand plugin new`/],
    [['plugin', 'nwe'], /did you mean 'plugin new'/],
    [['plugin', 'nwe', '--help'], /did you mean 'plugin new'/],
    [['dwon', '--help'], /no command 'dwon', did you mean 'down'/],
    [['help', 'dwon'], /no command 'dwon', did you mean 'down'/],
    [['help', 'tools', 'shwo'], /did you mean 'tools show'/],
    [['help', 'down', 'now'], /no command 'down now'/],
    [['help', '--al'], /no option '--al'/],
    [['--hepl'], /did you mean '--help'/],
    [['--no-instal', 'up'], /did you mean '--no-install'/],
    [['--', 'down'], /no command 'down'/],
    [[''], /no command ''/],
    [['constructor'], /no command 'constructor'/],
    [['__proto__'], /no command '__proto__'/],
  ])('The command line %j is refused with exit code 2 and the reason', async (args, message) => {
    expect(await errand(...args)).toEqual(refused(message));
  });

  it.each([
    [[]],
    [['help']],
    [['--help']],
    [['-h']],
    [['help', '--help']],
    [['--no-install']],
    [['--no-install', '--help']],
  ])('The command line %j lists all commands', async (args) => {
    expect(await errand(...args)).toEqual({
      status: 0,
      stdout: expect.stringMatching(/\.\/errand demo .*\.\/errand down .*\.\/errand test /s),
      stderr: '',
    });
  });

  it.each([
    [['--help', 'down'], 'down'],
    [['down', 'now', '--help'], 'down'],
    [['down', '--all', '-h'], 'down'],
    [['logs', '-fh'], 'logs'],
    [['invoke', 'a text', '--help'], 'invoke'],
    [['tools', 'help', 'show'], 'tools show'],
    [['tools', '--json', 'show', '-h'], 'tools show'],
    [['plugin', 'help'], 'plugin new'],
    [['test', '--nonsense', '--help'], 'test'],
    [['get', '--version', '--help'], 'get'],
    [['logs', 'x', '--help'], 'logs'],
  ])('The command line %j prints only help', async (args, name) => {
    expect(await errand(...args)).toEqual({
      status: 0,
      stdout: expect.stringContaining(`./errand ${name}`),
      stderr: '',
    });
  });
});
