import { RealSandbox, type SandboxAttempt } from '../../../../test/escapes/real-sandbox.js';
import { describeWithOwnEngine, OwnEngine } from '../../../../test/escapes/own-engine.js';
import { until } from '../../../../test/escapes/until.js';

describeWithOwnEngine('The end of the Docker engine', () => {
  const engine = new OwnEngine();
  let real: RealSandbox;
  const told: unknown[] = [];
  const filled = () => until('two containers wait', () => Promise.resolve(real.sandbox.waiting === 2));

  beforeAll(async () => {
    await engine.start();
    const { python } = new RealSandbox().images;
    await engine.load(python);
    real = new RealSandbox({
      docker: { socketPath: engine.socketPath },
      images: { python, bun: python, nodejs: python },
      pool: { min: 2, max: 2, maxAgeMs: 600_000 },
      engineAwayMs: 60_000,
      onError: (error) => void told.push(error),
    });
    await filled();
  });

  afterAll(async () => {
    await real.sandbox.close();
    expect(await engine.listContainers()).toEqual([]);
    await engine.remove();
  });

  /** Starts an endless run. Resolves when its script runs. */
  async function begin(): Promise<{ ended: Promise<SandboxAttempt>; container: string }> {
    let ended!: Promise<SandboxAttempt>;
    let container = '';
    await new Promise<void>((resolve) => {
      ended = real.attempt('python', 'import sys, time\nprint("up", file=sys.stderr)\ntime.sleep(60)', {
        onContainer: (id) => (container = id),
        onLog: () => resolve(),
      });
    });
    return { ended, container };
  }

  it('A restart of the Docker engine fails the running scripts with ServiceError', async () => {
    const { ended } = await begin();
    await engine.end('SIGTERM');
    expect((await ended).error).toMatchObject({ type: 'ServiceError' });
    await engine.start();
    await filled();
    expect(await real.attempt('python', 'print(1)')).toMatchObject({ result: 1 });
  });

  it('A container that its script stopped fails with ScriptError, and one stopped from outside with ServiceError', async () => {
    const { error } = await real.attempt(
      'python',
      'import os, signal\nos.kill(os.getppid(), signal.SIGTERM)\nsignal.pause()',
    );
    expect(error).toMatchObject({ type: 'ScriptError', details: { exitCode: 143 } });
    const { ended, container } = await begin();
    await engine.docker.getContainer(container).stop();
    expect((await ended).error).toMatchObject({
      type: 'ServiceError',
      message: expect.stringContaining('stopped from outside'),
    });
  });

  it('A killed Docker engine fails its runs with ServiceError, and new runs wait until the engine is back', async () => {
    const { ended: running } = await begin();
    await engine.end('SIGKILL');
    expect((await running).error).toMatchObject({ type: 'ServiceError' });
    expect(real.sandbox.waiting).toBe(0);
    expect(await real.sandbox.ping()).toMatchObject({ ok: false });

    const cancel = new AbortController();
    const cancelled = real.attempt('python', 'print(1)', { signal: cancel.signal });
    const waiting = real.attempt('python', 'print(42)');
    await until('the sandbox reported an error', () => Promise.resolve(told.length > 0));
    cancel.abort();
    expect((await cancelled).error).toMatchObject({ type: 'CancelledError' });

    await engine.start();
    expect(await waiting).toMatchObject({ result: 42 });
    await filled();
    // Sweeps remove the containers that the engine could not remove when it came back.
    await until('only the two waiting containers are left', async () => {
      await real.sandbox.sweep();
      return (await engine.listContainers()).length === 2;
    });
  });
});
