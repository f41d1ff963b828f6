import { DEFAULT_LABEL, parseLabels } from '@errand/contracts';
import type { Settings, SettingTable } from '../env.js';
import { boolean, decimal, httpUrl, integer, list, nonEmpty, oneOf, optional, setting } from '../parsers.js';
import { EVERY_PROCESS, CONSUMERS, RETENTION } from './shared-settings.js';

/** apps/script-runner */
export const SCRIPT_RUNNER_SETTINGS = {
  ...EVERY_PROCESS,
  ...CONSUMERS,
  ...RETENTION,
  ERRAND_RUNNER_CONCURRENCY: setting('how many scripts one runner runs at a time', integer(1, 1_000), '4'),
  ERRAND_RUNNER_LABELS: setting(
    'what a runner offers, separated by commas: it takes scripts of tools that ask for one of these labels (`runner`), and those of tools that ask for none where `default` is among them',
    (text) => parseLabels(list(/[\s,]+/)(text)),
    DEFAULT_LABEL,
  ),
  ERRAND_POOL_MIN: setting(
    'how many containers wait for a script of each language even when none was run for long',
    integer(0, 1_000),
    '1',
  ),
  ERRAND_POOL_MAX: setting('how many containers wait for scripts in all; 0 keeps none waiting', integer(0, 1_000), '8'),
  ERRAND_SANDBOX_RUNTIME: setting('the container runtime of scripts', oneOf('runc', 'crun', 'runsc'), 'runc'),
  ERRAND_IMAGE_PYTHON: setting('the image that Python scripts run in', nonEmpty, 'errand-runner-python'),
  ERRAND_IMAGE_BUN: setting('the image that Bun and Node.js scripts run in', nonEmpty, 'errand-runner-bun'),
  ERRAND_SCRIPT_MAX_TIMEOUT_MS: setting(
    'the longest that any script may run, in ms',
    integer(100, 86_400_000),
    '600000',
  ),
  ERRAND_SCRIPT_MAX_CPU_MS: setting(
    'the most CPU time that a script and its children may use, in ms',
    integer(100, 86_400_000),
    '600000',
  ),
  ERRAND_SCRIPT_MAX_MEMORY_MB: setting('the most memory that a script may have', integer(16, 1_048_576), '1024'),
  ERRAND_SCRIPT_MAX_CPUS: setting('the most CPUs that a script may have', decimal(0.1, 1_024), '2'),
  ERRAND_SCRIPT_MAX_PIDS: setting('the most processes and threads that a script may have', integer(8, 32_768), '256'),
  ERRAND_SCRIPT_MAX_OUTPUT_KB: setting('the largest result of a script', integer(1, 65_536), '8192'),
  ERRAND_SCRIPT_MAX_TMP_MB: setting('the most that a script may write to /tmp', integer(1, 65_536), '256'),
  ERRAND_EGRESS_ALLOW: optional(
    'hosts that scripts may reach where their tools ask for them (api.example, *.example, db.example:5432, * for any), and networks that may be dialled though they are not public, separated by blanks or commas',
    list(/[\s,]+/),
  ),
  ERRAND_EGRESS_MAX_MB: setting('the most that a script may move over the network', integer(1, 1_048_576), '100'),
  ERRAND_SECRETS_DIR: optional(
    'the folder of the secrets that scripts may get: a file each, named as the environment variable',
    nonEmpty,
  ),
  ERRAND_SECRETS_ALLOW: optional(
    'which tools get which secrets where they ask for them (weather:now=API_KEY, text:*=KEY_A,KEY_B), separated by blanks',
    list(/\s+/),
  ),
  ERRAND_FILES_DIR: optional(
    'the folder whose folders scripts may see, under the same path for the Docker engine; unset, `files` in ERRAND_DATA_DIR',
    nonEmpty,
  ),
  ERRAND_FILES_ALLOW: optional(
    'its folders that scripts may see where their tools ask for them (reports:ro, scratch:rw), separated by blanks or commas',
    list(/[\s,]+/),
  ),
  ERRAND_ARTIFACTS_MAX_MB: setting(
    'the most that a script may hand out in files, which are kept in Redis; 0 lets it hand out none',
    integer(0, 256),
    '8',
  ),
  ERRAND_PIP_INDEX_URL: setting('where Python packages come from', httpUrl, 'https://pypi.org/simple'),
  ERRAND_NPM_REGISTRY: optional(
    'where npm packages come from; unset, from where npm on the host of the script-runner has them',
    httpUrl,
  ),
  ERRAND_PACKAGE_HOSTS: optional(
    'further hosts that packages are fetched from, where an index leads elsewhere, separated by blanks or commas',
    list(/[\s,]+/),
  ),
  ERRAND_PACKAGE_SCRIPTS: setting(
    'let packages run code of their own while they are installed, and be built from sources',
    boolean,
    'false',
  ),
  ERRAND_ENVIRONMENTS_MAX_MB: setting(
    'the most room for installed packages on this Docker host',
    integer(1, 1_048_576),
    '10240',
  ),
} satisfies SettingTable;

export type ScriptRunnerSettings = Settings<typeof SCRIPT_RUNNER_SETTINGS>;
