import type { StackOptions } from './start-stack.js';
import type { RedisProcess } from './redis-processes.js';
import { startCluster } from './start-cluster.js';
import { startRedis, type TestRedis } from './start-redis.js';
import { startSentinels } from './start-sentinels.js';

/** One server, a primary with two replicas and three Sentinels, or a Cluster of six nodes. */
export type RedisKind = 'plain' | 'sentinels' | 'cluster';

/** `TEST_REDIS=cluster npx jest test/submit` runs a suite on a Cluster. Suites that restart their only server need `plain`. */
export const KIND_OF_TESTS = (process.env['TEST_REDIS'] ?? 'plain') as RedisKind;

/** `TEST_SHARDS=8 npx jest test/submit` runs a suite with so many shards. */
export const SHARDS_OF_TESTS = process.env['TEST_SHARDS'];

/**
 * Options of a stack with one server and one shard, whatever servers and shards the run has.
 * @param reason why its tests mean nothing with several; a run with several prints it
 */
export function onOneServer(reason: string): Pick<StackOptions, 'redis' | 'env'> {
  if (KIND_OF_TESTS !== 'plain' || SHARDS_OF_TESTS !== undefined)
    process.stderr.write(`On one server with one shard: ${reason}\n`);
  return { redis: 'plain', env: { ERRAND_SHARDS: '1' } };
}

/** Starts the servers. `kill` kills the present primary, `restart` starts all killed servers again. */
export async function startRedisOf(kind: RedisKind, { persistent = false } = {}): Promise<TestRedis> {
  if (kind === 'plain') return startRedis(undefined, { persistent });
  if (kind === 'sentinels') {
    const set = await startSentinels({ replicas: 2 });
    return asOneRedis(set.url, set.servers, set.primary, set.stop);
  }
  const cluster = await startCluster();
  return { ...(await asOneRedis(cluster.url, cluster.nodes, cluster.owner, cluster.stop)), cluster };
}

async function asOneRedis(
  url: string,
  servers: readonly RedisProcess[],
  primary: () => Promise<RedisProcess>,
  stop: () => Promise<void>,
): Promise<TestRedis> {
  const first = await primary();
  return {
    url,
    port: first.port,
    pid: first.pid,
    kill: async () => (await primary()).kill(),
    restart: async () => {
      for (const server of servers) if (!server.isAlive) await server.restart();
    },
    stop,
  };
}
