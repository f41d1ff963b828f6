import { aptInstall } from '../apt.mjs';
import { startDaemon } from '../docker-daemon.mjs';
import { engineVersion, findDaemon } from '../docker-engine.mjs';
import { dockerIsForbidden } from '../settings.mjs';
import { SetupError } from '../setup-error.mjs';

const PACKAGES = ['docker.io', 'iptables'];

/** A Docker engine, for the sandboxes of scripts. */
export const docker = {
  title: 'Docker engine',
  packages: () => (dockerIsForbidden() || process.env.DOCKER_HOST || findDaemon() ? [] : PACKAGES),
  fix: 'run `sudo apt-get install docker.io` and `sudo systemctl start docker`',
  async check() {
    if (dockerIsForbidden())
      throw new SetupError('ERRAND_NO_DOCKER forbids the use of Docker', 'unset ERRAND_NO_DOCKER');
    const version = await engineVersion();
    return version && describe(version);
  },
  async make(report) {
    if (!findDaemon()) {
      report('installing docker.io with apt-get');
      await aptInstall(PACKAGES);
    }
    report('starting dockerd');
    return describe(await startDaemon());
  },
};

const describe = ({ Version, ApiVersion }) => `${Version}, API ${ApiVersion}`;
