import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { processStart } from '../src/processes.js';

const ROOT = join(__dirname, '../../..');

describe('./errand up', () => {
  let dataDir: string;
  const open: ChildProcess[] = [];

  beforeEach(() => (dataDir = mkdtempSync(join(tmpdir(), 'errand-e2e-'))));
  afterEach(async () => {
    for (const child of open.splice(0)) await end(child, 'SIGTERM');
    rmSync(dataDir, { recursive: true });
  });

  function errand(...args: string[]): ChildProcess {
    // Without ERRAND_REDIS_URL it brings its own Redis; what is tried here needs no sandbox.
    const env = {
      ...process.env,
      ERRAND_DATA_DIR: dataDir,
      ERRAND_PORT: '0',
      ERRAND_NO_DOCKER: 'true',
      ERRAND_REDIS_URL: '',
    };
    const child = spawn(join(ROOT, 'errand'), args, { env, stdio: ['ignore', 'pipe', 'ignore'] });
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
    throw new Error('it ended before it was ready');
  }

  it('loses nothing that it accepted when it is killed, and finishes what is in hand when it is asked to end', async () => {
    const killed = await up();
    const { id } = await submit(killed.url, 'core:delay', { ms: 1_000, value: 'kept' });
    await end(killed.child, 'SIGKILL');
    while (processStart(killed.pid) !== undefined) await delay(10);

    const next = await up();
    const invocation = await (await fetch(`${next.url}/v1/invocations/${id}?wait=40`)).json();
    expect(invocation).toMatchObject({ status: 'succeeded', result: 'kept' });
    expect(await end(next.child, 'SIGTERM')).toBe(0);
    expect(processStart(next.pid)).toBeUndefined();
    expect(existsSync(join(dataDir, 'up.json'))).toBe(false);
  });

  it('is ended by `./errand down`, and keeps a second one off its data until then', async () => {
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

/** Sends a signal to a process that may have ended already, and gives its exit code. */
async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) {
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }
  return child.exitCode;
}
