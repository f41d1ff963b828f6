import { DEFAULT_LABEL, parseLabels } from '@errand/contracts';
import { EnvironmentError, readSettings, type Environment, type Settings, type SettingTable } from './env.js';
import { parseAllowList } from './address-rules.js';
import { parseApiKeys } from './api-keys.js';
import {
  boolean,
  bytes,
  decimal,
  httpUrl,
  integer,
  list,
  nonEmpty,
  oneOf,
  optional,
  redisUrl,
  seconds,
  setting,
} from './parsers.js';
import { parseWebhookSecrets } from './webhook-secret.js';

/** Read when a process is told to end. */
export const SHUTDOWN_SETTINGS = {
  ERRAND_SHUTDOWN_MS: setting(
    'how long a process that is told to end may take to finish what it has in hand, in ms; what is left then is for others',
    integer(0, 86_400_000),
    '25000',
  ),
} satisfies SettingTable;

const EVERY_PROCESS = {
  ...SHUTDOWN_SETTINGS,
  ERRAND_REDIS_URL: optional(
    'the Redis that all processes share; unset, only `errand up` can run, with a Redis of its own',
    redisUrl,
  ),
  ERRAND_DATA_DIR: setting(
    'the folder for what Errand keeps on disk: the embedded Redis, logs, pid files',
    nonEmpty,
    '.errand',
  ),
  ERRAND_LOG_LEVEL: setting(
    'how much is logged',
    oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    'info',
  ),
  ERRAND_LIBRARY: setting(
    'folders with tools, plugins, workflows, agents and scripts, separated by `:`',
    list(/:/),
    'examples',
  ),
} satisfies SettingTable;

const ACCESS = {
  ERRAND_API_KEYS: {
    ...optional(
      'keys that callers of the API, and readers of /metrics, present as `Authorization: Bearer …`, separated by blanks, each of 16 characters or more; `tenant:key` opens the data of that tenant and nothing else',
      parseApiKeys,
    ),
    secret: true,
  },
  ERRAND_ALLOW_NO_AUTH: setting(
    'serve without keys on an address that is not loopback; only where something else keeps strangers out',
    boolean,
    'false',
  ),
} satisfies SettingTable;

const CONSUMERS = {
  ...ACCESS,
  ERRAND_LOCK_MS: setting(
    "how long a job stays its process's without a sign of life, in ms",
    integer(1_000, 600_000),
    '10000',
  ),
  ERRAND_STALLED_MS: setting('how often jobs of dead processes are looked for, in ms', integer(500, 600_000), '5000'),
  ERRAND_HEALTH_PORT: setting(
    'the port of /healthz, /readyz and /metrics of a worker or script-runner; 0 is off',
    integer(0, 65_535),
    '0',
  ),
  ERRAND_HEALTH_HOST: setting('the address that they are served on', nonEmpty, '127.0.0.1'),
} satisfies SettingTable;

const RETENTION = {
  ERRAND_RETENTION_AGE: setting(
    'how long an ended invocation can be read, in seconds',
    integer(60, 31_536_000),
    '604800',
  ),
  ERRAND_RETENTION_COUNT: setting(
    'how many ended invocations are kept, per outcome and queue',
    integer(1, 10_000_000),
    '100000',
  ),
} satisfies SettingTable;

const OUTGOING = {
  ERRAND_CALLBACK_ALLOW: setting(
    'hosts (`hooks.example`, `*.corp.example`), addresses and networks (`10.1.0.0/16`) that callbacks and core:http may reach although they are not public, separated by blanks or commas',
    parseAllowList,
    '',
  ),
} satisfies SettingTable;

/** Read by the node core:llm itself, from the environment of its worker; they stand here to be checked at boot. */
const LLM = {
  ERRAND_LLM_BASE_URL: optional(
    'the OpenAI-compatible endpoint of core:llm, such as https://api.openai.com/v1; it may be any address',
    httpUrl,
  ),
  ERRAND_LLM_API_KEY: optional('the key for that endpoint; it is sent nowhere else', nonEmpty),
  ERRAND_LLM_MODEL: optional('the model of core:llm where a node names none', nonEmpty),
} satisfies SettingTable;

const DELIVERIES = {
  ERRAND_WEBHOOK_SECRET: {
    ...optional(
      'what signs callbacks: `whsec_` and 24 to 64 bytes in base64; several, separated by blanks, each sign, for rotation; unset, one is made in the data folder',
      parseWebhookSecrets,
    ),
    secret: true,
  },
  ERRAND_CALLBACK_BACKOFF: setting(
    'what passes after each failed attempt of a callback until the next, in seconds, separated by blanks; after the last of them it is given up',
    seconds(604_800),
    '5 300 1800 7200 18000 36000 50400 72000 86400',
  ),
  ERRAND_CALLBACK_CONCURRENCY: setting(
    'how many callbacks one worker has on their way at a time',
    integer(1, 10_000),
    '200',
  ),
  ERRAND_CALLBACK_PER_RECEIVER: setting('how many of them to one receiver (host and port)', integer(1, 1_000), '8'),
} satisfies SettingTable;

/** apps/api */
export const API_SETTINGS = {
  ...EVERY_PROCESS,
  ...ACCESS,
  ...RETENTION,
  ...OUTGOING,
  ERRAND_HOST: setting('the address that the API listens on', nonEmpty, '127.0.0.1'),
  ERRAND_PORT: setting('the port that the API listens on; 0 takes a free one', integer(0, 65_535), '3000'),
  ERRAND_QUEUE_BOUND: setting(
    'how many invocations may wait in a queue; more are refused with 429 `queue_full`; 0 takes as many as come',
    integer(0, 100_000_000),
    '1000000',
  ),
  ERRAND_BODY_LIMIT: setting('the largest request body', bytes, '1mb'),
} satisfies SettingTable;

/** apps/worker */
export const WORKER_SETTINGS = {
  ...EVERY_PROCESS,
  ...CONSUMERS,
  ...RETENTION,
  ...OUTGOING,
  ...DELIVERIES,
  ...LLM,
  ERRAND_WORKER_CONCURRENCY: setting(
    'how many invocations one worker has in hand at a time',
    integer(1, 10_000),
    '100',
  ),
  ERRAND_NODE_CONCURRENCY: setting('how many nodes of one invocation work at a time', integer(1, 1_000), '16'),
} satisfies SettingTable;

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

export type ApiSettings = Settings<typeof API_SETTINGS>;
export type WorkerSettings = Settings<typeof WORKER_SETTINGS>;
export type ScriptRunnerSettings = Settings<typeof SCRIPT_RUNNER_SETTINGS>;

/** Reads one process's table. @throws EnvironmentError with all problems at once */
export function readProcessSettings<T extends SettingTable>(table: T, env: Environment): Settings<T> {
  return readSettings(table, env, Object.keys(ALL_SETTINGS));
}

/** The Redis of a process that cannot do without. @throws EnvironmentError where none is named */
export function requireRedisUrl(settings: { ERRAND_REDIS_URL: string | undefined }): string {
  if (settings.ERRAND_REDIS_URL !== undefined) return settings.ERRAND_REDIS_URL;
  throw new EnvironmentError([
    'ERRAND_REDIS_URL is unset: name the Redis that API, workers and script-runners share, such as redis://127.0.0.1:6379 (`./errand up` brings one of its own)',
  ]);
}
