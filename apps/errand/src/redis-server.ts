import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findExecutable } from './processes.js';
import { KnownError } from '@errand/contracts';

const STOP_MS = 10_000;
const RESTART_MS = 500;

/**
 * The server process of a folder that holds a `redis.conf`. Once it is kept, one that dies is started anew, with the same
 * configuration and data, unless another has taken its place (`redis.pid` names the one that serves).
 */
export class RedisServer {
  private process: ChildProcess;
  private restart: NodeJS.Timeout | undefined;
  private isKept = false;
  private readonly endWithUs = () => this.process.kill('SIGTERM');

  constructor(private readonly folder: string) {
    this.process = this.start();
    process.once('exit', this.endWithUs);
  }

  get pid(): number | undefined {
    return this.process.pid;
  }

  get hasEnded(): boolean {
    const { pid, exitCode, signalCode } = this.process;
    return pid === undefined || exitCode !== null || signalCode !== null;
  }

  /** From now on it serves: should it die, it is started anew. */
  keep(): void {
    this.isKept = true;
  }

  /** SIGTERM lets it flush what it holds. */
  async close(): Promise<void> {
    this.isKept = false;
    clearTimeout(this.restart);
    process.off('exit', this.endWithUs);
    if (this.hasEnded) return;
    const ended = once(this.process, 'exit');
    this.process.kill('SIGTERM');
    const force = setTimeout(() => this.process.kill('SIGKILL'), STOP_MS);
    await ended;
    clearTimeout(force);
  }

  /** The end of what it logged, where the reason for a failure stands. */
  logEnd(): string {
    const file = join(this.folder, 'redis.log');
    const lines = existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
    return [`Its log, ${file}, ends with:`, ...lines.slice(-6)].join('\n');
  }

  private start(): ChildProcess {
    const server = launch(this.folder);
    server.once('exit', () => {
      if (this.isKept) this.restart = setTimeout(() => this.startAgain(server), RESTART_MS);
    });
    return server;
  }

  private startAgain(ended: ChildProcess): void {
    const pidFile = join(this.folder, 'redis.pid');
    if (existsSync(pidFile) && readFileSync(pidFile, 'utf8') === String(ended.pid)) this.process = this.start();
  }
}

/**
 * In a process group of its own: a Ctrl-C at the terminal must not take Redis from under what is still draining. `setpriv` has
 * the kernel end it should we die by a kill -9; without it, the next start ends what is left.
 */
function launch(folder: string): ChildProcess {
  const program = findExecutable('redis-server', 'valkey-server');
  if (!program) {
    throw new KnownError(
      'There is no redis-server: run `sudo apt-get install redis-server`, or name a running Redis in ERRAND_REDIS_URL',
    );
  }
  const setpriv = findExecutable('setpriv');
  const command = [...(setpriv ? [setpriv, '--pdeathsig', 'TERM'] : []), program, join(folder, 'redis.conf')];
  const log = openSync(join(folder, 'redis.log'), 'a', 0o600);
  const server = spawn(command[0]!, command.slice(1), { cwd: folder, detached: true, stdio: ['ignore', log, log] });
  closeSync(log);
  server.on('error', () => {}); // it then has no pid, which tells
  if (server.pid) writeFileSync(join(folder, 'redis.pid'), String(server.pid));
  return server;
}
