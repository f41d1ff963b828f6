import { setTimeout as delay } from 'node:timers/promises';
import { readArchive } from '../artifacts/read-archive.js';
import {
  describeWithDocker,
  RealSandbox,
  type AttemptOptions,
  type SandboxAttempt,
} from '../../../../test/escapes/real-sandbox.js';
import { eventually } from '../../../../test/support/eventually.js';

const PEAK_KB = 123_456;
/** Two containers for each of two languages. The older ones have waited while the others started. */
const ALL_WAITING = 4;
/** Only a process that has rehearsed reports its end. */
const REHEARSED = `if (process.listenerCount('beforeExit') === 0) throw new Error('no rehearsal');`;
/** The process reports this memory with its end. The kernel reports another one. */
const REPORTS = `process.resourceUsage = () => ({ maxRSS: ${PEAK_KB} });`;

describeWithDocker('The waiting process of a Bun script', () => {
  const real = new RealSandbox({ pool: { min: 2, max: ALL_WAITING, maxAgeMs: 600_000 } });
  beforeAll(() => real.require());
  afterAll(() => real.sandbox.close());

  /** Runs a script in a container that has rehearsed. */
  async function attempt(source: string, more: AttemptOptions = {}): Promise<SandboxAttempt> {
    return eventually(async () => {
      await eventually(() => real.sandbox.waiting === ALL_WAITING);
      const found = await real.attempt('bun', `${REHEARSED}\n${REPORTS}\n${source}`, more);
      return found.error?.message !== 'no rehearsal' && found;
    });
  }

  it('The first script of a container sees nothing of the rehearsal', async () => {
    const source = `
import { readdirSync } from 'node:fs';
const processes = readdirSync('/proc').filter((name) => /^\\d+$/.test(name));
console.log(JSON.stringify([readdirSync('/tmp'), readdirSync('/script').sort(), processes.length]));`;
    // The processes: init, supervisor, script.
    expect((await attempt(source)).result).toEqual([['out'], ['.in', 'main.ts'], 3]);
  });

  it('The supervisor compiles and collects garbage without threads, which a fork bomb would refuse it', async () => {
    const source = `
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
const threads = join('/proc', String(process.ppid), 'task');
const names = readdirSync(threads).map((thread) => readFileSync(join(threads, thread, 'comm'), 'utf8').trim());
console.log(JSON.stringify(names.filter((name) => /JITWorker|HeapHelper|Collector/.test(name) || names.length < 3)));`;
    expect((await attempt(source)).result).toEqual([]);
  });

  it('A script that ends by itself reports its end', async () => {
    expect(await attempt('console.log(1)')).toMatchObject({ result: 1, peakMemoryKb: PEAK_KB });
  });

  it('A script that listens for its exit prints until its process ends', async () => {
    const found = await attempt('process.on("exit", () => console.log(2))');
    expect(found.result).toBe(2);
    expect(found.peakMemoryKb).not.toBe(PEAK_KB);
  });

  it('A script that calls process.exit reports no end', async () => {
    const found = await attempt('process.on("beforeExit", () => (console.log(3), process.exit(0)))');
    expect(found.result).toBe(3);
    expect(found.peakMemoryKb).not.toBe(PEAK_KB);
  });

  it('A script that ends with an exit code reports no end', async () => {
    const { error } = await attempt('console.log(4); process.exitCode = 7');
    expect(error).toMatchObject({ type: 'ScriptError', details: { exitCode: 7 } });
  });

  it.each(['console.log(text)', 'process.stdout.write(text)', 'Bun.stdout.writer().write(text)'])(
    'All output of a script that ends after %s is there',
    async (print) => {
      const found = await attempt(`const text = JSON.stringify('x'.repeat(1_000_000)); ${print};`);
      expect(found).toMatchObject({ result: 'x'.repeat(1_000_000), peakMemoryKb: PEAK_KB });
    },
  );

  it('A file that a script opens in place of its report stays untouched', async () => {
    const source = `
import { closeSync, openSync } from 'node:fs';
closeSync(3);
if (openSync(process.env.ERRAND_OUT + '/own', 'w') !== 3) throw new Error('another descriptor');
console.log(5);`;
    let archive: Buffer = Buffer.alloc(0);
    const onArchive = (bytes: Buffer) => void (archive = bytes);
    expect(await attempt(source, { artifactBytes: 1_000, onArchive })).toMatchObject({ result: 5 });
    const { files } = await readArchive(archive, (text) => text);
    expect(files.map(({ name, bytes }) => [name, bytes.length])).toEqual([['own', 0]]);
  });

  const FORGED = `
import { closeSync, writeSync } from 'node:fs';
console.log(6);
writeSync(3, '\\0' + '5\\0');
closeSync(1);
await Bun.sleep(3_600_000);`;

  it('A script that reports its end and goes on ends with its container', async () => {
    expect(await real.attempt('bun', FORGED)).toMatchObject({ result: 6, peakMemoryKb: 5 });
  });

  it('A run of a shared container lasts until the process of its script has ended', async () => {
    const { error } = await real.attempt('bun', FORGED, { reuse: 'forged', limits: { timeoutMs: 1_000 } });
    expect(error).toMatchObject({ type: 'TimeoutError' });
  });

  /** Prints whether the process got its order before its start, and what a script can see of its start. */
  const VIEW = `
import { readFileSync } from 'node:fs';
const isOrdered = readFileSync('/proc/self/environ', 'utf8').includes('ERRAND_ORDER=');
const { argv, argv0, execArgv, execPath, env, title } = process;
const start = { argv, argv0, execArgv, execPath, env, title, bun: Bun.argv, main: Bun.main, isMain: import.meta.main, folder: process.cwd() };
console.log(JSON.stringify([isOrdered, start]));`;

  it('A script sees the same, whether its process has waited for it or not', async () => {
    const views = new Map<boolean, unknown>();
    const look = async () => {
      const { result } = await real.attempt('bun', VIEW, { reuse: 'view', env: { NAME: 'value' } });
      const [isOrdered, view] = result as [boolean, unknown];
      views.set(isOrdered, view);
    };
    // The process waits after a pause, and not in a quick sequence.
    await eventually(async () => {
      for (let run = 0; run < 3; run++) await look();
      await delay(100);
      return views.size === 2;
    });
    expect(views.get(true)).toEqual(views.get(false));
    expect(views.get(true)).toMatchObject({ env: { NAME: 'value' }, main: '/script/main.ts', isMain: true });
  });

  it('A script gets more environment than a variable of its process or a socket can hold', async () => {
    const env = Object.fromEntries(['A', 'B', 'C', 'D', 'E', 'F'].map((name) => [name, name.repeat(100_000)]));
    const source = 'console.log("ABCDEF".split("").reduce((sum, name) => sum + process.env[name].length, 0))';
    for (const reuse of ['large', 'large', undefined])
      expect(await real.attempt('bun', source, { reuse, env })).toMatchObject({ result: 600_000 });
  });
});
