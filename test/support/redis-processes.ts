import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis, type RedisOptions } from 'ioredis';
import { eventually } from './eventually.js';
import { freePort } from './start-redis.js';

/** One server process of a set. */
export interface RedisProcess {
  port: number;
  /** A connection of the test to this server only. */
  admin: Redis;
  readonly isAlive: boolean;
  readonly pid: number;
  /** The folder of its data. */
  folder: string;
  signal: (name: NodeJS.Signals) => void;
  /** Kills the server. */
  kill: () => Promise<void>;
  /** Starts a killed server again, with its settings and data. */
  restart: () => Promise<void>;
}

/** The server processes of one test, each with a folder of its own. */
export class RedisProcesses {
  readonly folder = mkdtempSync(join(tmpdir(), 'errand-redis-set-'));
  private readonly started: RedisProcess[] = [];

  /**
   * Starts a server on a free port.
   * @param args settings as arguments of redis-server; the first may be a configuration file
   * @param client options of the connection of the test
   */
  async start(
    args: (port: number, folder: string) => readonly string[],
    client: RedisOptions = {},
  ): Promise<RedisProcess> {
    const port = await freePort();
    const folder = join(this.folder, String(port));
    mkdirSync(folder);
    const all = args(port, folder);
    let child = this.launch(all, folder);
    const admin = new Redis({
      port,
      host: '127.0.0.1',
      maxRetriesPerRequest: null,
      enableReadyCheck: false,
      retryStrategy: () => 50,
      ...client,
    });
    admin.on('error', () => {});
    const isAlive = () => child.exitCode === null && child.signalCode === null;
    const server: RedisProcess = {
      port,
      folder,
      get pid() {
        return child.pid!;
      },
      admin,
      get isAlive() {
        return isAlive();
      },
      signal: (name) => void child.kill(name),
      kill: async () => {
        if (!isAlive()) return;
        const exited = once(child, 'exit');
        child.kill('SIGKILL');
        await exited;
      },
      restart: async () => {
        child = this.launch(all, folder);
        await this.untilAnswers(server);
      },
    };
    this.started.push(server);
    await this.untilAnswers(server);
    return server;
  }

  async stop(): Promise<void> {
    for (const { admin } of this.started) admin.disconnect();
    await Promise.all(this.started.map((server) => server.kill()));
    await rm(this.folder, { recursive: true, force: true });
  }

  private launch(args: readonly string[], folder: string): ChildProcess {
    return spawn('redis-server', args, { stdio: 'ignore', cwd: folder });
  }

  /** A replica that loads its data refuses commands. */
  private async untilAnswers({ admin, isAlive, port }: RedisProcess): Promise<void> {
    const answer = () =>
      admin.ping().then(
        () => true,
        () => false,
      );
    await eventually(async () => !isAlive || (await answer()), `redis-server answers at port ${port}`);
  }
}

/** Settings of every server of a set, as arguments. */
export function serverArguments(port: number, folder: string, more: Record<string, string | number> = {}): string[] {
  const settings = {
    port,
    bind: '127.0.0.1',
    save: '',
    dir: folder,
    'maxmemory-policy': 'noeviction',
    // A new primary gets its replicas without a pause for more of them.
    'repl-diskless-sync-delay': 0,
    ...more,
  };
  return Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
}
