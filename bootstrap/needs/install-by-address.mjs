import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { ROOT } from '../settings.mjs';

/** A folder of the same disk as node_modules, and git ignores it. */
const WORK = `${ROOT}/.errand`;

/**
 * Runs `npm ci` beside the sources, with a lock file that has the address of each package. The lock file of Errand has none, because each
 * machine may have another registry. Without addresses, npm reads the description of all versions of each package, for half of its CPU time.
 * @param npm runs npm with arguments in a folder; returns its output
 */
export async function installByAddress(npm) {
  const registry = /^https?:\S+$/m.exec(await npm(['config', 'get', 'registry']))[0].replace(/\/*$/, '');
  mkdirSync(WORK, { recursive: true });
  const folder = mkdtempSync(`${WORK}/npm-`);
  try {
    for (const name of ['package.json', '.npmrc'].filter((each) => existsSync(`${ROOT}/${each}`)))
      copyFileSync(`${ROOT}/${name}`, `${folder}/${name}`);
    const lock = addAddresses(JSON.parse(readFileSync(`${ROOT}/package-lock.json`, 'utf8')), registry);
    writeFileSync(`${folder}/package-lock.json`, JSON.stringify(lock));
    await npm(['ci'], folder);
    rmSync(`${ROOT}/node_modules`, { recursive: true, force: true });
    renameSync(`${folder}/node_modules`, `${ROOT}/node_modules`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Gives each package of a lock file the address that registries use. npm still compares the contents with the digest of the lock file. */
export function addAddresses(lock, registry) {
  for (const [path, entry] of Object.entries(lock.packages)) {
    if (!path || entry.link || entry.inBundle || entry.resolved) continue;
    // A package that is installed under another name has its own name in `name`.
    const name = entry.name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    entry.resolved = `${registry}/${name}/-/${name.slice(name.indexOf('/') + 1)}-${entry.version}.tgz`;
  }
  return lock;
}
