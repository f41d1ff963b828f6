import { readFileSync, rmSync } from 'node:fs';
import { runCommand } from '../run-command.mjs';
import { ROOT } from '../settings.mjs';

const FOLDER = `${ROOT}/runtimes/bun`;
const LIMIT_MS = 120_000;

/**
 * Puts the npm package of Bun beside the Dockerfile of its image, which takes it from there. The build can also fetch it by itself, but must
 * install Debian's npm for that, which takes most of a minute. So does the build if the package cannot be fetched here.
 * @returns what removes the package again
 */
export async function fetchBun() {
  const packed = isEngineHere() ? await pack().catch(() => undefined) : undefined;
  return () => {
    if (packed) rmSync(`${FOLDER}/${packed}`, { force: true });
  };
}

/** The package must fit the machine of the engine. */
const isEngineHere = () => process.platform === 'linux' && !process.env.DOCKER_HOST;

/** @returns the name of the file, the last line of the output */
async function pack() {
  const version = /^ARG BUN_VERSION=(\S+)/m.exec(readFileSync(`${FOLDER}/Dockerfile`, 'utf8'))?.[1];
  const args = ['pack', '--loglevel=error', `${fittingPackage()}@${version}`];
  const output = await runCommand('npm', args, { cwd: FOLDER, timeoutMs: LIMIT_MS });
  return output.trim().split('\n').at(-1);
}

/** As in the Dockerfile. */
function fittingPackage() {
  if (process.arch === 'arm64') return '@oven/bun-linux-aarch64';
  return readFileSync('/proc/cpuinfo', 'utf8').includes('avx2')
    ? '@oven/bun-linux-x64'
    : '@oven/bun-linux-x64-baseline';
}
