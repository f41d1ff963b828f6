import { readdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';

/** A new server is cheaper than one that frees more than this. */
const MAX_BYTES = 32 * 1_048_576;
/** A stopped or busy server does not answer in this time. */
const REPLY_MS = 5_000;
/** Redis sees the end of a closed connection after some turns of its loop. */
const LAST_CLIENTS_MS = 500;
/** What a new server has none of: each command empties one store or counter. */
const RESETS = [
  ['CLIENT', 'UNPAUSE'],
  ['FLUSHALL', 'SYNC'],
  ['SCRIPT', 'FLUSH', 'SYNC'],
  ['FUNCTION', 'FLUSH', 'SYNC'],
  ['ACL', 'LOG', 'RESET'],
  ['SLOWLOG', 'RESET'],
  ['LATENCY', 'RESET'],
  ['CONFIG', 'RESETSTAT'],
] as const;

interface Resettable {
  port: number;
  readonly folder: string;
  readonly state: string;
}

/**
 * Makes a server as new for its next user, and moves it to another port, so that no client of the last user can come back. Returns false if
 * the server must be ended instead: its last user left clients, files, other settings or much memory, or it does not answer.
 */
export async function resetServer(
  server: Resettable,
  pidFile: string,
  freePort: () => Promise<number>,
): Promise<boolean> {
  const { port, folder, state } = server;
  const retryStrategy = () => null;
  const options = { commandTimeout: REPLY_MS, maxRetriesPerRequest: 0, enableReadyCheck: false, retryStrategy };
  const admin = new Redis({ port, host: '127.0.0.1', ...options });
  admin.on('error', () => {});
  try {
    const [files, others, memory] = await Promise.all([readdir(folder), hasOthers(admin), admin.info('memory')]);
    const bytes = Number(/used_memory:(\d+)/.exec(memory)?.[1]);
    if (others || bytes > MAX_BYTES || files.some((file) => file !== pidFile)) return false;
    const [now, next] = await Promise.all([stateOf(admin), freePort()]);
    if (now !== state) return false;
    await Promise.all(RESETS.map(([name, ...words]) => admin.call(name, words)));
    await admin.config('SET', 'port', next);
    server.port = next;
    return true;
  } catch {
    return false;
  } finally {
    admin.disconnect();
  }
}

/** All settings but the port, and all users. */
export async function stateOf(redis: Redis): Promise<string> {
  const [settings, users] = await Promise.all([redis.config('GET', '*'), redis.acl('LIST')]);
  settings.splice(settings.indexOf('port'), 2);
  return JSON.stringify([settings, users]);
}

/** Whether other clients stay connected. */
async function hasOthers(redis: Redis): Promise<boolean> {
  const until = Date.now() + LAST_CLIENTS_MS;
  for (;;) {
    const clients = (await redis.client('LIST')) as string;
    if (clients.trim().split('\n').length === 1) return false;
    if (Date.now() > until) return true;
    await sleep(5);
  }
}
