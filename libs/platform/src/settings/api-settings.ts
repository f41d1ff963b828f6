import type { Settings, SettingTable } from '../env.js';
import { bytes, integer, nonEmpty, setting } from '../parsers.js';
import { EVERY_PROCESS, ACCESS, CLIENT_LIMITS, RETENTION, OUTGOING } from './shared-settings.js';

/** apps/api */
export const API_SETTINGS = {
  ...EVERY_PROCESS,
  ...ACCESS,
  ...CLIENT_LIMITS,
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

export type ApiSettings = Settings<typeof API_SETTINGS>;
