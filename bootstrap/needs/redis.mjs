import { once } from 'node:events';
import { connect } from 'node:net';
import { aptInstall } from '../apt.mjs';
import { findProgram, runCommand } from '../run-command.mjs';
import { SetupError } from '../setup-error.mjs';

const RESPONSE_MS = 3_000;
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

/** The host and port of the Redis of ERRAND_REDIS_URL, without its password. */
async function reach(address) {
  const fix = 'start it, correct ERRAND_REDIS_URL, or unset it: `./errand up` then starts its own Redis';
  if (!URL.canParse(address))
    throw new SetupError('ERRAND_REDIS_URL must be an address such as redis://host:6379', fix);
  const { hostname, port } = new URL(address);
  const target = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 6379) };
  const socket = connect(target);
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(RESPONSE_MS) });
    return `${target.host}:${target.port}, from ERRAND_REDIS_URL`;
  } catch (error) {
    throw new SetupError(
      `ERRAND_REDIS_URL: nothing answers at ${target.host}:${target.port} (${error.code ?? error.message})`,
      fix,
    );
  } finally {
    socket.destroy();
  }
}

async function describe(server) {
  const version = await runCommand(server, ['--version'], { timeoutMs: 10_000 });
  return `${server} ${/v=(\S+)/.exec(version)?.[1] ?? ''}`.trim();
}
