import { describeWithDocker, MAXIMA, RealSandbox } from '../../../../test/escapes/real-sandbox.js';
import { until } from '../../../../test/escapes/until.js';
import type { PoolBounds } from './warm-pool.js';
import { LABELS } from './container-options.js';

const BOUNDS: PoolBounds = { min: 1, max: 3, maxAgeMs: 600_000 };
const ANSWER = 'print(42)';

describeWithDocker('The container pool', () => {
  let real: RealSandbox;
  const open = (bounds: Partial<PoolBounds> = {}, more: ConstructorParameters<typeof RealSandbox>[0] = {}) =>
    (real = new RealSandbox({ pool: { ...BOUNDS, ...bounds }, ...more }));
  const filled = (count: number) =>
    until(`${count} containers wait`, () => Promise.resolve(real.sandbox.waiting === count));
  const list = async () => {
    const filters = { label: [`${LABELS.runner}=${real.runnerId}`] };
    return real.docker.listContainers({ all: true, filters });
  };

  /** Stops the processes, so that none of them reads stdin while the Docker engine reports the container as running. */
  const stopProcesses = async (id: string) => {
    const { Processes }: { Processes: string[][] } = await real.docker.getContainer(id).top({ ps_args: '-o pid' });
    for (const [pid] of Processes) stopProcess(Number(pid));
  };
  /** A process that has ended since it was listed needs no stop. */
  const stopProcess = (pid: number) => {
    try {
      process.kill(pid, 'SIGSTOP');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  };

  afterEach(async () => {
    await real.sandbox.close();
    expect(await real.left()).toEqual([]);
  });

  it('The pool keeps one labelled container of each language, and a run takes one for itself', async () => {
    open();
    await filled(2);
    const before = await list();
    for (const { Labels } of before) expect(Labels).toMatchObject({ 'errand.role': 'pool', 'errand.invocation': '' });
    expect(await real.attempt('python', ANSWER)).toMatchObject({ result: 42 });
    expect(await real.attempt('bun', 'console.log(import.meta.main)')).toMatchObject({ result: true });
    await real.sandbox.idle();
    await filled(2);
    const after = (await list()).map(({ Id }) => Id);
    expect(before.map(({ Id }) => Id).filter((id) => after.includes(id))).toEqual([]);
  });

  it('The pool adds containers of a requested environment up to its maximum', async () => {
    open({ min: 0 });
    expect(real.sandbox.waiting).toBe(0);
    const limits = { memoryMb: 100 };
    for (let run = 0; run < 2; run++) await real.attempt('python', ANSWER, { limits });
    await Promise.all(Array.from({ length: 5 }, () => real.attempt('python', ANSWER)));
    await filled(3);
    await real.sandbox.idle();
    const sizes = await Promise.all(
      (await list()).map(async ({ Id }) => (await real.docker.getContainer(Id).inspect()).HostConfig.Memory! >> 20),
    );
    expect(sizes.toSorted((a, b) => a - b)).toEqual([100, expect.any(Number), 256]);
  });

  it('onContainer gets the id of the container, and the container ends with its run', async () => {
    open();
    await filled(2);
    const cancel = new AbortController();
    const served: string[] = [];
    const { error } = await real.attempt('python', 'import sys, time\nprint("up", file=sys.stderr)\ntime.sleep(60)', {
      signal: cancel.signal,
      onContainer: (id) => void served.push(id),
      onLog: () => cancel.abort(),
    });
    expect(error).toMatchObject({ type: 'CancelledError' });
    expect(served).toEqual([expect.stringMatching(/^[\da-f]{64}$/)]);
    expect((await list()).map(({ Id }) => Id)).not.toContain(served[0]);
  });

  it('A run gets another container when its first one dies at the start', async () => {
    open();
    await filled(2);
    for (const { Id } of await list()) await stopProcesses(Id);
    const served: string[] = [];
    const onContainer = (id: string) => {
      served.push(id);
      if (served.length === 1) void real.docker.getContainer(id).kill();
    };
    expect(await real.attempt('python', ANSWER, { onContainer })).toMatchObject({ result: 42 });
    expect(served).toHaveLength(2);
  });

  it('A container that died or is too old is replaced', async () => {
    open({ max: 2, maxAgeMs: 4_000 });
    await filled(2);
    const [first] = await list();
    await real.docker.getContainer(first!.Id).kill();
    const isGone = (id: string) => until(`${id} is gone`, async () => (await list()).every(({ Id }) => Id !== id));
    await isGone(first!.Id);
    await filled(2);
    const [second] = await list();
    await isGone(second!.Id);
    expect(await real.attempt('python', ANSWER)).toMatchObject({ result: 42 });
  });

  it('A sweep keeps the waiting containers of its own runner', async () => {
    open();
    await filled(2);
    expect(await real.sandbox.sweep()).toBe(0);
    expect(real.sandbox.waiting).toBe(2);
  });

  it('The pool reports why it cannot create a container, and continues with the other languages', async () => {
    const told: unknown[] = [];
    const missing = { ...new RealSandbox().images, bun: 'errand-no-such-image' };
    open({}, { images: missing, onError: (error) => void told.push(error) });
    await filled(1);
    await until('the pool has tried', () => Promise.resolve(told.length > 0));
    expect(told[0]).toMatchObject({ type: 'ServiceError', hint: expect.stringContaining('errand-no-such-image') });
    expect(await real.attempt('python', ANSWER)).toMatchObject({ result: 42 });
  });

  it('A pool with the maximum 0 keeps no containers', async () => {
    open({ max: 0 }, { maxima: MAXIMA });
    expect(await real.attempt('python', ANSWER)).toMatchObject({ result: 42 });
    expect(real.sandbox.waiting).toBe(0);
  });
});
