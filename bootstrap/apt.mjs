import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { runCommand } from './run-command.mjs';
import { mayInstall } from './settings.mjs';
import { SetupError } from './setup-error.mjs';

const POLICY = '/usr/sbin/policy-rc.d';
const FIVE_MINUTES = 300_000;
/** How long it waits for another program that installs packages, for example the updates of a machine that has just booted. */
const LOCK_SECONDS = 120;
/** The services of packages. They are not started, and disabled for the next boot, because Errand starts them itself. */
const SERVICES = { 'docker.io': 'docker', 'redis-server': 'redis-server' };

let lastInstallation = Promise.resolve();

/**
 * Installs Debian packages, after those of earlier calls.
 * @throws SetupError with the command to type, if this process is not allowed to install packages or the installation fails
 */
export function aptInstall(packages) {
  const installation = lastInstallation.then(() => installNow(packages));
  lastInstallation = installation.catch(() => {});
  return installation;
}

async function installNow(packages) {
  const fix = `run \`sudo apt-get install ${packages.join(' ')}\` yourself`;
  if (!mayInstall()) {
    const reason =
      process.getuid() === 0
        ? 'ERRAND_NO_INSTALL forbids the installation of packages'
        : 'only root can install packages';
    throw new SetupError(`${packages[0]} is missing, and ${reason}`, fix);
  }
  const release = holdServices();
  try {
    await install(packages, fix).catch(async () => {
      // Usually the package lists are missing or out of date.
      await apt(['update'], fix);
      await install(packages, fix);
    });
  } finally {
    release();
  }
  if (existsSync('/run/systemd/system')) {
    for (const name of packages.map((each) => SERVICES[each]).filter(Boolean))
      await runCommand('systemctl', ['disable', name], { timeoutMs: 30_000, fix });
  }
}

const install = (packages, fix) => apt(['install', '-y', '--no-install-recommends', ...packages], fix);

function apt(args, fix) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  return runCommand('apt-get', ['-q', '-o', `DPkg::Lock::Timeout=${LOCK_SECONDS}`, ...args], {
    timeoutMs: FIVE_MINUTES,
    env,
    fix,
  });
}

/** Debian runs this script to ask whether a package may start its service. While the script exists, no service starts. */
function holdServices() {
  if (existsSync(POLICY)) return () => {};
  writeFileSync(POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  return () => rmSync(POLICY);
}
