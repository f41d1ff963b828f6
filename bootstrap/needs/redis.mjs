import { once } from 'node:events';
import { connect } from 'node:net';
import { aptInstall } from '../apt.mjs';
import { findProgram, runCommand } from '../run-command.mjs';
import { SetupError } from '../setup-error.mjs';

const ANSWER_MS = 3_000;
const findServer = () => findProgram('redis-server', 'valkey-server');

/** A Redis: one that ERRAND_REDIS_URL names, else the program, from which every command starts a private one. */
export const redis = {
  title: 'Redis',
  fix: 'run `sudo apt-get install redis-server`, or name a running one in ERRAND_REDIS_URL',
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

/** Where a Redis listens that somebody named; never the address whole, for it may hold a password. */
async function reach(address) {
  const fix = 'start it, correct ERRAND_REDIS_URL, or unset it: `./errand up` brings a Redis of its own';
  if (!URL.canParse(address)) throw new SetupError('ERRAND_REDIS_URL is no address such as redis://host:6379', fix);
  const { hostname, port } = new URL(address);
  const place = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 6379) };
  const socket = connect(place);
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(ANSWER_MS) });
    return `${place.host}:${place.port}, as ERRAND_REDIS_URL says`;
  } catch (error) {
    throw new SetupError(
      `ERRAND_REDIS_URL: nothing answers at ${place.host}:${place.port} (${error.code ?? error.message})`,
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
