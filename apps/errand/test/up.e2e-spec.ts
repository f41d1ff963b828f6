import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { eventually } from '../../../test/support/eventually.js';
import { processStart } from '../src/processes.js';
import { CommandReader } from './command-reader.js';
import { everyCommand } from './every-command.js';
import { QUICK_START } from '../../../test/support/start-process.js';

const ROOT = join(__dirname, '../../..');

describe('./errand up', () => {
  let dataDir: string;
  const open: ChildProcess[] = [];

  beforeEach(() => (dataDir = mkdtempSync(join(tmpdir(), 'errand-e2e-'))));
  afterEach(async () => {
    for (const child of open.splice(0)) await end(child, 'SIGTERM');
    rmSync(dataDir, { recursive: true });
  });

  /** Runs a command to its end, without stdin. */
  async function runToEnd(...args: string[]): Promise<{ status: number | null; stdout: string }> {
    const child = errand(...args);
    const closed = once(child, 'close') as Promise<[number | null]>;
    const stdout = await text(child.stdout!);
    return { status: (await closed)[0], stdout };
  }

  const errand = (...args: string[]) => launch(args, 'ignore');

  /** Without ERRAND_REDIS_URL, Errand starts its embedded Redis. These tests need no sandbox. */
  const environment = (): Record<string, string> => ({
    ERRAND_DATA_DIR: dataDir,
    ERRAND_PORT: '0',
    ERRAND_NO_DOCKER: 'true',
    ERRAND_REDIS_URL: '',
  });

  function launch(args: readonly string[], stderr: 'ignore' | 'pipe'): ChildProcess {
    const child = spawn(process.execPath, [...QUICK_START, join(ROOT, 'errand'), ...args], {
      env: { ...process.env, ...environment() },
      stdio: ['ignore', 'pipe', stderr],
    });
    open.push(child);
    return child;
  }

  async function up(): Promise<{ child: ChildProcess; url: string; pid: number }> {
    const child = errand('up');
    for await (const line of createInterface(child.stdout!)) {
      const url = /^ready (http:\S+)$/.exec(line)?.[1];
      if (url)
        return { child, url, pid: (JSON.parse(readFileSync(join(dataDir, 'up.json'), 'utf8')) as { pid: number }).pid };
    }
    throw new Error('the stack ended before it was ready');
  }

  it('The command prints the address of the documentation', async () => {
    const { stderr } = launch(['up'], 'pipe');
    let address: string | undefined;
    for await (const line of createInterface(stderr!)) {
      address = /(http:\S+\/docs)$/.exec(line)?.[1];
      if (address) break;
    }
    expect(await (await fetch(address ?? 'no address')).text()).toContain('swagger-ui');
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

  it('Help and refused command lines do not end, start or submit anything while a stack runs', async () => {
    const { child, url } = await up();
    const recorded = readFileSync(join(dataDir, 'up.json'), 'utf8');
    const reader = await CommandReader.start({ env: environment() });
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
    await reader.stop();
    expect(await runToEnd('down', 'now')).toEqual({ status: 2, stdout: '' });
    expect(child.exitCode).toBeNull();
    expect(readFileSync(join(dataDir, 'up.json'), 'utf8')).toBe(recorded);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect(await (await fetch(`${url}/v1/invocations`)).json()).toMatchObject({ items: [] });
  });

  it('`./errand invoke` submits a text that begins with a dash after `--`', async () => {
    await up();
    expect(await runToEnd('invoke', '--', '--help')).toEqual({ status: 0, stdout: '--help\n' });
    expect(await runToEnd('invoke', '--', '- one\n- two')).toEqual({ status: 0, stdout: '- one\n- two\n' });
  });

  it('`./errand down` ends the stack, and a second stack on the same data is refused until then', async () => {
    const { child } = await up();
    const [refused] = (await once(errand('up'), 'exit')) as [number];
    expect(refused).toBe(1);
    const ended = once(child, 'exit');
    const [code] = (await once(errand('down'), 'exit')) as [number];
    expect(code).toBe(0);
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

/** Sends a signal to a process, which may have ended already. @returns its exit code */
async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) {
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }
  return child.exitCode;
}
