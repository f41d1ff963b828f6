import { existsSync } from 'node:fs';
import { digestOf, isStamped, stamp } from '../digest.mjs';
import { runCommand } from '../run-command.mjs';
import { ROOT } from '../settings.mjs';
import { installByAddress } from './install-by-address.mjs';

const MODULES = `${ROOT}/node_modules`;
const STAMP = `${MODULES}/.errand-lock`;
const digest = () => digestOf(ROOT, ['package.json', 'package-lock.json']);

const npm = (args, cwd = ROOT) => runCommand('npm', [...args, '--no-audit', '--no-fund'], { cwd, timeoutMs: 600_000 });

/** The npm packages that package-lock.json names. */
export const npmPackages = {
  title: 'npm packages',
  fix: 'run `npm ci`',
  async check() {
    return isStamped(STAMP, digest()) || (await matchesLock()) ? 'as in package-lock.json' : undefined;
  },
  async make(report) {
    report('installing the packages of package-lock.json, about a minute');
    // If a registry has other addresses or lacks optional packages, `npm ci` fails. `npm install` asks for addresses, and takes what exists.
    await installByAddress(npm).catch(() => npm(['install', '--no-save']));
    stamp(STAMP, digest());
    return 'installed';
  },
};

/** Whether node_modules fits the lock file, also after an `npm ci` by hand. */
async function matchesLock() {
  if (!existsSync(`${MODULES}/.package-lock.json`)) return false;
  return runCommand('npm', ['ls', '--all', '--silent'], { cwd: ROOT, timeoutMs: 60_000 }).then(
    () => {
      stamp(STAMP, digest());
      return true;
    },
    () => false,
  );
}
