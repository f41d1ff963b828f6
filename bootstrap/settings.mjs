import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SetupError } from './setup-error.mjs';

/** The top folder of Errand. */
export const ROOT = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');

/** Where Errand keeps what it writes: Redis, logs, process ids. */
export const DATA_DIR = resolve(process.env.ERRAND_DATA_DIR || `${ROOT}/.errand`);

/** Whether a switch is on. Only plain answers are taken: a guess could open what should stay closed. */
function isOn(name) {
  const text = process.env[name] ?? '';
  if (['1', 'true'].includes(text)) return true;
  if (['', '0', 'false'].includes(text)) return false;
  throw new SetupError(`${name}=${text} is neither true nor false`, `set it to true or false, or unset it`);
}

/** Debian packages may be installed: we are root, and nobody has forbidden it. */
export function mayInstall() {
  return !isOn('ERRAND_NO_INSTALL') && process.getuid() === 0;
}

/** ERRAND_NO_DOCKER: act as if no Docker engine could be had. */
export function dockerIsForbidden() {
  return isOn('ERRAND_NO_DOCKER');
}
