import type { SettingTable } from '../env.js';
import {
  boolean,
  decimal,
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

/** The settings that are read at shutdown. */
export const SHUTDOWN_SETTINGS = {
  ERRAND_SHUTDOWN_MS: setting(
    'the time in which a process finishes its running jobs after SIGTERM, in ms. Other processes take over the jobs that are left',
    integer(0, 86_400_000),
    '25000',
  ),
} satisfies SettingTable;

/** The settings of all processes. */
export const EVERY_PROCESS = {
  ...SHUTDOWN_SETTINGS,
  ERRAND_REDIS_URL: {
    ...optional(
      'the Redis of all processes: redis://host:6379, redis+cluster://host1:6379,host2:6379 or redis+sentinel://host1:26379,host2:26379/<master>, with rediss for TLS. If it is unset, only `errand up` can run, with an embedded Redis',
      redisUrl,
    ),
    secret: true,
  },
  ERRAND_REDIS_REPLY_MS: setting(
    'how long a command waits for the reply of Redis before it fails, in ms. It limits requests to the API, starts and readiness checks. Workers and script-runners wait while Redis is away',
    integer(100, 600_000),
    '2000',
  ),
  ERRAND_SHARDS: optional(
    'into how many keyspaces the work is divided, which a Redis Cluster spreads over its primaries. The first process decides for a Redis without work; another number than the recorded one stops a process. Unset: the recorded number, at first one',
    integer(1, 1_024),
  ),
  ERRAND_DATA_DIR: setting('the data folder: the embedded Redis, logs, pid files', nonEmpty, '.errand'),
  ERRAND_LOG_LEVEL: setting(
    'the log level',
    oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    'info',
  ),
  ERRAND_LIBRARY: setting(
    'folders with tools, plugins, workflows, agents and scripts, separated by `:`',
    list(/:/),
    'examples',
  ),
  ERRAND_BULLMQ_EVENTS: setting(
    "write the events of jobs to BullMQ's event streams, for other programs that read them with QueueEvents. Errand does not read them",
    boolean,
    'false',
  ),
} satisfies SettingTable;

/** The settings for access to the API and to the health servers. */
export const ACCESS = {
  ERRAND_API_KEYS: {
    ...optional(
      'the keys for the API and for /metrics (`Authorization: Bearer …`), separated by blanks, each with at least 16 characters. `tenant:key` gives access to the data of that tenant only',
      parseApiKeys,
    ),
    secret: true,
  },
  ERRAND_ALLOW_NO_AUTH: setting(
    'serve without keys on an address other than loopback. Set it only if something else keeps strangers out. The host of a request must still be this machine, that of ERRAND_PUBLIC_URL, or an entry of ERRAND_ALLOWED_ORIGINS',
    boolean,
    'false',
  ),
  ERRAND_PUBLIC_URL: optional(
    'the address of the API for clients, such as https://errand.example behind a proxy. Its pages may use the API. Without keys, requests may name its host',
    publicUrl,
  ),
  ERRAND_ALLOWED_ORIGINS: setting(
    'origins (https://app.example, http://api:3000) whose pages may use the API from a browser (CORS), separated by blanks or commas. Without keys, requests may name their hosts',
    origins,
    '',
  ),
} satisfies SettingTable;

/** The limits of one client of a server. */
export const CLIENT_LIMITS = {
  ERRAND_REQUEST_TIMEOUT_MS: setting(
    'the time limit for the arrival of a request with its body, in ms. The limit for the head is at most 10,000 ms',
    integer(100, 3_600_000),
    '30000',
  ),
  ERRAND_KEEP_ALIVE_MS: setting(
    'how long a connection stays open between two requests, in ms. Set it above that of the load balancer',
    integer(1_000, 3_600_000),
    '65000',
  ),
  ERRAND_CONNECTIONS_PER_ADDRESS: setting(
    'the maximum number of open connections per address (IPv6: per /64 network). The API refuses more with 429 `rate_limited`. 0: no limit. Loopback is not counted',
    integer(0, 1_000_000),
    '256',
  ),
  ERRAND_TRUSTED_PROXIES: setting(
    'addresses and networks (`10.1.0.0/16`) of proxies, separated by blanks or commas. Their connections are not counted',
    parseNetworks,
    '',
  ),
} satisfies SettingTable;

/** When a process counts as lost. */
export const LIVENESS = {
  ERRAND_LOCK_MS: setting(
    'how long a process holds the lock of a job without renewing it, in ms. A process without a heartbeat for that long counts as lost',
    integer(1_000, 600_000),
    '10000',
  ),
} satisfies SettingTable;

/** The settings of workers and script-runners. */
export const CONSUMERS = {
  ...ACCESS,
  ...CLIENT_LIMITS,
  ...LIVENESS,
  ERRAND_STALLED_MS: setting(
    'the interval of the check for jobs of dead processes, in ms',
    integer(500, 600_000),
    '5000',
  ),
  ERRAND_FAIR_MAX_SHARE: setting(
    'the part of the slots of a queue that the jobs of one tenant may hold while others have work, or had it in the last minute, from 0.01 to 1',
    decimal(0.01, 1),
    '1',
  ),
  ERRAND_FAIR_COST: setting(
    'what a job counts in the share of its tenant: `time` by the time for which it holds its slot, `count` 1 for each job',
    oneOf('time', 'count'),
    'time',
  ),
  ERRAND_HEALTH_PORT: setting(
    'the port of /healthz, /readyz and /metrics of a worker or script-runner; 0 turns them off',
    integer(0, 65_535),
    '0',
  ),
  ERRAND_HEALTH_HOST: setting('the listen address of ERRAND_HEALTH_PORT', nonEmpty, '127.0.0.1'),
} satisfies SettingTable;

/** The settings for the retention of ended invocations. */
export const RETENTION = {
  ERRAND_RETENTION_AGE: setting('how long an ended invocation is kept, in seconds', integer(60, 31_536_000), '604800'),
  ERRAND_RETENTION_COUNT: setting(
    'how many ended invocations are kept, per outcome and queue',
    integer(1, 10_000_000),
    '100000',
  ),
} satisfies SettingTable;

/** The settings for the sessions of agents. */
export const SESSIONS = {
  ERRAND_SESSION_AGE: setting(
    'how long the session of an agent is kept after its last turn, in seconds',
    integer(60, 315_360_000),
    '2592000',
  ),
  ERRAND_SESSION_MESSAGES: setting(
    'the maximum number of messages that a session keeps for each agent. Older messages are removed',
    integer(10, 1_000_000),
    '10000',
  ),
} satisfies SettingTable;

/** The settings for outgoing requests to URLs that come with data. */
export const OUTGOING = {
  ERRAND_CALLBACK_ALLOW: setting(
    'hosts (`hooks.example`, `*.corp.example`), addresses and networks (`10.1.0.0/16`) that are not public but that callbacks and core:http may reach, separated by blanks or commas',
    parseAllowList,
    '',
  ),
} satisfies SettingTable;

/** The secrets of the operator, for scripts and for servers of `mcp.json`. */
export const SECRETS = {
  ERRAND_SECRETS_DIR: optional(
    'the folder of the secrets for scripts and for servers of `mcp.json`. Each secret is a file with the name of its environment variable',
    nonEmpty,
  ),
  ERRAND_SECRETS_ALLOW: optional(
    'the secrets that each tool or server gets if it asks for them (weather:now=API_KEY, text:*=KEY_A,KEY_B), separated by blanks. A server needs all its tools: `server:*=KEY`',
    list(/\s+/),
  ),
} satisfies SettingTable;
