import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';

const CACHE = join(__dirname, '../../node_modules/.cache');
const INSTALL_MS = 600_000;

/** The folder with the installed packages, or the reason why they could not be installed. */
export type Installation = { folder: string } | { reason: string };

/**
 * Installs the packages of a folder that has a lock file of its own. The folder in the cache is named by the digest of the lock file, so
 * that they are installed once.
 */
export function installPackages(source: string): Installation {
  const lock = readFileSync(join(source, 'package-lock.json'));
  const digest = createHash('sha256').update(lock).digest('hex').slice(0, 16);
  const folder = join(CACHE, basename(source), digest);
  if (existsSync(folder)) return { folder };
  const unfinished = `${folder}.${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  for (const name of ['package.json', 'package-lock.json']) cpSync(join(source, name), join(unfinished, name));
  try {
    const options = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--fetch-retry-maxtimeout=10000'];
    execFileSync('npm', options, { cwd: unfinished, stdio: 'pipe', timeout: INSTALL_MS });
    renameSync(unfinished, folder);
    return { folder };
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    return { reason: `npm ci failed in test/${basename(source)}: ${String(error).slice(0, 2_000)}` };
  }
}
