import { randomBytes } from 'node:crypto';
import { spawn, spawnSync, type ChildProcess, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, closeSync, constants, existsSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { isObject } from '@errand/contracts';
import Docker from 'dockerode';
import { until } from './until.js';

/** `describe`, or a skip that says why: where no engine of one's own can be started, or `why` says something else. */
export function describeWithOwnEngine(name: string, tests: () => void, why = whyNoOwnEngine()): void {
  if (why === undefined) return describe(name, tests);
  console.warn(`Skipped: ${name}; ${why}`);
  describe.skip(name, tests);
}

function whyNoOwnEngine(): string | undefined {
  if (process.env.ERRAND_TEST_NO_DOCKER !== undefined) return 'ERRAND_TEST_NO_DOCKER is set';
  if (process.getuid?.() !== 0) return 'these tests start a Docker engine of their own, and only root can';
  return whereIs('dockerd') ? undefined : 'dockerd is not on the PATH';
}

/** Where a program is, of those on the PATH. */
export function whereIs(program: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.map((folder) => join(folder, program)).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export interface OwnEngineOptions {
  /** A disk of its own, of that size. */
  diskMb?: number;
  /** Runtimes beside its own, by name: their paths. */
  runtimes?: Record<string, string>;
}

/** A Docker engine that can be killed, or have its disk filled, without anybody else's being hurt. */
export class OwnEngine {
  private readonly folder = join(tmpdir(), `errand-engine-${randomBytes(4).toString('hex')}`);
  readonly socketPath = join(this.folder, 'engine.sock');
  readonly docker = new Docker({ socketPath: this.socketPath });
  private containerd: ChildProcess | undefined;
  private daemon: ChildProcess | undefined;

  constructor(private readonly options: OwnEngineOptions = {}) {}

  /** Takes all that is free on its disk; gives a function that frees it again. */
  fill(): () => void {
    const filler = join(this.folder, 'filler');
    const file = openSync(filler, 'w');
    try {
      for (const block = Buffer.alloc(1024 * 1024); ;) writeSync(file, block);
    } catch (error) {
      if (!(isObject(error) && error.code === 'ENOSPC')) throw error;
    } finally {
      closeSync(file);
    }
    return () => rmSync(filler);
  }

  /** As on a host: containerd is a service of its own, and outlives the engine. */
  async start(): Promise<void> {
    if (!existsSync(this.folder)) this.makeFolder();
    const at = (name: string) => join(this.folder, name);
    const stdio: StdioOptions = ['ignore', openSync(at('log'), 'a'), openSync(at('log'), 'a')];
    const store = ['--root', at('containerd'), '--state', at('state'), '--address', at('containerd.sock')];
    this.containerd ??= spawn('containerd', store, { stdio });
    const options = ['--data-root', at('data'), '--exec-root', at('exec'), '--pidfile', at('pid')];
    const runtimes = Object.entries(this.options.runtimes ?? {}).map(([name, path]) => `--add-runtime=${name}=${path}`);
    const network = ['--bridge', 'none', '--iptables=false', '--ip-forward=false'];
    const places = ['-H', `unix://${this.socketPath}`, '--containerd', at('containerd.sock')];
    // In a network of its own: an engine that is told to have no bridge removes the one of the host's engine.
    this.daemon = spawn('unshare', ['--net', 'dockerd', ...places, ...options, ...network, ...runtimes], { stdio });
    const answers = () =>
      this.docker.ping().then(
        () => true,
        () => false,
      );
    await until('the engine answers', answers);
  }

  /** Brings an image over from the engine of this host. */
  async load(image: string): Promise<void> {
    const stream = await this.docker.loadImage(await new Docker().getImage(image).get());
    await once(stream.resume(), 'end');
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    if (this.daemon?.kill(signal)) await once(this.daemon, 'exit');
  }

  /** Ends it well and takes its folder away. */
  async remove(): Promise<void> {
    await this.end('SIGTERM');
    if (this.containerd?.kill()) await once(this.containerd, 'exit');
    // An engine that was killed has left its folder mounted upon itself.
    while (spawnSync('umount', ['--lazy', '--recursive', join(this.folder, 'data')]).status === 0);
    if (this.options.diskMb !== undefined) spawnSync('umount', ['--lazy', this.folder]);
    rmSync(this.folder, { recursive: true, force: true });
  }

  private makeFolder(): void {
    mkdirSync(this.folder, { mode: 0o700 });
    const { diskMb } = this.options;
    if (diskMb === undefined) return;
    const mount = ['-t', 'tmpfs', '-o', `size=${diskMb}m`, 'errand-engine', this.folder];
    const { status, stderr } = spawnSync('mount', mount, { encoding: 'utf8' });
    if (status !== 0) throw new Error(`no disk of its own for an engine: ${stderr}`);
  }
}
