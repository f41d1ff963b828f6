import { describeWithOwnEngine, OwnEngine } from '../../../../test/escapes/own-engine.js';
import { RealSandbox } from '../../../../test/escapes/real-sandbox.js';

describeWithOwnEngine('A Docker engine with a full disk or without an image', () => {
  const engine = new OwnEngine({ diskMb: 700 });
  const { python } = new RealSandbox().images;
  const real = new RealSandbox({
    docker: { socketPath: engine.socketPath },
    images: { python, bun: python, nodejs: python },
  });
  const print = () => real.attempt('python', 'print(1)');

  beforeAll(async () => {
    await engine.start();
    await engine.load(python);
  });

  afterAll(async () => {
    await real.sandbox.close();
    await engine.remove();
  });

  it('A full disk is reported and leaves no container, and runs succeed again when there is space', async () => {
    expect(await print()).toMatchObject({ result: 1 });
    const free = engine.fill();
    expect((await print()).error).toMatchObject({
      type: 'ServiceError',
      message: expect.stringMatching(
        /^The script runner could not start a sandbox: the disk of the Docker engine is full/,
      ),
    });
    free();
    expect(await print()).toMatchObject({ result: 1 });
    await real.sandbox.idle();
    expect(await engine.docker.listContainers({ all: true })).toEqual([]);
  });

  it('A missing image is reported by runs and by the readiness check, and runs succeed again when it is back', async () => {
    const pooled = new RealSandbox({
      docker: { socketPath: engine.socketPath },
      images: { python, bun: python, nodejs: python },
      pool: { min: 1, max: 1, maxAgeMs: 600_000 },
    });
    expect(await pooled.attempt('python', 'print(1)')).toMatchObject({ result: 1 });
    await engine.docker.getImage(python).remove({ force: true });
    const gone = /The image \S+ is not on this Docker host; build it from runtimes\//;
    const attempts = [await pooled.attempt('python', 'print(1)'), await pooled.attempt('python', 'print(1)')];
    expect(attempts.at(-1)?.error).toMatchObject({
      type: 'ServiceError',
      message: expect.not.stringContaining(python),
      hint: expect.stringMatching(gone),
    });
    expect(await pooled.sandbox.ping()).toEqual({ ok: false, reason: expect.stringMatching(gone) });
    await engine.load(python);
    expect(await pooled.attempt('python', 'print(1)')).toMatchObject({ result: 1 });
    await pooled.sandbox.close();
  });
});
