import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';

export interface TestRedis {
  url: string;
  port: number;
  pid: number;
  stop(): Promise<void>;
}

/** A port that nobody has at this moment. */
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
 * A real Redis for one suite alone: queue names are fixed, so suites that ran side by side on one would take each other's jobs.
 * `port`: where an earlier one was, to come back in its place.
 */
export async function startRedis(port?: number): Promise<TestRedis> {
  return startRedisAt(port ?? (await freePort()));
}

async function startRedisAt(port: number): Promise<TestRedis> {
  const dir = await mkdtemp(join(tmpdir(), 'errand-redis-'));
  const child = spawn(
    'redis-server',
    ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', dir, '--maxmemory-policy', 'noeviction'],
    { stdio: 'ignore' },
  );
  const exited = once(child, 'exit');
  const url = `redis://127.0.0.1:${port}`;
  const probe = new Redis(url, { maxRetriesPerRequest: null, retryStrategy: () => 20 });
  probe.on('error', () => {});
  await Promise.race([
    probe.ping(),
    exited.then(() => Promise.reject(new Error('redis-server did not start; is it installed?'))),
  ]);
  probe.disconnect();
  return {
    url,
    port,
    pid: child.pid!,
    stop: async () => {
      child.kill('SIGKILL');
      await exited;
      await rm(dir, { recursive: true, force: true });
    },
  };
}
