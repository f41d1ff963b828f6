import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findExecutable } from './processes.js';
import { KnownError } from '@errand/contracts';

const STOP_MS = 10_000;
const RESTART_MS = 500;

/**
 * The server process of a folder with a `redis.conf`. After `keep`, a server that dies is restarted with the same configuration and
 * data. It is not restarted if another process has replaced it: `redis.pid` names the current server.
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

  /** From now on, a server that dies is restarted. */
  keep(): void {
    this.isKept = true;
  }

  /** Ends the server with SIGTERM, so that it writes all data. */
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

  /** The end of the log. It usually has the reason of a failure. */
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
 * Starts the server in its own process group, because a Ctrl-C at the terminal must not end Redis while jobs still drain. With
 * `setpriv`, the kernel ends the server if this process is killed. Without it, the next start ends the leftover server.
 */
function launch(folder: string): ChildProcess {
  const program = findExecutable('redis-server', 'valkey-server');
  if (!program) {
    throw new KnownError(
      'redis-server is not installed: run `sudo apt-get install redis-server`, or name a running Redis in ERRAND_REDIS_URL',
    );
  }
  const setpriv = findExecutable('setpriv');
  const [command, ...args] = setpriv ? ([setpriv, '--pdeathsig', 'TERM', program] as const) : ([program] as const);
  const log = openSync(join(folder, 'redis.log'), 'a', 0o600);
  const server = spawn(command, [...args, join(folder, 'redis.conf')], {
    cwd: folder,
    detached: true,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  server.on('error', () => {}); // the server then has no pid, so `hasEnded` is true
  if (server.pid) writeFileSync(join(folder, 'redis.pid'), String(server.pid));
  return server;
}
