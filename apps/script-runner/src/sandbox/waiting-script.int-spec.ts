import { describeWithDocker, RealSandbox } from '../../../../test/escapes/real-sandbox.js';

/** Prints its own process number, and those of all processes that it sees. */
const PIDS = `
import json, os
print(json.dumps([os.getpid(), [int(name) for name in os.listdir("/proc") if name.isdigit()]]))`;

/** Prints the kinds of its first four descriptors. */
const KINDS = `
import json, os
print(json.dumps([os.readlink(f"/proc/self/fd/{fd}").partition(":")[0] for fd in range(4)]))`;

describeWithDocker('The waiting process of a Python script', () => {
  const real = new RealSandbox();
  beforeAll(() => real.require());
  afterAll(() => real.sandbox.close());

  it('A run in a shared container starts one process, that of its script', async () => {
    const pids: number[] = [];
    for (let run = 0; run < 4; run++) {
      const { result, error } = await real.attempt('python', PIDS, { reuse: 'pids' });
      expect(error).toBeUndefined();
      const [own, all] = result as [number, number[]];
      pids.push(own);
      expect(all).toHaveLength(4); // init, supervisor, run process, script
    }
    const [first = 0] = pids;
    expect(pids).toEqual([first, first + 1, first + 2, first + 3]);
  });

  it('A script has no descriptor but its streams and its report', async () => {
    const { result } = await real.attempt('python', KINDS);
    expect(result).toEqual(['pipe', 'pipe', 'pipe', 'pipe']);
    const open = 'import json, os\nprint(json.dumps(sorted(map(int, os.listdir("/proc/self/fd")))))';
    // The last one is the open folder itself.
    expect((await real.attempt('python', open)).result).toEqual([0, 1, 2, 3, 4]);
  });

  it('A script whose order is larger than a pipe gets all of it', async () => {
    const env = { LARGE: 'x'.repeat(100_000) };
    const { result } = await real.attempt('python', 'import os\nprint(len(os.environ["LARGE"]))', { env });
    expect(result).toBe(100_000);
  });

  it('A file of the script takes precedence over a module that its waiting process has loaded', async () => {
    const files = { 'main.py': 'import json\nprint(json.answer)', 'json.py': 'answer = 42' };
    expect((await real.attempt('python', files)).result).toBe(42);
  });

  it('A script cannot import the files of the supervisor', async () => {
    const source = `
import json
found = []
for name in ("handover", "children", "run_user", "run_process", "rehearse"):
    try:
        __import__(name)
        found.append(name)
    except ImportError:
        pass
print(json.dumps(found))`;
    expect((await real.attempt('python', source)).result).toEqual([]);
  });
});
