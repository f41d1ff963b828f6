/**
 * The end-to-end suites that `./errand test --cluster` leaves out, with the reason. All others run on a Redis Cluster of six nodes with
 * eight shards, which each suite starts for itself.
 */
export const LEFT_OUT = {
  'apps/errand/test/demo.e2e-spec.ts': 'the commands start a Redis of their own',
  'apps/errand/test/up.e2e-spec.ts': 'the commands start a Redis of their own',
  'test/consumer-steps.e2e-spec.ts': 'a proxy in front of its only server holds single commands',
  'test/cost.e2e-spec.ts': 'the benchmark starts a Redis of its own, and its counts are for one shard',
  'test/drills.e2e-spec.ts': 'the chaos tests start a Redis of their own; bench/drills/grow-shards.mjs has shards',
  'test/engine-kill.e2e-spec.ts': 'the chaos test starts a Redis of its own',
  'test/redis-replicas.e2e-spec.ts':
    'it starts a replica for its only server; test/cluster-changes.e2e-spec.ts has replicas',
  'test/redis-tls.e2e-spec.ts': 'it starts a Cluster with TLS itself, in every run',
  'test/shutdown.e2e-spec.ts':
    'it kills and restarts its only server; test/cluster-changes.e2e-spec.ts kills a primary',
};

/** The servers and shards of the suites. */
export const CLUSTER_ENV = { TEST_REDIS: 'cluster', TEST_SHARDS: '8' };

/** Options of jest: the end-to-end suites without those that are left out. */
export function clusterSuites() {
  const ignored = ['/node_modules/', ...Object.keys(LEFT_OUT).map((path) => `/${path}$`)];
  return ['--testRegex', String.raw`\.e2e-spec\.ts$`, ...ignored.map((path) => `--testPathIgnorePatterns=${path}`)];
}
