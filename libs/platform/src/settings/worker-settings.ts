import type { Settings, SettingTable } from '../env.js';
import { boolean, httpUrl, integer, nonEmpty, optional, seconds, setting } from '../parsers.js';
import { parseAllowList } from '../address-rules.js';
import { parseWebhookSecrets } from '../webhook-secret.js';
import { EVERY_PROCESS, CONSUMERS, RETENTION, OUTGOING, SECRETS, SESSIONS } from './shared-settings.js';

/** The node core:llm reads these settings itself. They are listed here so that the worker checks them at its start. */
const LLM = {
  ERRAND_LLM_BASE_URL: optional(
    'the OpenAI-compatible endpoint of core:llm, such as https://api.openai.com/v1. It may have any address, also a private one',
    httpUrl,
  ),
  ERRAND_LLM_API_KEY: optional('the key for the endpoint of core:llm. Errand sends it to no other endpoint', nonEmpty),
  ERRAND_LLM_MODEL: optional('the model of core:llm for nodes that name none', nonEmpty),
} satisfies SettingTable;

const DELIVERIES = {
  ERRAND_WEBHOOK_SECRET: {
    ...optional(
      'the secret that signs callbacks: `whsec_` and 24 to 64 bytes in base64. Several secrets, separated by blanks, all sign (for rotation). Unset: Errand makes one in the data folder',
      parseWebhookSecrets,
    ),
    secret: true,
  },
  ERRAND_CALLBACK_BACKOFF: setting(
    'the pauses between the attempts of a callback, in seconds, separated by blanks. Errand gives up after the attempt that follows the last pause',
    seconds(604_800),
    '5 300 1800 7200 18000 36000 50400 72000 86400',
  ),
  ERRAND_CALLBACK_CONCURRENCY: setting(
    'the maximum number of concurrent callbacks in one worker',
    integer(1, 10_000),
    '200',
  ),
  ERRAND_CALLBACK_PER_RECEIVER: setting(
    'the maximum number of concurrent callbacks to one receiver (host and port)',
    integer(1, 1_000),
    '8',
  ),
} satisfies SettingTable;

const REMOTE_SERVERS = {
  ERRAND_MCP_ALLOW: setting(
    'hosts (`mcp.corp.example`, `*.corp.example`), addresses and networks (`10.1.0.0/16`) that are not public but that servers of `mcp.json` may have, separated by blanks or commas',
    parseAllowList,
    '',
  ),
  ERRAND_MCP_COMMANDS: setting(
    'run the commands of `mcp.json` as child processes of the worker. Whoever can write an `mcp.json` can then run programs as the worker',
    boolean,
    'false',
  ),
} satisfies SettingTable;

/** apps/worker */
export const WORKER_SETTINGS = {
  ...EVERY_PROCESS,
  ...CONSUMERS,
  ...RETENTION,
  ...OUTGOING,
  ...SESSIONS,
  ...DELIVERIES,
  ...LLM,
  ...SECRETS,
  ...REMOTE_SERVERS,
  ERRAND_WORKER_CONCURRENCY: setting(
    'the maximum number of running invocations in one worker. Invocations that wait for a thread do not count',
    integer(1, 10_000),
    '100',
  ),
  ERRAND_NODE_CONCURRENCY: setting(
    'the maximum number of nodes of one invocation that work at a time',
    integer(1, 1_000),
    '16',
  ),
  ERRAND_COMPUTE_THREADS: optional(
    'the number of threads in one worker for nodes that compute (expressions, patterns, large data). Unset: the number of cores less one, and at least one',
    integer(1, 1_000),
  ),
} satisfies SettingTable;

export type WorkerSettings = Settings<typeof WORKER_SETTINGS>;
