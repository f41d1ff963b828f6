import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { FLAGS } from './code-cache.cjs';
import { inPatience } from './eventually.js';

/** The built programs. They need dist/: `npm run build`, as in `./errand test`. */
const MAIN = {
  api: 'dist/apps/api/src/main.js',
  worker: 'dist/apps/worker/src/main.js',
  'script-runner': 'dist/apps/script-runner/src/main.js',
};
const ROOT = join(__dirname, '../..');

/** Arguments of Node.js that let a process start with the cache of compiled code, if `./errand test` has made one. */
export const CODE_CACHE = ['--require', join(__dirname, 'code-cache.cjs')] as const;

/**
 * The same for a process that lives for seconds, with the flags of the cache. V8 optimizes a function after more calls than usual. Otherwise a start
 * spends an eighth of its CPU time on functions that such a process hardly calls again.
 */
export const QUICK_START = [...FLAGS, ...CODE_CACHE] as const;

/** The environment variable that lets the processes which such a process starts do the same. */
export const QUICK_CHILDREN = {
  NODE_OPTIONS: ['quick-flags.cjs', 'code-cache.cjs']
    .map((hook) => `--require ${JSON.stringify(join(__dirname, hook))}`)
    .join(' '),
};

/** The processes of one test, which the test may kill. */
export class Processes {
  private readonly running = new Set<ChildProcess>();
  private readonly said = new Map<ChildProcess, string>();

  /** @param env additional environment of every process; other workers take over jobs of a dead process within 2 s */
  constructor(private readonly env: Record<string, string>) {
    for (const main of Object.values(MAIN))
      if (!existsSync(join(ROOT, main))) throw new Error(`${main} is not built: npm run build`);
  }

  /** Resolves when the process takes jobs. */
  async start(app: keyof typeof MAIN, own: Record<string, string> = {}): Promise<ChildProcess> {
    const env = {
      PATH: process.env['PATH'],
      DOCKER_HOST: process.env['DOCKER_HOST'],
      ERRAND_LOCK_MS: '1000',
      ERRAND_STALLED_MS: '500',
      ...this.env,
      ...own,
    };
    const child = spawn(process.execPath, [...QUICK_START, MAIN[app]], {
      cwd: ROOT,
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.running.add(child);
    this.said.set(child, '');
    const ready = new Promise<boolean>((resolve) => {
      child.stderr
        .on('end', () => resolve(false))
        .on('data', (chunk: Buffer) => {
          this.said.set(child, this.wordsOf(child) + String(chunk));
          if (this.wordsOf(child).includes(`${app} ready`)) resolve(true);
        });
    });
    const isReady = await inPatience(ready, () => `the ${app} is ready; its log: ${this.wordsOf(child)}`);
    if (!isReady) throw new Error(`the ${app} did not start: ${this.wordsOf(child)}`);
    return child;
  }

  /**
   * Starts processes until `count` of an app run, and ends those above it. The living ones of earlier tests are taken first: a start costs
   * seconds of processor time.
   * @param own additional environment of those that start
   */
  async haveRunning(app: keyof typeof MAIN, count: number, own: Record<string, string> = {}): Promise<ChildProcess[]> {
    const living = [...this.running].filter((child) => child.spawnargs.at(-1) === MAIN[app] && isAlive(child));
    await Promise.all(living.slice(count).map((child) => this.end(child)));
    const missing = Array.from({ length: count - living.length }, () => this.start(app, own));
    return [...living.slice(0, count), ...(await Promise.all(missing))];
  }

  /** The only running process of an app. */
  async haveOne(app: keyof typeof MAIN, own: Record<string, string> = {}): Promise<ChildProcess> {
    const [only] = await this.haveRunning(app, 1, own);
    return only as ChildProcess;
  }

  /** The log of the process so far. */
  wordsOf(child: ChildProcess): string {
    return this.said.get(child)!;
  }

  /** @returns the exit code; null if the signal ended the process */
  async end(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): Promise<number | null> {
    this.running.delete(child);
    if (!isAlive(child)) return child.exitCode;
    child.kill(signal);
    const closed = once(child, 'close') as Promise<[number | null]>;
    const [code] = await inPatience(closed, () => `the process ended by ${signal}; its log: ${this.wordsOf(child)}`);
    return code;
  }

  async endAll(): Promise<void> {
    for (const child of this.running) await this.end(child);
  }
}

function isAlive({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}
