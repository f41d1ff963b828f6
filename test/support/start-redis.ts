import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import type { RedisCluster } from './start-cluster.js';

export interface TestRedis {
  url: string;
  port: number;
  readonly pid: number;
  /** Kills Redis. `restart` starts it again, with its data if it is persistent. */
  kill(): Promise<void>;
  restart(): Promise<void>;
  stop(): Promise<void>;
  /** The nodes, if it is a Cluster. */
  cluster?: RedisCluster;
}

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

/**
 * A real Redis for one test suite. Queue names are fixed, so parallel suites on one Redis would take each other's jobs.
 * @param port the port of an earlier Redis that this one replaces
 * @param persistent stores every acknowledged write in a file
 */
export async function startRedis(port?: number, { persistent = false } = {}): Promise<TestRedis> {
  const dir = await mkdtemp(join(tmpdir(), 'errand-redis-'));
  const settings = {
    port: port ?? (await freePort()),
    bind: '127.0.0.1',
    save: '',
    dir,
    'maxmemory-policy': 'noeviction',
    ...(persistent && { appendonly: 'yes', appendfsync: 'always' }),
  };
  const url = `redis://127.0.0.1:${settings.port}`;
  let child = await spawnRedis(settings, url);
  const kill = async () => {
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  };
  return {
    url,
    port: settings.port,
    get pid() {
      return child.pid!;
    },
    kill,
    restart: async () => {
      child = await spawnRedis(settings, url);
    },
    stop: async () => {
      if (child.exitCode === null && child.signalCode === null) await kill();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** Resolves when Redis responds. */
async function spawnRedis(settings: Record<string, string | number>, url: string): Promise<ChildProcess> {
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const child = spawn('redis-server', args, { stdio: 'ignore' });
  const exited = once(child, 'exit');
  const probe = new Redis(url, { maxRetriesPerRequest: null, retryStrategy: () => 20 });
  probe.on('error', () => {});
  await Promise.race([
    probe.ping(),
    exited.then(() => Promise.reject(new Error('redis-server did not start; is it installed?'))),
  ]);
  probe.disconnect();
  return child;
}
