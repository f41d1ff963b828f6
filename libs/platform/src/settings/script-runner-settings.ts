import { DEFAULT_LABEL, parseLabels } from '@errand/contracts';
import type { Settings, SettingTable } from '../env.js';
import { boolean, decimal, httpUrl, integer, list, nonEmpty, oneOf, optional, setting } from '../parsers.js';
import { EVERY_PROCESS, CONSUMERS, RETENTION, SECRETS } from './shared-settings.js';

/** apps/script-runner */
export const SCRIPT_RUNNER_SETTINGS = {
  ...EVERY_PROCESS,
  ...CONSUMERS,
  ...RETENTION,
  ...SECRETS,
  ERRAND_RUNNER_CONCURRENCY: setting(
    'the maximum number of scripts that one runner runs at a time',
    integer(1, 1_000),
    '4',
  ),
  ERRAND_RUNNER_LABELS: setting(
    'the labels that a runner offers, separated by commas. It takes scripts of tools that name one of them (`runner`). With `default` it also takes scripts of tools that name none',
    (text) => parseLabels(list(/[\s,]+/)(text)),
    DEFAULT_LABEL,
  ),
  ERRAND_POOL_MIN: setting(
    'the minimum number of containers that wait for scripts of each language',
    integer(0, 1_000),
    '1',
  ),
  ERRAND_POOL_MAX: setting(
    'the maximum number of waiting containers in all; 0 keeps no container waiting',
    integer(0, 1_000),
    '8',
  ),
  ERRAND_SANDBOX_RUNTIME: setting(
    'the container runtime for scripts: runc, crun or runsc (gVisor)',
    oneOf('runc', 'crun', 'runsc'),
    'runc',
  ),
  ERRAND_IMAGE_PYTHON: setting('the image of Python scripts', nonEmpty, 'errand-runner-python'),
  ERRAND_IMAGE_BUN: setting('the image of Bun and Node.js scripts', nonEmpty, 'errand-runner-bun'),
  ERRAND_SCRIPT_MAX_TIMEOUT_MS: setting('the maximum run time of a script, in ms', integer(100, 86_400_000), '600000'),
  ERRAND_SCRIPT_MAX_CPU_MS: setting(
    'the maximum CPU time of a script and its children, in ms',
    integer(100, 86_400_000),
    '600000',
  ),
  ERRAND_SCRIPT_MAX_MEMORY_MB: setting('the maximum memory of a script, in MB', integer(16, 1_048_576), '1024'),
  ERRAND_SCRIPT_MAX_CPUS: setting('the maximum number of CPUs of a script', decimal(0.1, 1_024), '2'),
  ERRAND_SCRIPT_MAX_PIDS: setting('the maximum number of processes and threads of a script', integer(8, 32_768), '256'),
  ERRAND_SCRIPT_MAX_OUTPUT_KB: setting('the maximum output of a script, in KB', integer(1, 65_536), '8192'),
  ERRAND_SCRIPT_MAX_TMP_MB: setting("the maximum size of a script's /tmp, in MB", integer(1, 65_536), '256'),
  ERRAND_EGRESS_ALLOW: optional(
    'hosts that scripts may reach if their tools ask for them (api.example, *.example, db.example:5432, * for any), and allowed networks that are not public, separated by blanks or commas',
    list(/[\s,]+/),
  ),
  ERRAND_EGRESS_MAX_MB: setting(
    'the maximum network traffic of a run in both directions, in MB',
    integer(1, 1_048_576),
    '100',
  ),
  ERRAND_FILES_DIR: optional(
    'the parent of the folders that scripts may see. The Docker engine must have it at the same path. Unset: `files` in ERRAND_DATA_DIR',
    nonEmpty,
  ),
  ERRAND_FILES_ALLOW: optional(
    'the folders in it that scripts may see if their tools ask for them (reports:ro, scratch:rw), separated by blanks or commas',
    list(/[\s,]+/),
  ),
  ERRAND_ARTIFACTS_MAX_MB: setting(
    'the maximum size of all files that a script returns, in MB. Redis stores them. 0: scripts return no files',
    integer(0, 256),
    '8',
  ),
  ERRAND_PIP_INDEX_URL: setting('the index of Python packages', httpUrl, 'https://pypi.org/simple'),
  ERRAND_NPM_REGISTRY: optional(
    'the registry of npm packages. Unset: the registry of npm on the host of the script-runner',
    httpUrl,
  ),
  ERRAND_PACKAGE_HOSTS: optional(
    'other hosts of packages, if an index refers to other hosts, separated by blanks or commas',
    list(/[\s,]+/),
  ),
  ERRAND_PACKAGE_SCRIPTS: setting(
    'let packages run their own code during installation, and build packages from sources',
    boolean,
    'false',
  ),
  ERRAND_ENVIRONMENTS_MAX_MB: setting(
    'the maximum size of all installed packages on this Docker host, in MB',
    integer(1, 1_048_576),
    '10240',
  ),
} satisfies SettingTable;

export type ScriptRunnerSettings = Settings<typeof SCRIPT_RUNNER_SETTINGS>;
