import { randomBytes } from 'node:crypto';
import { spawn, spawnSync, type ChildProcess, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, closeSync, constants, existsSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { isObject } from '@errand/contracts';
import Docker from 'dockerode';
import { until } from './until.js';

/**
 * Like `describe`. It skips the tests and logs the reason if `why` is given: by default, if no own engine can be
 * started.
 */
export function describeWithOwnEngine(name: string, tests: () => void, why = whyNoOwnEngine()): void {
  if (why === undefined) return describe(name, tests);
  console.warn(`Skipped: ${name}; ${why}`);
  describe.skip(name, tests);
}

function whyNoOwnEngine(): string | undefined {
  if (process.env.ERRAND_TEST_NO_DOCKER !== undefined) return 'ERRAND_TEST_NO_DOCKER is set';
  if (process.getuid?.() !== 0) return 'these tests start a Docker engine of their own, which needs root';
  return whereIs('dockerd') ? undefined : 'dockerd is not on the PATH';
}

/** The path of a program in the folders of PATH. */
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
  /** Size in MiB of a disk that only this engine uses. Default: the disk of the host. */
  diskMb?: number;
  /** Paths of additional runtimes, by name. */
  runtimes?: Record<string, string>;
}

/** A Docker engine that a test can kill, or whose disk it can fill, without effects on other users of the host. */
export class OwnEngine {
  private readonly folder = join(tmpdir(), `errand-engine-${randomBytes(4).toString('hex')}`);
  readonly socketPath = join(this.folder, 'engine.sock');
  readonly docker = new Docker({ socketPath: this.socketPath });
  private containerd: ChildProcess | undefined;
  private daemon: ChildProcess | undefined;

  constructor(private readonly options: OwnEngineOptions = {}) {}

  /** Fills its disk. @returns a function that frees the space again */
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

  /** Starts the engine, with containerd as a separate process that outlives the engine, as on a real host. */
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
    // The engine runs in its own network namespace: with `--bridge none` it would remove the bridge of the host's
    // engine.
    this.daemon = spawn('unshare', ['--net', 'dockerd', ...places, ...options, ...network, ...runtimes], { stdio });
    const answers = () =>
      this.docker.ping().then(
        () => true,
        () => false,
      );
    await until('the engine responds', answers);
  }

  /** All containers, except those that a killed engine still lists as dead and does not know: no request can remove them. */
  async listContainers(): Promise<Docker.ContainerInfo[]> {
    const listed = await this.docker.listContainers({ all: true });
    const isKnown = async ({ Id: id, State: state }: Docker.ContainerInfo) =>
      state !== 'dead' ||
      this.docker
        .getContainer(id)
        .inspect()
        .then(Boolean, () => false);
    const known = await Promise.all(listed.map(isKnown));
    return listed.filter((_, n) => known[n]);
  }

  /** Copies an image from the engine of this host. */
  async load(image: string): Promise<void> {
    const stream = await this.docker.loadImage(await new Docker().getImage(image).get());
    await once(stream.resume(), 'end');
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    if (this.daemon?.kill(signal)) await once(this.daemon, 'exit');
  }

  /** Ends the engine and removes its folder. */
  async remove(): Promise<void> {
    await this.end('SIGTERM');
    if (this.containerd?.kill()) await once(this.containerd, 'exit');
    // A killed engine leaves its data folder mounted.
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
    if (status !== 0) throw new Error(`cannot mount a disk for the engine: ${stderr}`);
  }
}
