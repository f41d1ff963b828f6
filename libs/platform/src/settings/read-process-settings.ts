import { EnvironmentError, readSettings, type EnvironmentVariables, type Settings, type SettingTable } from '../env.js';
import { boolean, httpUrl, nonEmpty, optional, setting } from '../parsers.js';
import { API_SETTINGS } from './api-settings.js';
import { SCRIPT_RUNNER_SETTINGS } from './script-runner-settings.js';
import { WORKER_SETTINGS } from './worker-settings.js';

/** `./errand` reads these settings itself, before it starts a process. */
const BOOTSTRAP_SETTINGS = {
  ERRAND_NO_DOCKER: setting('behave as if the Docker engine were missing', boolean, 'false'),
  ERRAND_NO_INSTALL: setting('never install Debian packages', boolean, 'false'),
  ERRAND_TEST_NO_DOCKER: setting('skip the tests that need Docker, and report that', boolean, 'false'),
  ERRAND_TEST_ALL_RUNS: setting('do all runs of property tests, as `./errand test` does', boolean, 'false'),
  ERRAND_URL: optional('the address of the Errand that client commands talk to', httpUrl),
  ERRAND_API_KEY: { ...optional('the key that client commands present', nonEmpty), secret: true },
  ERRAND_PROFILE: optional('the entry of profiles.yaml that client commands use', nonEmpty),
} satisfies SettingTable;

/**
 * All settings of all processes. A test compares `.env.example` with them, and an unknown name stops a process at its
 * start.
 */
export const ALL_SETTINGS: SettingTable = {
  ...API_SETTINGS,
  ...WORKER_SETTINGS,
  ...SCRIPT_RUNNER_SETTINGS,
  ...BOOTSTRAP_SETTINGS,
};

/**
 * Reads the settings of one process.
 * @throws EnvironmentError with all problems at once
 */
export function readProcessSettings<T extends SettingTable>(table: T, env: EnvironmentVariables): Settings<T> {
  if ('ERRAND_API_KEYS' in table) refuseLoneKey(env);
  return readSettings(table, env, Object.keys(ALL_SETTINGS));
}

/**
 * Refuses ERRAND_API_KEY alone, which is probably a misspelt ERRAND_API_KEYS: the API would start without keys.
 * @throws EnvironmentError
 */
function refuseLoneKey({ ERRAND_API_KEY, ERRAND_API_KEYS, ERRAND_URL, ERRAND_PROFILE }: EnvironmentVariables): void {
  if (!ERRAND_API_KEY || ERRAND_API_KEYS || ERRAND_URL || ERRAND_PROFILE) return;
  throw new EnvironmentError([
    'ERRAND_API_KEY is the key that `./errand` presents, and ERRAND_API_KEYS is unset: did you mean ERRAND_API_KEYS?',
  ]);
}

/**
 * The Redis URL of a process that needs one.
 * @throws EnvironmentError if it is unset
 */
export function requireRedisUrl(settings: { ERRAND_REDIS_URL: string | undefined }): string {
  if (settings.ERRAND_REDIS_URL !== undefined) return settings.ERRAND_REDIS_URL;
  throw new EnvironmentError([
    'ERRAND_REDIS_URL is unset: set it to the Redis of all processes, such as redis://127.0.0.1:6379 (`./errand up` starts an embedded one)',
  ]);
}
