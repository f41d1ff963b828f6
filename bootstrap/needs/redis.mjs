import { aptInstall } from '../apt.mjs';
import { findProgram, runCommand } from '../run-command.mjs';

const findServer = () => findProgram('redis-server', 'valkey-server');

/** A Redis: one that ERRAND_REDIS_URL names, else the program, from which every command starts a private one. */
export const redis = {
  title: 'Redis',
  mend: 'run `sudo apt-get install redis-server`, or name a running one in ERRAND_REDIS_URL',
  async check() {
    if (process.env.ERRAND_REDIS_URL) return 'as ERRAND_REDIS_URL says';
    const server = findServer();
    return server && describe(server);
  },
  async make(tell) {
    tell('installing redis-server with apt-get');
    await aptInstall(['redis-server'], ['redis-server']);
    return describe(findServer());
  },
};

async function describe(server) {
  const version = await runCommand(server, ['--version'], { timeoutMs: 10_000 });
  return `${server} ${/v=(\S+)/.exec(version)?.[1] ?? ''}`.trim();
}
