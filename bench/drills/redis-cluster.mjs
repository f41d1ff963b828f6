// A Redis Cluster of six nodes whose primaries are killed and paused: three primaries, each with a replica.
import { setTimeout } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { freePort, startRedis } from '../measure.mjs';

const PRIMARIES = 3;
const SLOTS = 16_384;
const LOOK_MS = 100;
/** After this time (ms) without an answer, the other primaries replace a node. */
const NODE_TIMEOUT_MS = 2_000;

/** The port of the bus is usually 10,000 above that of clients, which can be above 65,535. */
const busOf = (port) => (port > 40_000 ? port - 15_000 : port + 15_000);

async function until(look) {
  while (!(await look().catch(() => false))) await setTimeout(LOOK_MS);
}

async function startNode() {
  const port = await freePort();
  const settings = {
    port,
    'cluster-enabled': 'yes',
    'cluster-node-timeout': NODE_TIMEOUT_MS,
    'cluster-port': busOf(port),
  };
  const server = await startRedis('everysec', settings);
  const admin = new Redis({ port, host: '127.0.0.1', maxRetriesPerRequest: 0, commandTimeout: 1_000 });
  admin.on('error', () => {});
  return { port, server, admin, away: undefined };
}

async function join(nodes) {
  const [first] = nodes;
  const ids = await Promise.all(nodes.map(({ admin }) => admin.cluster('MYID')));
  const share = Math.ceil(SLOTS / PRIMARIES);
  for (const [n, { admin, port }] of nodes.entries()) {
    await first.admin.cluster('MEET', '127.0.0.1', port, busOf(port));
    await admin.cluster('SET-CONFIG-EPOCH', n + 1).catch(() => {});
    if (n < PRIMARIES) await admin.call('CLUSTER', 'ADDSLOTSRANGE', n * share, Math.min((n + 1) * share, SLOTS) - 1);
  }
  await until(async () => {
    const infos = await Promise.all(nodes.map(({ admin }) => admin.cluster('INFO')));
    return infos.every((info) => info.includes(`cluster_known_nodes:${nodes.length}`));
  });
  for (const [n, { admin }] of nodes.entries())
    if (n >= PRIMARIES) await admin.cluster('REPLICATE', ids[n - PRIMARIES]);
}

/** Whether each primary has a replica that follows it. */
async function isWhole(nodes) {
  const states = await Promise.all(
    nodes.map(async ({ admin }) => {
      const [cluster, replication, ranges] = await Promise.all([
        admin.cluster('INFO'),
        admin.info('replication'),
        admin.cluster('SLOTS'),
      ]);
      const isReady = /role:master/.test(replication)
        ? /connected_slaves:[1-9]/.test(replication)
        : /master_link_status:up/.test(replication);
      const knowsReplicas = ranges.every((range) => range.length > 3);
      return isReady && knowsReplicas && /cluster_state:ok/.test(cluster);
    }),
  );
  return states.every(Boolean);
}

/**
 * Starts a Cluster. `kill` kills a primary, or stops it (SIGSTOP) every second time, and resolves when its replica has taken its place.
 * `restart` lets it go on, and resolves when each primary has a replica again. `counts`: how many were killed and paused.
 */
export async function startCluster(random) {
  const nodes = [];
  for (let n = 0; n < 2 * PRIMARIES; n++) nodes.push(await startNode());
  await join(nodes);
  await until(() => isWhole(nodes));
  const counts = { killed: 0, paused: 0 };

  async function primaries() {
    const alive = nodes.find(({ away }) => !away);
    const ranges = await alive.admin.cluster('SLOTS');
    return ranges.map(([, , [, port]]) => port);
  }

  return {
    counts,
    url: `redis+cluster://${nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}`,
    async kill() {
      const ports = await primaries();
      const chosen = ports[Math.floor(random() * ports.length)];
      const node = nodes.find(({ port }) => port === chosen);
      node.away = counts.paused < counts.killed ? 'paused' : 'killed';
      counts[node.away]++;
      if (node.away === 'paused') node.server.signal('SIGSTOP');
      else await node.server.kill();
      await until(async () => !(await primaries()).includes(node.port));
    },
    async restart() {
      for (const node of nodes) {
        if (node.away === 'paused') node.server.signal('SIGCONT');
        if (node.away === 'killed') await node.server.restart();
        node.away = undefined;
      }
      await until(() => isWhole(nodes));
    },
    async stop() {
      for (const { admin } of nodes) admin.disconnect();
      await Promise.all(nodes.map(({ server }) => server.stop()));
    },
  };
}
