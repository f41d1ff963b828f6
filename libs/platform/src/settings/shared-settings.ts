import type { SettingTable } from '../env.js';
import {
  boolean,
  integer,
  list,
  nonEmpty,
  oneOf,
  optional,
  origins,
  publicUrl,
  redisUrl,
  setting,
} from '../parsers.js';
import { parseAllowList, parseNetworks } from '../address-rules.js';
import { parseApiKeys } from '../api-keys.js';

/** Read when a process is told to end. */
export const SHUTDOWN_SETTINGS = {
  ERRAND_SHUTDOWN_MS: setting(
    'how long a process that is told to end may take to finish what it has in hand, in ms; what is left then is for others',
    integer(0, 86_400_000),
    '25000',
  ),
} satisfies SettingTable;

/** Of every process. */
export const EVERY_PROCESS = {
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

/** Who may come: to the API, and to the figures of the others. */
export const ACCESS = {
  ERRAND_API_KEYS: {
    ...optional(
      'keys that callers of the API, and readers of /metrics, present as `Authorization: Bearer …`, separated by blanks, each of 16 characters or more; `tenant:key` opens the data of that tenant and nothing else',
      parseApiKeys,
    ),
    secret: true,
  },
  ERRAND_ALLOW_NO_AUTH: setting(
    'serve without keys on an address that is not loopback; only where something else keeps strangers out. Requests must still name this machine, ERRAND_PUBLIC_URL or an entry of ERRAND_ALLOWED_ORIGINS as their host',
    boolean,
    'false',
  ),
  ERRAND_PUBLIC_URL: optional(
    'the address under which clients reach the API, such as https://errand.example behind a proxy; its pages may use the API, and without keys its host may be called',
    publicUrl,
  ),
  ERRAND_ALLOWED_ORIGINS: setting(
    'origins (https://app.example, http://api:3000) whose pages may use the API from a browser (CORS), separated by blanks or commas; without keys, their hosts may be called',
    origins,
    '',
  ),
} satisfies SettingTable;

/** How much of a server one client may have. */
export const CLIENT_LIMITS = {
  ERRAND_REQUEST_TIMEOUT_MS: setting(
    'how long a request, with its body, may take to arrive, in ms; its head has 10,000 ms at most',
    integer(100, 3_600_000),
    '30000',
  ),
  ERRAND_KEEP_ALIVE_MS: setting(
    'how long a connection stays open between two requests, in ms; more than the load balancer in front keeps one',
    integer(1_000, 3_600_000),
    '65000',
  ),
  ERRAND_CONNECTIONS_PER_ADDRESS: setting(
    'how many connections an address (IPv6: a /64 network) may have open; more are refused with 429 `rate_limited`; 0 takes as many as come; loopback is not counted',
    integer(0, 1_000_000),
    '256',
  ),
  ERRAND_TRUSTED_PROXIES: setting(
    'addresses and networks (`10.1.0.0/16`) of proxies, whose connections are not counted, separated by blanks or commas',
    parseNetworks,
    '',
  ),
} satisfies SettingTable;

/** Of those that take jobs. */
export const CONSUMERS = {
  ...ACCESS,
  ...CLIENT_LIMITS,
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

/** What is kept of what has ended. */
export const RETENTION = {
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

/** Where what is written in data may lead. */
export const OUTGOING = {
  ERRAND_CALLBACK_ALLOW: setting(
    'hosts (`hooks.example`, `*.corp.example`), addresses and networks (`10.1.0.0/16`) that callbacks and core:http may reach although they are not public, separated by blanks or commas',
    parseAllowList,
    '',
  ),
} satisfies SettingTable;
