import { existsSync } from 'node:fs';
import { digestOf, isStamped, stamp } from '../digest.mjs';
import { runCommand } from '../run-command.mjs';
import { ROOT } from '../settings.mjs';

const MODULES = `${ROOT}/node_modules`;
const STAMP = `${MODULES}/.errand-lock`;
const digest = () => digestOf(ROOT, ['package.json', 'package-lock.json']);

const npm = (...args) => runCommand('npm', [...args, '--no-audit', '--no-fund'], { cwd: ROOT, timeoutMs: 600_000 });

/** The npm packages that package-lock.json names. */
export const npmPackages = {
  title: 'npm packages',
  fix: 'run `npm ci`',
  async check() {
    return isStamped(STAMP, digest()) || (await matchesLock()) ? 'as package-lock.json says' : undefined;
  },
  async make(report) {
    report('installing what package-lock.json names, about a minute');
    // A registry that lacks other platforms' optional packages refuses the lock in whole; `install` takes what there is.
    await npm('ci').catch(() => npm('install', '--no-save'));
    stamp(STAMP, digest());
    return 'installed';
  },
};

/** node_modules from an `npm ci` of one's own is as good as from ours. */
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
