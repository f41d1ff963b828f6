import { EnvironmentError, readSettings, type EnvironmentVariables, type Settings, type SettingTable } from '../env.js';
import { boolean, setting } from '../parsers.js';
import { API_SETTINGS } from './api-settings.js';
import { SCRIPT_RUNNER_SETTINGS } from './script-runner-settings.js';
import { WORKER_SETTINGS } from './worker-settings.js';

/** Read by `./errand` itself, before any process starts. */
const BOOTSTRAP_SETTINGS = {
  ERRAND_NO_DOCKER: setting('act as if there were no Docker engine', boolean, 'false'),
  ERRAND_NO_INSTALL: setting('never install Debian packages', boolean, 'false'),
  ERRAND_TEST_NO_DOCKER: setting('skip the tests that need Docker, saying so', boolean, 'false'),
} satisfies SettingTable;

/** Every setting of every process: `.env.example` is checked against it, and a name outside it stops the boot. */
export const ALL_SETTINGS: SettingTable = {
  ...API_SETTINGS,
  ...WORKER_SETTINGS,
  ...SCRIPT_RUNNER_SETTINGS,
  ...BOOTSTRAP_SETTINGS,
};

/** Reads one process's table. @throws EnvironmentError with all problems at once */
export function readProcessSettings<T extends SettingTable>(table: T, env: EnvironmentVariables): Settings<T> {
  return readSettings(table, env, Object.keys(ALL_SETTINGS));
}

/** The Redis of a process that cannot do without. @throws EnvironmentError where none is named */
export function requireRedisUrl(settings: { ERRAND_REDIS_URL: string | undefined }): string {
  if (settings.ERRAND_REDIS_URL !== undefined) return settings.ERRAND_REDIS_URL;
  throw new EnvironmentError([
    'ERRAND_REDIS_URL is unset: name the Redis that API, workers and script-runners share, such as redis://127.0.0.1:6379 (`./errand up` brings one of its own)',
  ]);
}
