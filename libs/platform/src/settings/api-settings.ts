import type { Settings, SettingTable } from '../env.js';
import { boolean, bytes, integer, nonEmpty, oneOf, optional, setting } from '../parsers.js';
import {
  EVERY_PROCESS,
  ACCESS,
  CLIENT_LIMITS,
  LIVENESS,
  RETENTION,
  OUTGOING,
  SECRETS,
  SESSIONS,
} from './shared-settings.js';

/** apps/api */
export const API_SETTINGS = {
  ...EVERY_PROCESS,
  ...ACCESS,
  ...CLIENT_LIMITS,
  ...LIVENESS,
  ...RETENTION,
  ...OUTGOING,
  ...SESSIONS,
  ERRAND_HOST: setting('the listen address of the API', nonEmpty, '127.0.0.1'),
  ERRAND_PORT: setting('the port of the API; 0 takes a free port', integer(0, 65_535), '3000'),
  ERRAND_REDIS_MIN_REPLICAS: setting(
    'how many replicas of Redis must have an accepted submission before it is answered. With fewer within 1 s, the API answers 503. 0: the primary is enough',
    integer(0, 100),
    '0',
  ),
  ERRAND_QUEUE_BOUND: setting(
    'the maximum number of ready invocations in a queue. The API refuses more with 429 `queue_full`. 0: no limit',
    integer(0, 100_000_000),
    '1000000',
  ),
  ERRAND_DELAYED_BOUND: setting(
    'the maximum number of invocations with `delayMs` in a queue that are not due yet. The API refuses more with 429 `queue_full`. 0: no limit',
    integer(0, 100_000_000),
    '1000000',
  ),
  ERRAND_FAIR_PRIORITY: setting(
    'whom `options.priority` puts in order: `tenant` the invocations of one tenant, `global` those of all tenants',
    oneOf('tenant', 'global'),
    'tenant',
  ),
  ERRAND_MCP_INLINE_MS: setting(
    'how long a call over MCP is waited for before it is answered as a task, in ms, for clients that understand tasks',
    integer(0, 60_000),
    '250',
  ),
  ERRAND_DEFAULT_AGENT: optional(
    'the agent of requests to `/agui` that name none, and of `/.well-known/agent-card.json`; without it, the only agent that can run',
    nonEmpty,
  ),
  ERRAND_CONSOLE: setting('whether the API serves the console at `/console/`', boolean, 'true'),
  ERRAND_LOGIN_IDLE_MS: setting(
    'how long the login of a browser lives without use, in ms; it ends after 7 days in any case',
    integer(1_000, 604_800_000),
    '43200000',
  ),
  ERRAND_KEEP_TEXT: setting(
    'keep the text of a submission with its invocation, up to 64 KiB, for `GET /v1/invocations/:id/source`',
    boolean,
    'true',
  ),
  ERRAND_REFUSALS_COUNT: setting(
    'how many submissions that were refused with 422 are kept for each tenant, 64 MiB of them at most. 0: none',
    integer(0, 1_000_000),
    '10000',
  ),
  ERRAND_REFUSALS_AGE: setting('how long a refused submission is kept, in seconds', integer(1, 31_536_000), '604800'),
  ERRAND_SECRETS_DIR: SECRETS.ERRAND_SECRETS_DIR,
  ERRAND_BODY_LIMIT: setting('the maximum size of a request body', bytes, '1mb'),
} satisfies SettingTable;

export type ApiSettings = Settings<typeof API_SETTINGS>;
