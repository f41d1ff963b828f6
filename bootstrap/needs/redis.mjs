import { aptInstall } from '../apt.mjs';
import { NotRedis, RedisRefusal, talkToRedis } from '../ask-redis-server.mjs';
import { readRedisAddress } from '../redis-address.mjs';
import { findProgram, runCommand } from '../run-command.mjs';
import { SetupError } from '../setup-error.mjs';

const findServer = () => findProgram('redis-server', 'valkey-server');

/** The Redis of ERRAND_REDIS_URL, else the program redis-server, which `./errand up` starts as a private Redis. */
export const redis = {
  title: 'Redis',
  packages: () => (process.env.ERRAND_REDIS_URL || findServer() ? [] : ['redis-server']),
  fix: 'run `sudo apt-get install redis-server`, or name a running Redis in ERRAND_REDIS_URL',
  async check() {
    if (process.env.ERRAND_REDIS_URL) return reach(process.env.ERRAND_REDIS_URL);
    const server = findServer();
    return server && describe(server);
  },
  async make(report) {
    report('installing redis-server with apt-get');
    await aptInstall(['redis-server']);
    return describe(findServer());
  },
};

/** What the Redis of ERRAND_REDIS_URL is, without its password. */
async function reach(text) {
  const fix = 'start it, correct ERRAND_REDIS_URL, or unset it: `./errand up` then starts its own Redis';
  let address;
  try {
    address = readRedisAddress(text);
  } catch (error) {
    throw new SetupError(`ERRAND_REDIS_URL ${error.message}`, fix);
  }
  const { primary, kind } = await firstAnswer(address, fix);
  const host = `${primary.host}:${primary.port}`;
  let info;
  try {
    info = await talkToRedis(primary, readInfo);
  } catch (error) {
    throw new SetupError(`ERRAND_REDIS_URL: ${complaintOf(error, host)}`, fix);
  }
  const { redis_version: version, role, master_host: upstream, master_port: port } = info;
  if (version !== undefined && isOlder(version))
    throw new SetupError(`the Redis at ${host} has version ${version}; Errand needs 6.2`, fix);
  if (role === 'slave')
    throw new SetupError(
      `the Redis at ${host} is a replica and takes no writes`,
      `name its primary, ${upstream}:${port}, or its Sentinels: redis+sentinel://host:26379/<master>`,
    );
  const found = { plain: '', cluster: ', primary of the Redis Cluster', sentinel: ', primary by the Sentinels' }[kind];
  return `${host}${version === undefined ? '' : `, Redis ${version}`}, from ERRAND_REDIS_URL${found}${stateOf(info)}`;
}

/** The primary that the first answering server of the address names. */
async function firstAnswer({ kind, servers, master, sentinel }, fix) {
  const complaints = [];
  for (const server of servers) {
    const asked = kind === 'sentinel' ? { ...server, ...sentinel } : server;
    try {
      const primary = await talkToRedis(asked, (ask) => findPrimary(ask, kind, master, server));
      return { primary: { ...server, ...primary }, kind: primary.isCluster ? 'cluster' : kind };
    } catch (error) {
      complaints.push(complaintOf(error, `${server.host}:${server.port}`));
    }
  }
  throw new SetupError(`ERRAND_REDIS_URL: ${complaints.join('; ')}`, fix);
}

async function findPrimary(ask, kind, master, asked) {
  if (kind === 'sentinel') return readMaster(await ask('INFO', 'sentinel'), master);
  const isCluster = kind === 'cluster' || (await readInfo(ask)).cluster_enabled === '1';
  if (!isCluster) return {};
  const slot = Number(await ask('CLUSTER', 'KEYSLOT', '{errand}'));
  return { ...readOwner(await ask('CLUSTER', 'NODES'), slot, asked), isCluster };
}

/** `master0:name=mymaster,status=ok,address=10.0.0.1:6379,slaves=2,sentinels=3` */
function readMaster(info, master) {
  const lines = [...info.matchAll(/^master\d+:name=([^,]+),.*?address=(.+):(\d+),/gm)];
  const found = lines.find(([, name]) => name === master);
  if (found) return { host: found[2], port: Number(found[3]) };
  throw new RedisRefusal(`its Sentinels watch ${lines.map(([, name]) => name).join(', ') || 'nothing'}, not ${master}`);
}

/** `<id> 10.0.0.1:6379@16379,host myself,master - 0 0 1 connected 0-5460 5462`; a node may not know its own address. */
function readOwner(nodes, slot, asked) {
  for (const line of nodes.split('\n')) {
    const [, address = '', flags = '', , , , , , ...ranges] = line.split(' ');
    if (!ranges.some((range) => isIn(slot, range))) continue;
    const [, host, port] = /^(.*):(\d+)@/.exec(address) ?? [];
    return flags.includes('myself') || !host ? asked : { host, port: Number(port) };
  }
  throw new RedisRefusal(`no node of the Cluster has the slot ${slot}`);
}

function isIn(slot, range) {
  const [from, to = from] = range.split('-').map(Number);
  return from <= slot && slot <= to;
}

/** The fields of INFO; empty if this user may not read it. */
async function readInfo(ask) {
  const text = await ask('INFO').catch((error) => {
    if (error instanceof RedisRefusal) return '';
    throw error;
  });
  return Object.fromEntries([...text.matchAll(/^(\w+):(.*?)\r?$/gm)].map(([, name, value]) => [name, value]));
}

/** The replicas, and the policy for a full memory. */
function stateOf({ connected_slaves: replicas, maxmemory_policy: policy }) {
  if (replicas === undefined) return '';
  const danger = policy === 'noeviction' ? '' : ' (it deletes accepted work: set noeviction)';
  return `; ${replicas} ${replicas === '1' ? 'replica' : 'replicas'}; maxmemory-policy ${policy}${danger}`;
}

function complaintOf(error, host) {
  if (error instanceof NotRedis) return `another program than Redis answers at ${host}`;
  if (error instanceof RedisRefusal && /^(NOAUTH|WRONGPASS|NOPERM)/.test(error.message))
    return `the Redis at ${host} refuses the user or the password`;
  if (error instanceof RedisRefusal) return `the Redis at ${host} cannot be used: ${error.message.slice(0, 200)}`;
  if (['EACCES', 'EPERM'].includes(error.code)) return `cannot look: no permission to connect to ${host}`;
  return `nothing answers at ${host} (${error.code ?? error.message})`;
}

function isOlder(version) {
  const [major, minor] = version.split('.').map(Number);
  return major < 6 || (major === 6 && minor < 2);
}

async function describe(server) {
  const version = await runCommand(server, ['--version'], { timeoutMs: 10_000 });
  return `${server} ${/v=(\S+)/.exec(version)?.[1] ?? ''}`.trim();
}
