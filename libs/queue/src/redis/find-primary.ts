import { didYouMean, showRedisNode, type RedisAddress, type RedisNode } from '@errand/contracts';
import { Redis, type RedisOptions } from 'ioredis';

/** A node that takes longer is skipped. */
const ANSWER_MS = 1_000;

/** No primary can be found now. The message says why; `reason` says it without addresses. */
export class NoPrimaryError extends Error {
  /** @param isMisaddressed the address can never work, whatever happens to the servers */
  constructor(
    readonly reason: string,
    detail: string,
    readonly isMisaddressed = false,
  ) {
    super(`${reason}: ${detail}`);
  }
}

/** The primary, and all servers that can be asked for it next time, the one that answered first. */
export interface FoundPrimary {
  primary: RedisNode;
  known: RedisNode[];
}

/**
 * Asks the Sentinels, or the nodes of a Cluster, for the primary that has the keys of this keyspace. They have one hash tag, so one primary has them.
 * The nodes are asked in order until one knows it.
 * @throws NoPrimaryError with the answer of each node
 */
export async function findPrimary(
  address: RedisAddress,
  nodes: readonly RedisNode[],
  keyspace: string,
): Promise<FoundPrimary> {
  const problems: string[] = [];
  let isMisaddressed = false;
  let reason = address.kind === 'sentinel' ? 'no Sentinel answers' : 'no node of the Redis Cluster answers';
  for (const node of nodes) {
    try {
      const found = await withConnection(address, node, (redis) =>
        address.kind === 'sentinel' ? askSentinel(redis, address) : askCluster(redis, node, keyspace),
      );
      return { primary: found.primary, known: distinct([node, ...found.known, ...nodes]) };
    } catch (error) {
      if (error instanceof NoPrimaryError) ({ reason, isMisaddressed } = error);
      problems.push(`${showRedisNode(node)}: ${(error as Error).message}`);
    }
  }
  throw new NoPrimaryError(reason, problems.join('; '), isMisaddressed);
}

/** Runs `ask` on a short connection of its own. @throws Error of the connection, or after ANSWER_MS */
async function withConnection<T>(
  address: RedisAddress,
  node: RedisNode,
  ask: (redis: Redis) => Promise<T>,
): Promise<T> {
  const redis = new Redis({
    ...node,
    ...loginOf(address),
    ...(address.tls && { tls: {} }),
    lazyConnect: true,
    enableReadyCheck: false,
    disableClientInfo: true,
    protocol: 2,
    connectTimeout: ANSWER_MS,
    commandTimeout: ANSWER_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  let cause: Error | undefined;
  redis.on('error', (error: Error) => (cause = error));
  try {
    await redis.connect();
    return await ask(redis);
  } catch (error) {
    throw error instanceof NoPrimaryError ? error : (cause ?? error);
  } finally {
    redis.disconnect();
  }
}

/** The user and password of the asked servers. Sentinels have their own. */
function loginOf(address: RedisAddress): Pick<RedisOptions, 'username' | 'password'> {
  const isSentinel = address.kind === 'sentinel';
  const username = isSentinel ? address.sentinelUsername : address.username;
  const password = isSentinel ? address.sentinelPassword : address.password;
  return { ...(username !== undefined && { username }), ...(password !== undefined && { password }) };
}

async function askSentinel(redis: Redis, { master = '' }: RedisAddress): Promise<FoundPrimary> {
  const found = await redis.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', master).catch(refuseServer);
  if (!Array.isArray(found)) throw await unknownMaster(redis, master);
  const others = await redis.call('SENTINEL', 'SENTINELS', master);
  const known = (others as unknown[][]).map((fields) => {
    const value = (name: string) => String(fields[fields.indexOf(name) + 1]);
    return { host: value('ip'), port: Number(value('port')) };
  });
  return { primary: { host: String(found[0]), port: Number(found[1]) }, known };
}

/** A Redis server knows no SENTINEL command. */
function refuseServer(error: Error): never {
  if (!/unknown (sub)?command/i.test(error.message)) throw error;
  throw new NoPrimaryError(
    'the address names a Redis, not its Sentinels',
    'write redis://…, or the port of a Sentinel',
    true,
  );
}

async function unknownMaster(redis: Redis, master: string): Promise<NoPrimaryError> {
  const masters = ((await redis.call('SENTINEL', 'MASTERS')) as string[][]).map(
    (fields) => fields[fields.indexOf('name') + 1],
  );
  const names = masters.filter((name) => name !== undefined);
  const near = didYouMean(master, names);
  return new NoPrimaryError(
    'the Sentinels do not know this master',
    `they watch ${names.join(', ') || 'none'}${near === undefined ? '' : `, did you mean ${near}?`}`,
    true,
  );
}

/** A node without a majority must not be believed: the others may have another primary already. */
async function askCluster(redis: Redis, asked: RedisNode, keyspace: string): Promise<FoundPrimary> {
  const [slot, state, ranges] = await Promise.all([
    redis.cluster('KEYSLOT', keyspace),
    redis.cluster('INFO'),
    redis.cluster('SLOTS'),
  ]).catch(refuseLoneServer);
  const nodes = (ranges as ClusterRange[]).map(([from, to, ...servers]) => ({
    hasSlot: from <= slot && slot <= to,
    servers: servers.map((server) => readServer(server, asked)),
  }));
  if (!/^cluster_state:ok/m.test(state))
    throw new NoPrimaryError('the Redis Cluster is down', 'it has no majority, or a slot has no primary (CLUSTERDOWN)');
  const primary = nodes.find(({ hasSlot }) => hasSlot)?.servers[0];
  if (!primary) throw new NoPrimaryError('the Redis Cluster is down', `no node has the slot ${slot}`);
  return { primary, known: nodes.flatMap(({ servers }) => servers) };
}

/** First slot, last slot, then the primary and its replicas: host, port, … */
type ClusterRange = [number, number, ...[string | null, number, ...unknown[]][]];

/** A node that does not know its own name leaves it out. */
function readServer([host, port]: readonly [string | null, number, ...unknown[]], asked: RedisNode): RedisNode {
  return { host: host === null || host === '' || host === '?' ? asked.host : host, port };
}

function refuseLoneServer(error: Error): never {
  if (!/cluster support disabled|unknown (sub)?command/i.test(error.message)) throw error;
  throw new NoPrimaryError('the address names a Redis that is in no Cluster', 'write it as redis://host:port', true);
}

function distinct(nodes: readonly RedisNode[]): RedisNode[] {
  return [...new Map(nodes.map((node) => [showRedisNode(node), node])).values()];
}
