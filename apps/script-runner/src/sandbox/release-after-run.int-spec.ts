import { describeWithDocker, RealSandbox } from '../../../../test/escapes/real-sandbox.js';
import { ContainerRegistry } from './container-registry.js';
import { environmentOf } from './environment.js';
import { DEFAULT_LIMITS } from './limits.js';

describeWithDocker('The end of a container after its run', () => {
  const real = new RealSandbox();
  beforeAll(() => real.require());
  afterAll(() => real.sandbox.close());

  it('A container outlives the step that returns the result of its run, and is gone when the registry has settled', async () => {
    const { docker, runnerId } = real;
    const containers = new ContainerRegistry(docker, { runnerId, installation: runnerId });
    const container = await containers.start(environmentOf('python', DEFAULT_LIMITS, real), { role: 'pool' }, 60_000);
    containers.releaseAfterRun(container);
    expect(container.channel.isOpen).toBe(true);
    await containers.settled();
    expect(container.channel.isOpen).toBe(false);
    expect(await real.left()).toEqual([]);
  });
});
