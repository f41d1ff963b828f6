import { aptInstall } from '../apt.mjs';
import { askRedisVersion, NotRedis, RedisRefusal } from '../ask-redis-server.mjs';
import { findProgram, runCommand } from '../run-command.mjs';
import { SetupError } from '../setup-error.mjs';

const findServer = () => findProgram('redis-server', 'valkey-server');

/** The Redis of ERRAND_REDIS_URL, else the program redis-server, which `./errand up` starts as a private Redis. */
export const redis = {
  title: 'Redis',
  fix: 'run `sudo apt-get install redis-server`, or name a running Redis in ERRAND_REDIS_URL',
  async check() {
    if (process.env.ERRAND_REDIS_URL) return reach(process.env.ERRAND_REDIS_URL);
    const server = findServer();
    return server && describe(server);
  },
  async make(report) {
    report('installing redis-server with apt-get');
    await aptInstall(['redis-server'], ['redis-server']);
    return describe(findServer());
  },
};

/** The version, host and port of the Redis of ERRAND_REDIS_URL, without its password. */
async function reach(address) {
  const fix = 'start it, correct ERRAND_REDIS_URL, or unset it: `./errand up` then starts its own Redis';
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !['redis:', 'rediss:'].includes(url.protocol))
    throw new SetupError('ERRAND_REDIS_URL must be an address such as redis://host:6379', fix);
  const host = `${url.hostname}:${url.port || '6379'}`;
  let version;
  try {
    version = await askRedisVersion(url);
  } catch (error) {
    throw new SetupError(`ERRAND_REDIS_URL: ${complaintOf(error, host)}`, fix);
  }
  if (version !== undefined && isOlder(version))
    throw new SetupError(`the Redis at ${host} has version ${version}; Errand needs 6.2`, fix);
  return `${host}${version === undefined ? '' : `, Redis ${version}`}, from ERRAND_REDIS_URL`;
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
