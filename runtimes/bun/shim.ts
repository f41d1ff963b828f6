/**
 * The supervisor of one JavaScript or TypeScript script inside its sandbox; the sibling of `runtimes/python/shim.py`, where the
 * protocol on stdin, stdout and stderr is written down. The script is a child process: `bun <entry>`, or `node <entry>` where
 * the image has Node and the tool asks for it.
 *
 * Loaded with `--preload` into that child, this file has a second, smaller role: it tells the supervisor of an uncaught error.
 */
import { dlopen, FFIType } from 'bun:ffi';
import { chmodSync, mkdirSync, readFileSync, readSync, writeFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';

const SCRIPT_ROOT = '/script';
const REPORT_FD = 3;
const MAX_MESSAGE = 2000;
const PR_SET_DUMPABLE = 4;
/** How long stdout is read on after the script's end when a process that it left behind holds it open. */
const LINGER_MS = 50;

interface Header {
  nonce: string;
  language: string;
  entry: string;
  files: { path: string; base64: string }[];
  env: Record<string, string>;
  inputBytes: number;
  outputBytes: number;
  deadlineMs: number;
}

if (import.meta.main) await supervise();
else tellOfUncaughtErrors();

async function supervise(): Promise<void> {
  forbidTracing();
  const requests = new Lifeline(Bun.stdin.stream().getReader());
  writeSync(1, 'ready\n');
  const header: Header = JSON.parse((await requests.line()).toString());
  const input = await requests.bytes(header.inputBytes);
  requests.dieWhenCut();
  try {
    layOut(header);
  } catch (fault) {
    return answer(header, { fault: String(fault), code: codeOf(fault) }, Buffer.alloc(0));
  }
  const { report, stdout } = await run(header, input);
  await answer(header, report, stdout);
}

/** Closes /proc/<pid>/{mem,fd,…} and ptrace of this process to others of the same user, the script first of all. */
function forbidTracing(): void {
  const { symbols } = dlopen('libc.so.6', {
    prctl: { args: [FFIType.i32, FFIType.u64, FFIType.u64, FFIType.u64, FFIType.u64], returns: FFIType.i32 },
  });
  symbols.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

/** What the runner sends. When it ends, whoever asked is gone: init ends with us, and the kernel ends everything else. */
class Lifeline {
  private held = Buffer.alloc(0);
  constructor(private readonly reader: ReadableStreamDefaultReader<Uint8Array>) {}

  async line(): Promise<Buffer> {
    const chunks: Buffer[] = [this.held];
    while (!chunks.at(-1)!.includes(10)) chunks.push(await this.next());
    this.held = Buffer.concat(chunks);
    return this.take(this.held.indexOf(10) + 1);
  }

  async bytes(count: number): Promise<Buffer> {
    const chunks: Buffer[] = [this.held];
    for (let have = this.held.length; have < count; have += chunks.at(-1)!.length) chunks.push(await this.next());
    this.held = Buffer.concat(chunks);
    return this.take(count);
  }

  dieWhenCut(): void {
    void this.next().then(() => this.dieWhenCut());
  }

  private take(count: number): Buffer {
    const taken = this.held.subarray(0, count);
    this.held = this.held.subarray(count);
    return taken;
  }

  private async next(): Promise<Buffer> {
    const { value, done } = await this.reader.read();
    if (done) process.exit(1);
    return Buffer.from(value);
  }
}

/** Writes the script's folder, then takes the right to write away from files and folders. */
function layOut({ files, env }: Header): void {
  const folders = new Set([SCRIPT_ROOT]);
  for (const file of files) {
    const path = join(SCRIPT_ROOT, file.path);
    mkdirSync(dirname(path), { recursive: true });
    for (let folder = dirname(path); !folders.has(folder); folder = dirname(folder)) folders.add(folder);
    writeFileSync(path, Buffer.from(file.base64, 'base64'), { flag: 'wx', mode: 0o444 });
  }
  for (const folder of folders) chmodSync(folder, 0o555);
  mkdirSync(env.ERRAND_OUT!, { recursive: true });
}

/** Runs the script to its own end. Children that it leaves behind are not waited for. */
async function run(header: Header, input: Buffer) {
  const entry = join(SCRIPT_ROOT, header.entry);
  const child = Bun.spawn(command(header, entry), {
    cwd: dirname(entry),
    env: header.env,
    stdio: [input, 'pipe', 'inherit', 'pipe'],
    detached: true,
  });
  preferAsVictim(child.pid);
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    kill(child.pid);
  }, header.deadlineMs);
  const output = collect(child.stdout, header.outputBytes, () => kill(child.pid));
  await child.exited;
  clearTimeout(timer);
  await Promise.race([output.ended, Bun.sleep(LINGER_MS)]);
  const { chunks, overflow } = output;
  return { stdout: Buffer.concat(chunks), report: { ...describe(child), timedOut, overflow } };
}

function command({ language }: Header, entry: string): string[] {
  const node = language === 'nodejs' ? Bun.which('node') : null;
  return node ? [node, entry] : [process.execPath, '--no-install', '--preload', import.meta.path, entry];
}

/** When memory runs out the kernel shall take the script and leave the supervisor, who tells of it. */
function preferAsVictim(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, '1000');
  } catch {
    // It has ended already.
  }
}

function kill(pid: number): void {
  for (const target of [-pid, pid]) {
    try {
      process.kill(target, 'SIGKILL');
    } catch {
      // Ended, or without a group of its own yet.
    }
  }
}

function collect(stream: ReadableStream<Uint8Array>, cap: number, onOverflow: () => void) {
  const output = { chunks: [] as Uint8Array[], overflow: false, ended: Promise.resolve() };
  output.ended = (async () => {
    let left = cap;
    for await (const chunk of stream) {
      output.chunks.push(chunk.subarray(0, left));
      left -= chunk.length;
      if (left < 0) {
        output.overflow = true;
        return onOverflow();
      }
    }
  })();
  return output;
}

function describe(child: Bun.Subprocess) {
  return {
    exitCode: child.signalCode ? null : child.exitCode,
    signal: child.signalCode,
    oomKills: counter('oom_kill', 'memory.events', 'memory/memory.oom_control'),
    refusedForks: counter('max', 'pids.events', 'pids/pids.events'),
    peakMemoryKb: Math.round((child.resourceUsage()?.maxRSS ?? 0) / 1024),
    exception: readException(child.stdio[REPORT_FD]),
  };
}

/** A counter of this container's control group, version 2 or 1; 0 where the runtime shows none. */
function counter(key: string, ...paths: string[]): number {
  for (const path of paths) {
    try {
      const lines = readFileSync(`/sys/fs/cgroup/${path}`, 'utf8').split('\n');
      const found = lines.find((line) => line.startsWith(`${key} `));
      if (found) return Number(found.slice(key.length));
    } catch {
      // The other version, or none.
    }
  }
  return 0;
}

function readException(fd: unknown): unknown {
  try {
    const told = Buffer.alloc(4 * MAX_MESSAGE);
    return JSON.parse(told.toString('utf8', 0, readSync(Number(fd), told)));
  } catch {
    return null; // It ended otherwise.
  }
}

/** Writes the frame, then the end mark of the log. */
async function answer({ nonce }: Header, report: object, stdout: Buffer): Promise<void> {
  await Bun.write(
    Bun.stdout,
    Buffer.concat([Buffer.from(`${JSON.stringify({ ...report, nonce, stdoutBytes: stdout.length })}\n`), stdout]),
  );
  await Bun.write(Bun.stderr, `\n${nonce}\n`);
  process.exit(0);
}

/** In the child: hands the error itself to the supervisor; what a script printed is never guessed at. */
function tellOfUncaughtErrors(): void {
  process.on('uncaughtExceptionMonitor', (error: unknown) => {
    const { constructor, name, message } = error instanceof Error ? error : new Error(String(error));
    const type = constructor.name === 'Error' ? name : constructor.name;
    const code = codeOf(error);
    try {
      writeSync(REPORT_FD, JSON.stringify({ type, message: message.slice(0, MAX_MESSAGE), code }));
    } catch {
      // The script closed it.
    }
  });
}

/** `ENOSPC` and the like, where the system has refused something. */
function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
