import { describeWithDocker, RealSandbox } from '../../../../test/escapes/real-sandbox.js';

/** Each script prints a result first, so that only its exit can make it fail. */
const PYTHON = 'import os, sys\nprint("{}", flush=True)\n';
const BUN = 'console.log("{}");\n';

describeWithDocker('The exit of a script', () => {
  const real = new RealSandbox({ pool: { min: 1, max: 2, maxAgeMs: 600_000 } });
  beforeAll(() => real.require());
  afterAll(async () => {
    await real.sandbox.close();
    expect(await real.left()).toEqual([]);
  });

  it.each<[ending: string, exitCode: number]>([
    ['sys.exit(3)', 3],
    ['sys.exit(-1)', 255],
    ['sys.exit(True)', 1],
    // The system keeps only the low eight bits of these codes, and these bits are zero.
    ['sys.exit(256)', 1],
    ['sys.exit(2 ** 40)', 1],
    ['sys.exit(-(2 ** 70))', 1],
    ['sys.exit("in words")', 1],
    ['sys.exit((1, 2))', 1],
    ['raise SystemExit(256)', 1],
    ['import threading, time\nthreading.Thread(target=time.sleep, args=(9,), daemon=True).start()\nsys.exit(512)', 1],
    ['os._exit(4)', 4],
  ])('The Python exit %s is a failure', async (ending, exitCode) => {
    const { error } = await real.attempt('python', PYTHON + ending);
    expect(error).toMatchObject({ type: 'ScriptError', details: { exitCode } });
  });

  it.each<[ending: string, exitCode: number]>([
    ['process.exit(3)', 3],
    ['process.exit(-1)', 255],
    ['process.exit(256)', 1],
    ['process.exit(2 ** 40)', 1],
    ['process.exit("512")', 1],
    ['process.exitCode = 5', 5],
  ])('The Bun exit %s is a failure', async (ending, exitCode) => {
    const { error } = await real.attempt('bun', BUN + ending);
    expect(error).toMatchObject({ type: 'ScriptError', details: { exitCode } });
  });

  it.each(['sys.exit()', 'sys.exit(0)', 'sys.exit(False)', 'sys.exit(None)', 'os._exit(0)'])(
    'The Python exit %s is not a failure',
    async (ending) => expect(await real.attempt('python', PYTHON + ending)).toMatchObject({ result: {} }),
  );

  it.each(['process.exit()', 'process.exit(0)', 'process.exit(null)', 'process.exitCode = 0'])(
    'The Bun exit %s is not a failure',
    async (ending) => expect(await real.attempt('bun', BUN + ending)).toMatchObject({ result: {} }),
  );

  it('A script that exits at once without a result fails', async () => {
    const { error } = await real.attempt('python', 'import os\nos._exit(0)');
    expect(error).toMatchObject({ type: 'OutputError', message: expect.stringContaining('printed nothing') });
    expect((await real.attempt('bun', 'process.exit(0)')).error).toMatchObject({ type: 'OutputError' });
  });
});
