import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { resetServer, stateOf } from './reset-redis.js';

/**
 * The servers that this process has started. Node.js loads this file once for all suites of a worker of Jest, so that a later suite can get
 * the server of an earlier one. A start costs 10 ms of processor time in Redis, and 4 ms for the fork of a large process.
 */

/** Most suites use one server at a time, and an idle server costs some processor time. */
const MAX_IDLE = 2;
const PID_FILE = 'redis.pid';

/** A running server with a folder of its own. */
export interface PooledServer {
  child: ChildProcess;
  port: number;
  readonly folder: string;
  /** The settings as arguments, without the port. */
  readonly args: readonly string[];
  /** What a reset must find again. */
  readonly state: string;
}

const idle: PooledServer[] = [];
let root: string | undefined;

/** A port that is free at this moment. */
export async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** An empty server at a port that no earlier suite had. */
export async function takeServer(): Promise<PooledServer> {
  for (let server = idle.pop(); server; server = idle.pop()) {
    if (isAlive(server)) return server;
    await endServer(server);
  }
  return startServer();
}

/** Keeps the server for a later suite if a reset proves that it is as new, or else ends it. */
export async function returnServer(server: PooledServer): Promise<void> {
  const canKeep = idle.length < MAX_IDLE && isAlive(server);
  if (canKeep && (await resetServer(server, PID_FILE, freePort))) idle.push(server);
  else await endServer(server);
}

export async function startServer(port?: number, settings: Record<string, string> = {}): Promise<PooledServer> {
  root ??= openRoot();
  const folder = await mkdtemp(join(root, 'server-'));
  const all = {
    bind: '127.0.0.1',
    save: '',
    dir: folder,
    pidfile: join(folder, PID_FILE),
    'maxmemory-policy': 'noeviction',
    ...settings,
  };
  const args = Object.entries(all).flatMap(([name, value]) => [`--${name}`, value]);
  const at = port ?? (await freePort());
  return { ...(await spawnServer(at, args)), port: at, folder, args };
}

/** Starts a killed server again. */
export async function restartServer(server: PooledServer): Promise<void> {
  ({ child: server.child } = await spawnServer(server.port, server.args));
}

export async function killServer({ child }: PooledServer): Promise<void> {
  const exited = once(child, 'exit');
  child.ref();
  child.kill('SIGKILL');
  await exited;
}

export async function endServer(server: PooledServer): Promise<void> {
  if (isAlive(server)) await killServer(server);
  await rm(server.folder, { recursive: true, force: true });
}

const isAlive = ({ child }: PooledServer) => child.exitCode === null && child.signalCode === null;

/**
 * The folder of all servers of this process. A shell kills them and removes the folder when the process has ended in any way: then the
 * input of the shell ends. It is in a group of its own, which a signal of the terminal does not reach.
 */
function openRoot(): string {
  const folder = mkdtempSync(join(tmpdir(), 'errand-redis-'));
  const script = `read -r _; kill -9 $(cat "$0"/*/${PID_FILE}); rm -rf "$0"`;
  const shell = spawn('sh', ['-c', script, folder], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  shell.unref();
  (shell.stdin as Socket).unref();
  return folder;
}

/** Resolves when Redis responds. The server does not keep this process alive. */
async function spawnServer(port: number, args: readonly string[]): Promise<Pick<PooledServer, 'child' | 'state'>> {
  const child = spawn('redis-server', ['--port', String(port), ...args], { stdio: 'ignore' });
  const exited = once(child, 'exit');
  const probe = new Redis({ port, host: '127.0.0.1', maxRetriesPerRequest: null, retryStrategy: () => 20 });
  probe.on('error', () => {});
  const state = await Promise.race([
    stateOf(probe),
    exited.then(() => Promise.reject(new Error('redis-server did not start; is it installed?'))),
  ]);
  probe.disconnect();
  child.unref();
  return { child, state };
}
