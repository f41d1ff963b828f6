import { join } from 'node:path';
import type { Queues } from '../redis/connect.js';
import { loadScript } from '../redis/lua-script.js';
import { keysOf } from '../redis/names.js';
import { QUEUE_NAMES } from '../redis/queue-names.js';

/** The most retries that an invocation names. */
const MOST_RETRIES = 20;

const NOTE = loadScript<null>(join(__dirname, 'note-retry.lua'));

/** Names an accepted retry in the invocation `id` that it retries, once. An invocation that was removed stays removed. One command. */
export async function noteRetry({ redis }: Queues, id: string, retry: string): Promise<void> {
  const keys = keysOf(redis);
  const jobs = QUEUE_NAMES.map((queue) => keys.job(queue, id));
  await NOTE.run(redis, jobs, [retry, MOST_RETRIES]);
}
