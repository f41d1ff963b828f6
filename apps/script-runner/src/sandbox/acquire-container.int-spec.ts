import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { describeWithDocker, RealSandbox } from '../../../../test/escapes/real-sandbox.js';
import { encodeRequest } from './protocol/request.js';
import { environmentOf } from './environment.js';
import { ContainerRegistry } from './container-registry.js';
import { BOUNDS, DEFAULT_LIMITS } from './limits.js';

// A busy machine may need longer to clean a container than the runner waits for it. The next run then gets another container.
jest.retryTimes(5);

/** Prints the root mount of its container, which is different in every container. */
const WHERE = {
  python: 'import json\nprint(json.dumps(open("/proc/self/mounts").readline()))',
  bun: 'console.log(JSON.stringify((await Bun.file("/proc/self/mounts").text()).split("\\n")[0]))',
};

/** Leaves everything that a script can leave. */
const LITTER = {
  python: `
import ctypes, fcntl, json, os, signal, socket, subprocess, sys, time
os.environ["LEFT"] = "env"
os.makedirs("/tmp/a/b/c")
held = [open(f"/tmp/held{i}", "w") for i in range(9)]
for fd in held: os.set_inheritable(fd.fileno(), True)
listeners = [socket.create_server(("127.0.0.1", 4711)), socket.socket(socket.AF_UNIX)]
listeners[1].bind("\\0left")
listeners[1].listen()
open("/tmp/a/b/c/left", "w").write("left")
os.symlink("/etc", "/tmp/link")
os.chmod("/tmp/a/b", 0)
for attempt in (lambda: os.utime("/tmp", (1, 1)), lambda: os.chmod("/tmp", 0o700), lambda: os.setxattr("/tmp", "user.left", b"x"), lambda: open("/dev/mqueue/left", "x"), lambda: open("/script/left", "x")):
    try: attempt()
    except OSError: pass
ctypes.CDLL(None).shmget(4711, 4096, 0o1666)
for pid in map(int, filter(str.isdigit, os.listdir("/proc"))):
    for change in (lambda: os.sched_setaffinity(pid, {0}), lambda: os.setpriority(os.PRIO_PROCESS, pid, 5), lambda: os.setpriority(os.PRIO_USER, 0, 5)):
        try: pid != os.getpid() and change()
        except OSError: pass
fcntl.fcntl(2, fcntl.F_SETFL, os.O_NONBLOCK)
if os.fork() == 0:
    os.setsid()
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if os.fork() == 0:
        while True:
            try: os.write(2, b"a daemon was here\\n")
            except OSError: pass
            time.sleep(0.001)
    os._exit(0)
print(json.dumps(open("/proc/self/mounts").readline()))`,
  bun: `
import { chmodSync, mkdirSync, openSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
process.env.LEFT = 'env';
mkdirSync('/tmp/a/b/c', { recursive: true });
writeFileSync('/tmp/a/b/c/left', 'left');
symlinkSync('/etc', '/tmp/link');
chmodSync('/tmp/a/b', 0);
try { chmodSync('/tmp', 0o700); } catch {}
globalThis.left = true;
for (let i = 0; i < 9; i++) openSync('/tmp/held' + i, 'w');
Bun.listen({ hostname: '127.0.0.1', port: 4711, socket: { data() {} } });
Bun.listen({ unix: '\\0left', socket: { data() {} } });
Bun.spawn([process.execPath, '-e', "Bun.listen({ hostname: '127.0.0.1', port: 4712, socket: { data() {} } })"], { detached: true }).unref();
Bun.spawn(['sh', '-c', 'trap "" TERM; setsid sh -c "while true; do echo a daemon was here >&2; sleep 0.01; done" &'], { stdio: ['ignore', 'ignore', 'inherit'] });
await Bun.sleep(50);
console.log(JSON.stringify(readFileSync('/proc/self/mounts', 'utf8').split('\\n')[0]));
process.exit();`,
};

/** Prints everything that it finds of an earlier run, and its root mount. */
const SEARCH = {
  python: `
import ctypes, fcntl, json, os, socket, stat
found = []
note = lambda what, is_there: is_there and found.append(what)
note("environment", "LEFT" in os.environ)
note("files in /tmp", os.listdir("/tmp") != ["out"])
note("files in /script", [name for _, _, names in os.walk("/script") for name in names] != ["main.py"])
note("queues", os.listdir("/dev/mqueue") if os.path.exists("/dev/mqueue") else False)
note("mode of /tmp", stat.S_IMODE(os.stat("/tmp").st_mode) != 0o1777)
note("attributes of /tmp", [name for name in os.listxattr("/tmp") if name != "security.selinux"])
note("shared memory", ctypes.CDLL(None).shmget(4711, 4096, 0) >= 0)
note("flags of stderr", fcntl.fcntl(2, fcntl.F_GETFL) & os.O_NONBLOCK)
note("priority", os.getpriority(os.PRIO_PROCESS, 0))
note("CPU set", len(os.sched_getaffinity(0)) < os.cpu_count())
def reaches(family, address):
    with socket.socket(family) as client:
        return client.connect_ex(address) == 0
note("a listener", reaches(socket.AF_INET, ("127.0.0.1", 4711)) or reaches(socket.AF_UNIX, "\\0left"))
note("descriptors", [fd for fd in os.listdir("/proc/self/fd") if int(fd) > 4])
note("processes", len([name for name in os.listdir("/proc") if name.isdigit()]) > 4)
print(json.dumps([found, open("/proc/self/mounts").readline()]))`,
  bun: `
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
const found = [];
const note = (what, isThere) => isThere && found.push(what);
note('environment', 'LEFT' in process.env);
note('globals', 'left' in globalThis);
note('files in /tmp', String(readdirSync('/tmp')) !== 'out');
const files = readdirSync('/script', { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
note('files in /script', files.map(({ name }) => name).join() !== 'main.ts');
note('mode of /tmp', (statSync('/tmp').mode & 0o7777) !== 0o1777);
const reaches = (where) => Bun.connect({ ...where, socket: { data() {} } }).then(() => true, () => false);
const listeners = [{ unix: '\\0left' }, ...[4711, 4712].map((port) => ({ hostname: '127.0.0.1', port }))];
note('a listener', (await Promise.all(listeners.map(reaches))).some(Boolean));
const open = readdirSync('/proc/self/fd').map((fd) => { try { return readlinkSync('/proc/self/fd/' + fd); } catch { return ''; } });
note('descriptors', open.some((path) => /^.(tmp|script)/.test(path)));
note('processes', readdirSync('/proc').filter((name) => /^\\d+$/.test(name)).length > 3);
console.log(JSON.stringify([found, readFileSync('/proc/self/mounts', 'utf8').split('\\n')[0]]));`,
};

describeWithDocker('Reuse of a container by one tool', () => {
  const real = new RealSandbox();
  beforeAll(() => real.require());
  afterAll(async () => {
    await real.sandbox.close();
    expect(await real.left()).toEqual([]);
  });
  const own = () => randomBytes(4).toString('hex');

  describe.each(['python', 'bun'] as const)('Scripts in %s', (language) => {
    it('Runs of one tool share a container, and other tools and limits get another one', async () => {
      const reuse = own();
      const where = async (key?: string) => (await real.attempt(language, WHERE[language], { reuse: key })).result;
      const first = await where(reuse);
      expect(first).toEqual(expect.any(String));
      expect(await where(reuse)).toBe(first);
      expect(await where(own())).not.toBe(first);
      expect(await where()).not.toBe(first);
      expect(await where(reuse)).toBe(first);
      const other = await real.attempt(language, WHERE[language], { reuse, limits: { memoryMb: 300 } });
      expect(other.result).not.toBe(first);
    });

    it('A run finds no files, processes, environment, flags or log of an earlier run', async () => {
      const reuse = own();
      const litter = await real.attempt(language, LITTER[language], { reuse, env: { SECRET: 'x' } });
      expect(litter.error).toBeUndefined();
      const search = await real.attempt(language, SEARCH[language], { reuse });
      expect(search).toMatchObject({ result: [[], litter.result], log: [] });
    });

    it('A failed run reports only its own error, and its container is reused', async () => {
      const reuse = own();
      const fail = language === 'python' ? 'raise KeyError("gone")' : 'throw new RangeError("gone")';
      const first = await real.attempt(language, WHERE[language], { reuse });
      const failed = await real.attempt(language, fail, { reuse });
      expect(failed.error).toMatchObject({ type: 'ScriptError', message: expect.stringContaining('gone') });
      expect((await real.attempt(language, WHERE[language], { reuse })).result).toBe(first.result);
    });
  });

  it('A run finds no byte of an earlier run in its memory', async () => {
    const reuse = own();
    const secret = own() + own();
    await real.attempt('python', `import sys\nsecret = sys.stdin.read() * 1000\nprint(1)`, { reuse, input: secret });
    const search = `
import json, sys
needle = "".join(reversed(json.load(sys.stdin))).encode()
count = 0
for line in open("/proc/self/maps"):
    bounds, rights = line.split()[:2]
    if not rights.startswith("rw"): continue
    start, end = (int(bound, 16) for bound in bounds.split("-"))
    with open("/proc/self/mem", "rb", 0) as memory:
        memory.seek(start)
        try: count += memory.read(end - start).count(needle[:12])
        except OSError: pass
print(count)`;
    const input = secret.split('').toReversed().join('');
    // The search must find the needle that the script itself creates. Otherwise the count of the second search would
    // prove nothing.
    const inOwn = (await real.attempt('python', search, { input })).result;
    expect(inOwn).toBeGreaterThan(0);
    expect((await real.attempt('python', search, { reuse, input })).result).toBe(inOwn);
  });

  it('A container whose run exceeded a limit is not reused', async () => {
    const reuse = own();
    const limits = { outputKb: 4 };
    const first = await real.attempt('python', WHERE.python, { reuse, limits });
    const flood = await real.attempt('python', 'print("x" * 9000)', { reuse, limits });
    expect(flood.error).toMatchObject({ type: 'ResourceLimitError' });
    const next = await real.attempt('python', WHERE.python, { reuse, limits });
    expect(next.error).toBeUndefined();
    expect(next.result).not.toBe(first.result);
  });

  it('A Bun container serves more runs than it may have open files', async () => {
    const reuse = own();
    const places = new Set<unknown>();
    for (let run = 0; run <= BOUNDS.openFiles; run++)
      places.add((await real.attempt('bun', WHERE.bun, { reuse })).result);
    expect([...places]).toEqual([expect.any(String)]);
  });

  const WHO = {
    python: 'import json, os\nprint(json.dumps([os.getuid(), os.getgid()]))',
    bun: 'console.log(JSON.stringify([process.getuid(), process.getgid()]))',
  };

  it.each(['python', 'bun'] as const)(
    'Each run of a shared %s container has another user, and a container for one run has user 65534',
    async (language) => {
      const reuse = own();
      const shared: unknown[] = [];
      for (let run = 0; run < 4; run++) shared.push((await real.attempt(language, WHO[language], { reuse })).result);
      expect(shared).toEqual([
        [65_533, 65_534],
        [65_532, 65_534],
        [65_531, 65_534],
        [65_530, 65_534],
      ]);
      expect(await real.attempt(language, WHO[language])).toMatchObject({ result: [65_534, 65_534] });
    },
  );

  const ONE = { python: 'print(1)', bun: 'console.log(1)' };

  const STREAMS = {
    python: `
import getpass, json, sys
assert getpass.getuser() == "run65533"
value = json.load(open("/dev/stdin"))
open("/dev/stderr", "w").write("a line\\n")
open("/dev/stdout", "w").write(json.dumps(value))`,
    bun: `
import { readFileSync, writeFileSync } from 'node:fs';
writeFileSync('/dev/stderr', 'a line\\n');
console.log(JSON.stringify(JSON.parse(readFileSync(0, 'utf8'))));`,
  };

  it.each(['python', 'bun'] as const)(
    'A %s script in a shared container can open the same paths as in a container for one run',
    async (language) => {
      const attempt = await real.attempt(language, STREAMS[language], { reuse: own(), input: 7 });
      expect(attempt).toMatchObject({ result: 7, log: ['a line'] });
    },
  );

  it.each(['python', 'bun'] as const)(
    'A byte that reaches the supervisor of a shared %s container before it is ready ends the container',
    async (language) => {
      const containers = new ContainerRegistry(real.docker, { runnerId: real.runnerId, installation: real.runnerId });
      const environment = environmentOf(language, DEFAULT_LIMITS, real, { reuse: own() });
      const container = await containers.start(environment, { role: 'pool' }, 60_000);
      const files = [{ path: 'main', base64: Buffer.from(ONE[language]).toString('base64') }];
      const bundle = { language, entry: 'main', files };
      const request = encodeRequest({ bundle, input: 1, invocationId: 'inv_test', limits: DEFAULT_LIMITS }, true);
      let received = '';
      const ended = new Promise<Error>((resolve) => {
        const onData = (source: string, bytes: Buffer) => void (received += source === 'stdout' ? String(bytes) : '');
        container.channel.listen({ onData, onClosed: resolve });
      });
      container.channel.send(Buffer.concat([request.bytes, Buffer.from('x')]));
      expect(await ended).toMatchObject({ message: 'the stream ended' });
      expect(received).not.toContain('ready');
      await containers.destroy(container);
    },
  );

  it('A tool with folders of the host gets a new container for each run', async () => {
    const mounts = [{ source: tmpdir(), target: '/data/x', readOnly: true }];
    const reuse = own();
    const where = async () => (await real.attempt('python', WHERE.python, { reuse, mounts })).result;
    expect(await where()).not.toBe(await where());
  });

  it('Concurrent runs of one tool get different containers', async () => {
    const reuse = own();
    const runs = await Promise.all([1, 2, 3].map(() => real.attempt('python', WHERE.python, { reuse })));
    expect(new Set(runs.map(({ result }) => result)).size).toBe(3);
  });
});
