import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { runCommand } from './run-command.mjs';
import { mayInstall } from './settings.mjs';
import { SetupError } from './setup-error.mjs';

const POLICY = '/usr/sbin/policy-rc.d';
const FIVE_MINUTES = 300_000;

/**
 * Installs Debian packages. Their services are neither started nor left to start at boot: Errand starts what it needs itself.
 * @throws SetupError naming the command to type, where we may not or can't
 */
export async function aptInstall(packages, services = []) {
  const fix = `run \`sudo apt-get install ${packages.join(' ')}\` yourself`;
  if (!mayInstall()) {
    const reason =
      process.getuid() === 0 ? 'ERRAND_NO_INSTALL forbids to install packages' : 'only root can install packages';
    throw new SetupError(`${packages[0]} is missing, and ${reason}`, fix);
  }
  const release = holdServices();
  try {
    await install(packages, fix).catch(async () => {
      // Most often the package lists are missing or stale.
      await apt(['update'], fix);
      await install(packages, fix);
    });
  } finally {
    release();
  }
  if (existsSync('/run/systemd/system')) {
    for (const name of services) await runCommand('systemctl', ['disable', name], { timeoutMs: 30_000, fix });
  }
}

const install = (packages, fix) => apt(['install', '-y', '--no-install-recommends', ...packages], fix);

function apt(args, fix) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  return runCommand('apt-get', ['-q', ...args], { timeoutMs: FIVE_MINUTES, env, fix });
}

/** Debian asks this script whether a package may start its service: while it stands, none may. */
function holdServices() {
  if (existsSync(POLICY)) return () => {};
  writeFileSync(POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  return () => rmSync(POLICY);
}
