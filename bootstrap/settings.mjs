import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SetupError } from './setup-error.mjs';

/** The top folder of Errand. */
export const ROOT = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');

/** The folder for all files that Errand writes: Redis, logs, process ids. */
export const DATA_DIR = resolve(process.env.ERRAND_DATA_DIR || `${ROOT}/.errand`);

/** Whether a boolean setting is on. Other values are refused, because a wrong guess could allow something forbidden. */
function isOn(name) {
  const text = process.env[name] ?? '';
  if (['1', 'true'].includes(text)) return true;
  if (['', '0', 'false'].includes(text)) return false;
  throw new SetupError(`${name} must be true or false, not '${text}'`, 'set it to true or false, or unset it');
}

/** Whether this process may install Debian packages: it runs as root, and ERRAND_NO_INSTALL is off. */
export function mayInstall() {
  return !isOn('ERRAND_NO_INSTALL') && process.getuid() === 0;
}

/** Whether ERRAND_NO_DOCKER is on. Errand then acts as if there were no Docker engine. */
export function dockerIsForbidden() {
  return isOn('ERRAND_NO_DOCKER');
}
