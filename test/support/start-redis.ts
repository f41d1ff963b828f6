import * as pool from './redis-pool.js';
import type { RedisCluster } from './start-cluster.js';

export { freePort } from './redis-pool.js';

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

/**
 * A real Redis for one test suite. Queue names are fixed, so parallel suites on one Redis would take each other's jobs.
 * @param port the port of an earlier Redis that this one replaces
 * @param persistent stores every acknowledged write in a file
 */
export async function startRedis(port?: number, { persistent = false } = {}): Promise<TestRedis> {
  let isUsual = port === undefined && !persistent;
  const settings: Record<string, string> = persistent ? { appendonly: 'yes', appendfsync: 'always' } : {};
  const server = await (isUsual ? pool.takeServer() : pool.startServer(port, settings));
  return {
    url: `redis://127.0.0.1:${server.port}`,
    port: server.port,
    get pid() {
      return server.child.pid!;
    },
    kill: () => {
      isUsual = false;
      return pool.killServer(server);
    },
    restart: () => pool.restartServer(server),
    stop: () => (isUsual ? pool.returnServer(server) : pool.endServer(server)),
  };
}
