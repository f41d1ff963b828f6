import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { describeWithDocker, RealSandbox } from '../../../../test/escapes/real-sandbox.js';
import { until } from '../../../../test/escapes/until.js';

const ESCAPES = resolve(__dirname, '../../../../test/escapes');

describeWithDocker('the ends of a sandbox', () => {
  const real = new RealSandbox();
  beforeAll(() => real.require());
  afterAll(() => real.sandbox.close());

  const labelled = async (runnerId: string) => {
    const filters = { label: [`errand.runner=${runnerId}`] };
    return (await real.docker.listContainers({ all: true, filters })).length;
  };

  it('lets no container outlive a runner killed with -9, with no runner left to sweep', async () => {
    const runner = spawn(
      process.execPath,
      ['--require', join(ESCAPES, 'load-typescript.cjs'), join(ESCAPES, 'run-forever.ts')],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    const [runnerId] = (await once(createInterface(runner.stdout), 'line')) as [string];
    expect(await labelled(runnerId)).toBe(1);
    runner.kill('SIGKILL');
    await until('its container is gone', async () => (await labelled(runnerId)) === 0);
  });

  it('ends inside at the deadline when the runner is deaf', async () => {
    const runner = spawn(
      process.execPath,
      ['--require', join(ESCAPES, 'load-typescript.cjs'), join(ESCAPES, 'run-forever.ts')],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
        env: { ...process.env, ERRAND_TEST_TIMEOUT_MS: '500' },
      },
    );
    const [runnerId] = (await once(createInterface(runner.stdout), 'line')) as [string];
    runner.kill('SIGSTOP');
    await until('its container is gone', async () => (await labelled(runnerId)) === 0);
    runner.kill('SIGKILL');
  });
});
