import { readArchive } from '../artifacts/read-archive.js';
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

  it.each([undefined, 'ends'])(
    'A fork that runs to the end of the script does not end the script (shared container: %s)',
    async (reuse) => {
      const source = `
import os, sys
child = os.fork()
if child:
    print(20 + os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
else:
    sys.exit(3)`;
      expect(await real.attempt('python', source, { ...(reuse && { reuse }) })).toMatchObject({ result: 23 });
    },
  );

  it('A file that a script opens in place of its report gets no notice of the end', async () => {
    const source = `
import os, sys
os.close(3)
file = os.open(os.environ["ERRAND_OUT"] + "/own", os.O_WRONLY | os.O_CREAT)
assert file == 3
print(1)`;
    let archive: Buffer = Buffer.alloc(0);
    const onArchive = (bytes: Buffer) => void (archive = bytes);
    const attempt = await real.attempt('python', source, { artifactBytes: 1_000, onArchive });
    expect(attempt).toMatchObject({ result: 1 });
    const { files } = await readArchive(archive, (text) => text);
    expect(files.map(({ name, bytes }) => [name, bytes.length])).toEqual([['own', 0]]);
  });

  it('A script that fills its report and ends still ends with its own exit code', async () => {
    const source = `
import os, sys
os.set_blocking(3, False)
try:
    while os.write(3, b"x" * 4096): pass
except BlockingIOError: pass
sys.exit(7)`;
    const { error } = await real.attempt('python', source);
    expect(error).toMatchObject({ type: 'ScriptError', details: { exitCode: 7 } });
  });

  it('The next run of a shared container succeeds after a script that told its end and went on', async () => {
    const forged = 'import os, time\nprint(1, flush=True)\nos.write(3, b"\\0" + b"0 5\\0")\ntime.sleep(3600)';
    expect(await real.attempt('python', forged, { reuse: 'forged' })).toMatchObject({ result: 1 });
    expect((await real.attempt('python', PIDS, { reuse: 'forged' })).error).toBeUndefined();
    expect(await real.attempt('python', forged)).toMatchObject({ result: 1 });
  });
});
