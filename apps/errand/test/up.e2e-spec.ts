import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { eventually } from '../../../test/support/eventually.js';
import { QUICK_CHILDREN, QUICK_START } from '../../../test/support/start-process.js';
import { processStart } from '../src/processes.js';
import { CommandReader } from './command-reader.js';
import { everyCommand } from './every-command.js';
import { ERRAND, outcomeOf } from './run-errand.js';

interface RunningUp {
  child: ChildProcess;
  url: string;
  pid: number;
  /** What it has said on stderr. */
  said: () => string;
}

describe('./errand up', () => {
  let dataDir: string;
  let reader: CommandReader;
  /** The stack of all tests. After a test that ends it, the next one starts another on the same data. */
  let stack: RunningUp | undefined;
  const open: ChildProcess[] = [];

  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'errand-e2e-'));
    reader = await CommandReader.start({ env: environment() });
  });
  afterAll(async () => {
    await reader.stop();
    for (const child of open) await end(child, 'SIGTERM');
    rmSync(dataDir, { recursive: true });
  });

  /** Runs a command to its end, without stdin. */
  async function runToEnd(...args: string[]): Promise<{ status: number | null; stdout: string }> {
    const { status, stdout } = await outcomeOf(launch(args));
    return { status, stdout };
  }

  /** Without ERRAND_REDIS_URL, Errand starts its embedded Redis. These tests need no sandbox. */
  const environment = (): Record<string, string> => ({
    ERRAND_DATA_DIR: dataDir,
    ERRAND_PORT: '0',
    ERRAND_NO_DOCKER: 'true',
    ERRAND_REDIS_URL: '',
    ...QUICK_CHILDREN,
  });

  function launch(args: readonly string[]): ChildProcess {
    const child = spawn(process.execPath, [...QUICK_START, ERRAND, ...args], {
      env: { ...process.env, ...environment() },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    open.push(child);
    return child;
  }

  /** The running stack, or a new one. */
  async function up(): Promise<RunningUp> {
    return stack && isAlive(stack.child) ? stack : (stack = await start());
  }

  async function start(): Promise<RunningUp> {
    const child = launch(['up']);
    let said = '';
    child.stderr!.setEncoding('utf8').on('data', (chunk: string) => (said += chunk));
    for await (const line of createInterface(child.stdout!)) {
      const url = /^ready (http:\S+)$/.exec(line)?.[1];
      if (!url) continue;
      const { pid } = JSON.parse(readFileSync(join(dataDir, 'up.json'), 'utf8')) as { pid: number };
      return { child, url, pid, said: () => said };
    }
    throw new Error(`the stack ended before it was ready: ${said}`);
  }

  it('The command prints the address of the documentation', async () => {
    const { said } = await up();
    const address = await eventually(() => /(http:\S+\/docs)$/m.exec(said())?.[1], 'the address');
    expect(await (await fetch(address)).text()).toContain('swagger-ui');
  });

  it('Help and refused command lines do not end, start or submit anything while a stack runs', async () => {
    const { child, url } = await up();
    const listed = async () => (await fetch(`${url}/v1/invocations`)).json();
    const [recorded, before] = [readFileSync(join(dataDir, 'up.json'), 'utf8'), await listed()];
    const help = { status: 0, stdout: expect.stringContaining('./errand') };
    for (const words of everyCommand()) {
      for (const args of [
        [...words, '--help'],
        [...words, '-h'],
        ['help', ...words],
      ])
        expect({ args, ...(await reader.run(...args)) }).toMatchObject({ args, ...help });
      expect(await reader.run(...words, '--nonsense')).toMatchObject({ status: 2, stdout: '' });
    }
    expect(await runToEnd('down', 'now')).toEqual({ status: 2, stdout: '' });
    expect(child.exitCode).toBeNull();
    expect(readFileSync(join(dataDir, 'up.json'), 'utf8')).toBe(recorded);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect(before).toMatchObject({ items: expect.any(Array) });
    expect(await listed()).toEqual(before);
  });

  it('`./errand invoke` submits a text that begins with a dash after `--`', async () => {
    await up();
    expect(await runToEnd('invoke', '--', '--help')).toEqual({ status: 0, stdout: '--help\n' });
    expect(await reader.run('invoke', '--', '- one\n- two')).toMatchObject({ status: 0, stdout: '- one\n- two\n' });
  });

  it('A killed stack loses no accepted invocation, and SIGTERM finishes running jobs', async () => {
    const killed = await up();
    const { id } = await submit(killed.url, 'core:delay', { ms: 1_000, value: 'kept' });
    await end(killed.child, 'SIGKILL');
    await eventually(() => processStart(killed.pid) === undefined);

    const next = await up();
    const invocation = await (await fetch(`${next.url}/v1/invocations/${id}?wait=40`)).json();
    expect(invocation).toMatchObject({ status: 'succeeded', result: 'kept' });
    expect(await end(next.child, 'SIGTERM')).toBe(0);
    expect(processStart(next.pid)).toBeUndefined();
    expect(existsSync(join(dataDir, 'up.json'))).toBe(false);
  });

  it('`./errand down` ends the stack, and a second stack on the same data is refused until then', async () => {
    const { child } = await up();
    expect(await runToEnd('up')).toMatchObject({ status: 1 });
    const ended = once(child, 'exit');
    expect(await runToEnd('down')).toMatchObject({ status: 0 });
    expect((await ended)[0]).toBe(0);
  });
});

async function submit(url: string, toolId: string, args: object): Promise<{ id: string }> {
  const response = await fetch(`${url}/v1/invocations`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ toolId, arguments: args }),
  });
  expect(response.status).toBe(202);
  return (await response.json()) as { id: string };
}

const isAlive = ({ exitCode, signalCode }: ChildProcess) => exitCode === null && signalCode === null;

/** Sends a signal to a process, which may have ended already. @returns its exit code */
async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (isAlive(child)) {
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }
  return child.exitCode;
}
