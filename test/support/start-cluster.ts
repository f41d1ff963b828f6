import type { RedisOptions } from 'ioredis';
import { eventually } from './eventually.js';
import { moveSlot } from './move-slot.js';
import { RedisProcesses, serverArguments, type RedisProcess } from './redis-processes.js';

/** After this time (ms) without an answer, the other primaries replace a node. */
export const NODE_TIMEOUT_MS = 2_000;
const PRIMARIES = 3;
const SLOTS = 16_384;

/** A Redis Cluster: three primaries, each with a replica. */
export interface RedisCluster {
  /** `redis+cluster://…` of all nodes. */
  url: string;
  nodes: RedisProcess[];
  /** The primary that has Errand's keys now. */
  owner: () => Promise<RedisProcess>;
  /** The replica of that primary. */
  replica: () => Promise<RedisProcess>;
  /** A primary that does not have Errand's keys. */
  stranger: () => Promise<RedisProcess>;
  /** All primaries now. */
  primaries: () => Promise<RedisProcess[]>;
  /** The primary that has the keys with this hash tag now, and its replicas. */
  serversOf: (tag: string) => Promise<RedisProcess[]>;
  /**
   * Moves the slot of this hash tag to another primary, as `redis-cli --cluster reshard` does.
   * @param between called while the slot is moving, after each of `pieces` parts of its keys
   */
  moveSlot: (tag: string, between: () => Promise<void>, pieces?: number) => Promise<void>;
  stop: () => Promise<void>;
}

/**
 * Starts a real Cluster with these settings of its servers. With `tls-cert-file`, they speak TLS only. `client` is for the connections
 * of the test. It resolves when every node knows every other one and all replicas follow.
 */
export async function startCluster(
  settings: Record<string, string | number> = {},
  client: RedisOptions = {},
): Promise<RedisCluster> {
  const processes = new RedisProcesses();
  const more = { 'cluster-enabled': 'yes', 'cluster-node-timeout': NODE_TIMEOUT_MS, ...settings };
  const password = settings['requirepass'];
  const login = { ...client, ...(password !== undefined && { password: String(password) }) };
  const nodes: RedisProcess[] = [];
  for (let n = 0; n < 2 * PRIMARIES; n++)
    nodes.push(await processes.start((port, folder) => serverArguments(port, folder, ofNode(port, more)), login));
  await join(nodes);
  const servers = async (tag = '{errand}') => {
    const [alive] = nodes.filter(({ isAlive }) => isAlive);
    const slot = await alive!.admin.cluster('KEYSLOT', tag);
    const ranges = await alive!.admin.cluster('SLOTS');
    const isOwners = ([from, to]: (typeof ranges)[number]) => from <= slot && slot <= to;
    const processOf = ([, port]: readonly [string, number, ...unknown[]]) => nodes.find((node) => node.port === port)!;
    const [, , ...own] = ranges.find(isOwners)!;
    const others = ranges.filter((range) => !isOwners(range)).map(([, , primary]) => processOf(primary!));
    return { slot, own: own.map(processOf), others };
  };
  return {
    url: `redis+cluster://${nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}`,
    nodes,
    owner: async () => (await servers()).own[0]!,
    replica: async () => (await servers()).own[1]!,
    stranger: async () => (await servers()).others[0]!,
    primaries: async () => {
      const { own, others } = await servers();
      return [own[0]!, ...others];
    },
    serversOf: async (tag) => (await servers(tag)).own,
    moveSlot: async (tag, between, pieces = 4) => {
      const { slot, own, others } = await servers(tag);
      const [to, ...rest] = others;
      await moveSlot({ slot, from: own[0]!, to: to!, others: rest }, between, pieces);
    },
    stop: () => processes.stop(),
  };
}

/** The usual port of the bus, 10,000 above that of clients, can be above 65,535. */
function busOf(port: number): number {
  return port > 40_000 ? port - 15_000 : port + 15_000;
}

function ofNode(port: number, settings: Record<string, string | number>): Record<string, string | number> {
  const ports: Record<string, number> = 'tls-cert-file' in settings ? { port: 0, 'tls-port': port } : {};
  return { ...settings, ...ports, 'cluster-port': busOf(port) };
}

async function join(nodes: readonly RedisProcess[]): Promise<void> {
  const ids = await Promise.all(nodes.map(({ admin }) => admin.cluster('MYID')));
  const share = Math.ceil(SLOTS / PRIMARIES);
  for (const [n, { admin, port }] of nodes.entries()) {
    await nodes[0]!.admin.cluster('MEET', '127.0.0.1', port, busOf(port));
    // A replication ID of its own prevents equal epochs of the primaries.
    await admin.cluster('SET-CONFIG-EPOCH', n + 1).catch(() => {});
    if (n < PRIMARIES) await admin.call('CLUSTER', 'ADDSLOTSRANGE', n * share, Math.min((n + 1) * share, SLOTS) - 1);
  }
  const knows = async ({ admin }: RedisProcess) => /cluster_known_nodes:6\b/.test(await admin.cluster('INFO'));
  await eventually(async () => (await Promise.all(nodes.map(knows))).every(Boolean), 'all nodes know each other');
  for (const [n, { admin }] of nodes.entries())
    if (n >= PRIMARIES) await admin.cluster('REPLICATE', ids[n - PRIMARIES]!);
  await eventually(() => isWhole(nodes), 'the Cluster is up and its replicas follow');
}

async function isWhole(nodes: readonly RedisProcess[]): Promise<boolean> {
  const states = nodes.map(async ({ admin }, n) => {
    const [state, replication, ranges] = await Promise.all([
      admin.cluster('INFO'),
      admin.info('replication'),
      admin.cluster('SLOTS') as Promise<unknown[][]>,
    ]);
    const isUp = /cluster_state:ok/.test(state);
    const follows = n < PRIMARIES || /master_link_status:up/.test(replication);
    return isUp && follows && ranges.length === PRIMARIES && ranges.every((range) => range.length === 4);
  });
  return (await Promise.all(states)).every(Boolean);
}
