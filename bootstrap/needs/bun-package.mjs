import { readFileSync, rmSync } from 'node:fs';
import { runCommand } from '../run-command.mjs';
import { ROOT } from '../settings.mjs';

const FOLDER = `${ROOT}/runtimes/bun`;
const LIMIT_MS = 120_000;

/**
 * Puts the npm package of Bun beside the Dockerfile of its image, which takes it from there. If the file is missing, the build fetches the
 * package itself. It must install Debian's npm for that, which takes most of a minute.
 * @returns what removes the package again
 */
export async function fetchBun() {
  // The package must fit the machine of the engine.
  if (process.platform !== 'linux' || process.env.DOCKER_HOST) return () => {};
  const version = /^ARG BUN_VERSION=(\S+)/m.exec(readFileSync(`${FOLDER}/Dockerfile`, 'utf8'))?.[1];
  const name = fittingPackage();
  // The name that `npm pack` gives to its file.
  const remove = () => rmSync(`${FOLDER}/${name.slice(1).replace('/', '-')}-${version}.tgz`, { force: true });
  const args = ['pack', '--loglevel=error', `${name}@${version}`];
  // The rest of a failed download would fail the build.
  await runCommand('npm', args, { cwd: FOLDER, timeoutMs: LIMIT_MS }).catch(remove);
  return remove;
}

/** As in the Dockerfile. */
function fittingPackage() {
  if (process.arch === 'arm64') return '@oven/bun-linux-aarch64';
  return readFileSync('/proc/cpuinfo', 'utf8').includes('avx2')
    ? '@oven/bun-linux-x64'
    : '@oven/bun-linux-x64-baseline';
}
