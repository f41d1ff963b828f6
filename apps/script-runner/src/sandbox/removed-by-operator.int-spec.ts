import type Docker from 'dockerode';
import {
  describeWithDocker,
  RealSandbox,
  type SandboxAttempt,
  type AttemptOptions,
} from '../../../../test/escapes/real-sandbox.js';

const SLEEP = 'import sys, time\nprint("up", file=sys.stderr)\ntime.sleep(60)';

describeWithDocker('A sandbox that is ended from outside or inside', () => {
  const real = new RealSandbox();
  beforeAll(() => real.require());
  afterAll(async () => {
    await real.sandbox.close();
    expect(await real.left()).toEqual([]);
  });

  /** Calls `act` with the container of a run when its script runs. */
  async function interrupt(
    act: (container: Docker.Container) => Promise<unknown>,
    more: AttemptOptions = {},
  ): Promise<SandboxAttempt> {
    let container!: Docker.Container;
    let acting: Promise<unknown> | undefined;
    const attempt = await real.attempt('python', SLEEP, {
      ...more,
      onContainer: (id) => (container = real.docker.getContainer(id)),
      onLog: () => void (acting ??= act(container)),
    });
    await acting;
    return attempt;
  }

  const OPERATOR: Record<string, (container: Docker.Container) => Promise<unknown>> = {
    'docker rm -f': (container) => container.remove({ force: true }),
    'docker kill': (container) => container.kill(),
    'docker kill -s TERM': (container) => container.kill({ signal: 'SIGTERM' }),
    'docker stop': (container) => container.stop(),
    'docker stop -t 0': (container) => container.stop({ t: 0 }),
  };

  it.each(Object.entries(OPERATOR))(
    'A run whose container is ended with %s fails with ServiceError, which is retried',
    async (_, act) => {
      for (const reuse of [undefined, 'own']) {
        const { error } = await interrupt(act, { reuse });
        expect(error).toMatchObject({ type: 'ServiceError', message: expect.stringContaining('stopped from outside') });
      }
    },
  );

  it.each(['SIGKILL', 'SIGTERM'])(
    'A script that sends %s to its supervisor and to init fails with ScriptError and is not retried',
    async (signal) => {
      const script = `
import os, signal
for pid in (os.getppid(), 1):
    try: os.kill(pid, signal.${signal})
    except OSError: pass
signal.pause()`;
      expect((await real.attempt('python', script, { limits: { timeoutMs: 20_000 } })).error).toMatchObject({
        type: 'ScriptError',
      });
    },
  );

  it('A run that exceeded its time or memory limit keeps that error when its container is killed', async () => {
    const late = await real.attempt('python', SLEEP, { limits: { timeoutMs: 300 } });
    expect(late.error).toMatchObject({ type: 'TimeoutError' });
    const hungry = await real.attempt('python', 'x = []\nwhile True: x.append(bytes(1000000))', {
      limits: { memoryMb: 32 },
    });
    expect(hungry.error).toMatchObject({ type: 'ResourceLimitError', details: { limit: 'memoryMb' } });
  });

  it('A cancelled run stays cancelled when the runner kills its container', async () => {
    const cancel = new AbortController();
    const { error } = await interrupt(() => Promise.resolve(cancel.abort()), { signal: cancel.signal });
    expect(error).toMatchObject({ type: 'CancelledError' });
  });
});
