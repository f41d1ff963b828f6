import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { describeWithDocker, RealSandbox } from '../../../../test/escapes/real-sandbox.js';
import { until } from '../../../../test/escapes/until.js';
import { hintOf } from '@errand/platform';
import { LABELS } from './container-options.js';

const ESCAPES = resolve(__dirname, '../../../../test/escapes');
const SLEEP = 'import sys, time\nprint("up", file=sys.stderr)\ntime.sleep(60)';

/** Runner processes that the current test started. */
const runners = new Set<ChildProcess>();

/** Starts a runner process. Resolves when its script runs. */
async function startRunner(
  env: NodeJS.ProcessEnv = {},
): Promise<{ runner: ChildProcess; runnerId: string; container: string }> {
  const runner = spawn(
    process.execPath,
    ['-r', join(ESCAPES, '../support/load-typescript.cjs'), join(ESCAPES, 'run-forever.ts')],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, ...env },
    },
  );
  runners.add(runner);
  const lines = createInterface(runner.stdout);
  const [line] = await Promise.race([
    once(lines, 'line'),
    once(runner, 'exit').then(() => Promise.reject(new Error('the runner ended before its script ran'))),
  ]);
  const [runnerId = '', container = ''] = String(line).split(' ');
  return { runner, runnerId, container };
}

/** Whether the kernel has stopped a process (state T in /proc). */
function isStopped({ pid }: ChildProcess): boolean {
  return /^State:\tT/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
}

describeWithDocker('The end of a sandbox', () => {
  const real = new RealSandbox();
  beforeAll(() => real.require());
  /** Ends every runner process, also after a failure. SIGKILL also ends a stopped process. */
  afterEach(async () => {
    for (const runner of runners) {
      const hasEnded = runner.exitCode !== null || runner.signalCode !== null;
      if (!hasEnded && runner.kill('SIGKILL')) await once(runner, 'exit');
    }
    runners.clear();
  });
  afterAll(() => real.sandbox.close());

  const labelled = async (runnerId: string) => {
    const filters = { label: [`${LABELS.runner}=${runnerId}`] };
    return (await real.docker.listContainers({ all: true, filters })).length;
  };
  const isGone = (runnerId: string) => until('its container is gone', async () => (await labelled(runnerId)) === 0);

  it('All containers end after their runner was killed, without another runner', async () => {
    const { runner, runnerId } = await startRunner();
    expect(await labelled(runnerId)).toBeGreaterThan(1);
    runner.kill('SIGKILL');
    await isGone(runnerId);
  });

  it('The container of a run ends at its deadline while its runner is stopped', async () => {
    const exists = (container: string) =>
      real.docker
        .getContainer(container)
        .inspect()
        .then(
          () => true,
          () => false,
        );
    // On a busy machine the deadline can pass before the runner is stopped. Then another runner gets twice the time.
    const stopDuringRun = async (timeoutMs: number): ReturnType<typeof startRunner> => {
      const started = await startRunner({ ERRAND_TEST_TIMEOUT_MS: String(timeoutMs) });
      started.runner.kill('SIGSTOP');
      await until('the runner is stopped', () => Promise.resolve(isStopped(started.runner)));
      if (await exists(started.container)) return started;
      started.runner.kill('SIGKILL');
      return stopDuringRun(2 * timeoutMs);
    };
    const { runner, runnerId, container } = await stopDuringRun(5_000);
    await until('the container of its run is gone', async () => !(await exists(container)));
    // The runner is still stopped, so only the supervisor inside can have ended the container.
    expect(isStopped(runner)).toBe(true);
    runner.kill('SIGKILL');
    await isGone(runnerId);
  });

  /**
   * Creates a labelled container without a client at its stdin, as a dead runner leaves it when its engine was
   * restarted.
   */
  const leave = async (runnerId: string, deadline: number, more: Record<string, string> = {}) => {
    // Another runner on this host sweeps containers without an installation, so every container gets one.
    const installation = { [LABELS.installation]: real.runnerId };
    const Labels = {
      ...installation,
      ...more,
      [LABELS.runner]: runnerId,
      [LABELS.deadline]: String(deadline),
      [LABELS.role]: 'run',
    };
    await real.docker.createContainer({ Image: real.images.python, Labels });
  };

  it('A sweep removes containers of dead runners, overdue ones and its own unused ones, but none in use', async () => {
    const dead = `${real.runnerId}-dead`;
    const alive = `${real.runnerId}-alive`;
    const stranger = `${real.runnerId}-stranger`;
    const sweeping = new RealSandbox({
      installation: real.runnerId,
      isAlive: (runnerId) => Promise.resolve(runnerId === alive),
    });
    await leave(dead, Date.now() + 3_600_000);
    await leave(alive, Date.now() + 3_600_000);
    const overdue = `${real.runnerId}-overdue`;
    await leave(overdue, Date.now() - 61_000);
    await leave(stranger, Date.now() + 3_600_000, { [LABELS.installation]: 'another' });
    await leave(sweeping.runnerId, Date.now() + 3_600_000);
    const cancel = new AbortController();
    const running = await sweeping.attempt('python', SLEEP, {
      signal: cancel.signal,
      onLog: () => void sweeping.sandbox.sweep().then(() => cancel.abort()),
    });
    expect(running.error).toMatchObject({ type: 'CancelledError' });
    for (const runnerId of [dead, overdue, sweeping.runnerId]) expect(await labelled(runnerId)).toBe(0);
    for (const runnerId of [alive, stranger]) {
      expect(await labelled(runnerId)).toBe(1);
      expect(await new RealSandbox({ runnerId }).sandbox.sweep()).toBe(1);
    }
  });

  it('A run fails with ServiceError when its connection to the Docker engine breaks', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'errand-'));
    const socketPath = join(folder, 'engine.sock');
    const connections = new Set<Socket>();
    const engine = createServer((near) => {
      const far = connect('/var/run/docker.sock');
      for (const socket of [near, far]) connections.add(socket.on('error', () => {}));
      near.pipe(far).pipe(near);
    }).listen(socketPath);
    await once(engine, 'listening');
    const cut = new RealSandbox({ docker: { socketPath } });
    const attempt = await cut.attempt('python', SLEEP, {
      onLog: () => {
        engine.close();
        for (const connection of connections) connection.destroy();
      },
    });
    expect(attempt.error).toMatchObject({ type: 'ServiceError' });
    await isGone(cut.runnerId);
    rmSync(folder, { recursive: true });
  });

  it('A run without a Docker engine or an image fails with a hint', async () => {
    const nowhere = new RealSandbox({ docker: { socketPath: '/nonexistent.sock' } });
    expect(await nowhere.sandbox.ping()).toMatchObject({
      ok: false,
      reason: expect.stringContaining('Start the Docker engine'),
    });
    const { error } = await nowhere.attempt('python', 'print(1)');
    expect(error).toMatchObject({ type: 'ServiceError', message: expect.stringContaining('cannot be reached') });
    expect(error?.message).not.toContain('/nonexistent.sock');
    expect(hintOf(error)).toContain('/nonexistent.sock');

    const missing = { python: 'errand-no-such-image', bun: 'errand-no-such-image', nodejs: 'errand-no-such-image' };
    const bare = new RealSandbox({ images: missing });
    expect((await bare.sandbox.ping()).reason).toContain('The image errand-no-such-image');
    const run = await bare.attempt('python', 'print(1)');
    expect(run.error).toMatchObject({
      type: 'ServiceError',
      message: expect.stringContaining('image that scripts run in is missing'),
    });
    expect(hintOf(run.error)).toMatch(/errand-no-such-image.* build it/);
  });
});
