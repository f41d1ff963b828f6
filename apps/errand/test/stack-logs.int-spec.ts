import { spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../../../test/support/eventually.js';
import { CommandReader } from './command-reader.js';
import { ERRAND, runErrand, startErrand } from './run-errand.js';
import { QUICK_START } from '../../../test/support/start-process.js';

const ID = 'inv_01m832n1rk0006qaqqzfgsbsr7k5ncb570vs8cr';
/** The data folder of every command. Each test begins with an empty one. */
let folder: string;
let reader: CommandReader;
const open: ChildProcess[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'errand-logs-'));
  reader = await CommandReader.start({ env: env() });
});
afterEach(async () => {
  for (const child of open.splice(0)) await end(child, 'SIGKILL');
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
});
afterAll(async () => {
  await reader.stop();
  rmSync(folder, { recursive: true });
});

const env = () => ({ ERRAND_DATA_DIR: folder });
const write = (text: string, name = 'errand.log') => appendFileSync(join(folder, name), text);
const record = (second: number, more: object = {}) =>
  `${JSON.stringify({ level: 'info', time: new Date(second * 1_000).toISOString(), app: 'api', ...more })}\n`;
const messages = (stdout: string) =>
  stdout
    .trimEnd()
    .split('\n')
    .filter(Boolean)
    .map((line) => (JSON.parse(line) as { msg: string }).msg);

const logs = (...args: string[]) => reader.run('logs', ...args);

/** Runs the command with a terminal as stdout. */
function logsOnTerminal(...args: string[]): string {
  const command = [process.execPath, ...QUICK_START, ERRAND, 'logs', ...args].map((word) => `'${word}'`).join(' ');
  const { stdout } = spawnSync('script', ['-qec', command, '/dev/null'], {
    encoding: 'utf8',
    env: { ...process.env, ...env() },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return stdout;
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) {
    const closed = once(child, 'exit');
    child.kill(signal);
    await closed;
  }
  return child.exitCode;
}

describe('./errand logs', () => {
  it('The piped log is JSON on each line, whatever a line contains', async () => {
    write(record(1, { msg: 'one' }) + 'Error: \u001b[2Jcrash\n' + record(2, { msg: 'x'.repeat(10_000_000) }));
    const { status, stdout } = await runErrand(['logs'], { cwd: folder, env: env() });
    expect(status).toBe(0);
    expect(stdout).not.toContain('\u001b');
    expect(messages(stdout).map((text) => text.slice(0, 20))).toEqual(['one', 'Error: \u001b[2Jcrash', 'x'.repeat(20)]);
  });

  it('The logs of several processes are merged by time', async () => {
    write(record(1, { msg: '1' }) + record(4, { msg: '4' }));
    write(record(2, { msg: '2' }) + record(3, { msg: '3' }), 'worker.log');
    write('time="…" level=info msg="of another program"\n', 'dockerd.log');
    expect(messages((await logs()).stdout)).toEqual(['1', '2', '3', '4']);
    expect(messages((await logs('-n', '3')).stdout)).toEqual(['2', '3', '4']);
    expect((await logs('-n', '0')).stdout).toBe('');
  });

  it('A level and an id select lines', async () => {
    write(record(1, { level: 'debug', msg: 'a' }) + record(2, { level: 'warn', msg: 'b', invocationId: ID }));
    write(record(3, { level: 'info', msg: 'c', invocationId: ID }) + record(4, { level: 'error', msg: 'd' }));
    expect(messages((await logs('--level', 'warn')).stdout)).toEqual(['b', 'd']);
    expect(messages((await logs('--id', ID)).stdout)).toEqual(['b', 'c']);
    expect(messages((await logs(`--id=${ID}`, '--level=WARN')).stdout)).toEqual(['b']);
  });

  it.each([
    [['--level', 'warning'], /--level must be one of trace, .*, did you mean 'warn'/],
    [['-n', 'ten'], /--lines must be a whole number from 0 to 999999, not 'ten'/],
    [['-n=-1'], /--lines must be a whole number/],
    [['--id', 'inv'], /--id must be the id of an invocation/],
  ])('The options %j are refused with the reason', async (args, message) => {
    write(record(1));
    expect(await logs(...args)).toEqual({ status: 2, stdout: '', stderr: expect.stringMatching(message) });
  });

  it('A log that does not exist has exit code 1', async () => {
    expect(await logs('-f')).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringContaining('does not exist yet'),
    });
  });

  const itWithTerminal = existsSync('/usr/bin/script') ? it : it.skip;
  if (itWithTerminal === it.skip)
    console.warn('Skipped: the log on a terminal. The program `script` is not installed.');
  itWithTerminal('The log on a terminal is for people, and cannot control the terminal', () => {
    write(record(1, { msg: 'accepted\u001b[31m', tool: 'core:echo', n: 1 }) + 'Error: \u001b[2Jcrash\n');
    const shown = logsOnTerminal();
    const text = shown.replaceAll(/\u001b\[\d+m/g, ''); // oxlint-disable-line no-control-regex -- the colours of Errand
    expect(text).toMatch(/1970-01-01 \(UTC\)\r\n00:00:01\.000 info {2}api accepted\\x1b\[31m tool=core:echo n=1\r\n/);
    expect(text).toContain('Error: \\x1b[2Jcrash');
    expect(shown).not.toContain('\u001b[2J');
    expect(logsOnTerminal('--json')).toContain('{"level":"info"');
  });

  it('The reader follows the log through a rotation, and Ctrl-C is the normal end', async () => {
    write(record(1, { msg: 'old' }));
    const child = startErrand(['logs', '-f', '-n', '1'], { cwd: folder, env: env() });
    open.push(child);
    let stdout = '';
    child.stdout!.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk));
    await eventually(() => stdout.includes('old'), 'the old line');
    write(record(2, { msg: 'new' }));
    await eventually(() => stdout.includes('new'), 'the new line');
    renameSync(join(folder, 'errand.log'), join(folder, 'errand.log.1'));
    write(record(3, { msg: 'after' }));
    await eventually(() => stdout.includes('after'), 'the line after the rotation');
    expect(messages(stdout)).toEqual(['old', 'new', 'after']);
    expect(await end(child, 'SIGINT')).toBe(0);
  });

  const itAsRoot = process.getuid?.() === 0 ? it : it.skip;
  if (itAsRoot === it.skip)
    console.warn('Skipped: a log without permission. Only root can run a command as another user.');
  itAsRoot('A log that this user may not read is reported as such', () => {
    writeFileSync(join(folder, 'errand.log'), record(1));
    chmodSync(join(folder, 'errand.log'), 0o600);
    chmodSync(folder, 0o755);
    const options = { encoding: 'utf8', env: { ...process.env, ...env() }, uid: 65_534, gid: 65_534 } as const;
    const read = () => spawnSync(process.execPath, [...QUICK_START, ERRAND, 'logs'], options);
    expect(read()).toMatchObject({ status: 1, stdout: '', stderr: expect.stringMatching(/cannot look: .*permission/) });
    chmodSync(folder, 0o700);
    expect(read()).toMatchObject({ status: 1, stderr: expect.stringMatching(/cannot look: no permission to read/) });
  });
});
