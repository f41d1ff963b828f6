import type { Settings, SettingTable } from '../env.js';
import { httpUrl, integer, nonEmpty, optional, seconds, setting } from '../parsers.js';
import { parseWebhookSecrets } from '../webhook-secret.js';
import { EVERY_PROCESS, CONSUMERS, RETENTION, OUTGOING } from './shared-settings.js';

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

/** apps/worker */
export const WORKER_SETTINGS = {
  ...EVERY_PROCESS,
  ...CONSUMERS,
  ...RETENTION,
  ...OUTGOING,
  ...DELIVERIES,
  ...LLM,
  ERRAND_WORKER_CONCURRENCY: setting(
    'how many invocations one worker has in hand at a time; those that wait for a thread do not count',
    integer(1, 10_000),
    '100',
  ),
  ERRAND_NODE_CONCURRENCY: setting('how many nodes of one invocation work at a time', integer(1, 1_000), '16'),
  ERRAND_COMPUTE_THREADS: optional(
    'how many threads one worker has for nodes that compute (expressions, patterns, large data); unset, one less than the machine has cores, and at least one',
    integer(1, 1_000),
  ),
} satisfies SettingTable;

export type WorkerSettings = Settings<typeof WORKER_SETTINGS>;
