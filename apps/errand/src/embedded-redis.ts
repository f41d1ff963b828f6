import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { KnownError } from '@errand/contracts';
import { askRedis } from './ask-redis.js';
import { endLeftover } from './processes.js';
import { RedisServer } from './redis-server.js';

/** A private Redis. `close` ends it; its data stays on disk for the next start. */
export interface EmbeddedRedis {
  readonly url: string;
  /** The process of the current server. */
  readonly pid: number | undefined;
  close(): Promise<void>;
}

const START_MS = 60_000;
const FLUSH_MS = 1_000;

/**
 * Starts a private Redis in `<dataDir>/redis`, on a free port of loopback and with a random password.
 *
 * Durability: Redis appends every write to its file before it answers the client. No kill of a process can therefore lose an accepted
 * write. This process flushes the file to the disk every second, so a crash of the machine can lose the last second. Redis could do
 * that itself (`appendfsync everysec`). But then, while the disk is busy, it answers clients before it writes to the file.
 * @throws Error with the end of the log, if no server is installed or the server does not answer
 */
export async function startEmbeddedRedis(dataDir: string): Promise<EmbeddedRedis> {
  const folder = resolve(dataDir, 'redis');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  await endLeftover(join(folder, 'redis.pid'), folder);
  const [port, password] = [await freePort(), randomBytes(24).toString('hex')];
  writeFileSync(join(folder, 'redis.conf'), configuration(folder, port, password), { mode: 0o600 });
  const server = new RedisServer(folder);
  try {
    await untilAnswers(server, port, password);
    server.keep();
  } catch (error) {
    await server.close();
    throw error;
  }
  const stopFlushing = flushRegularly(join(folder, 'appendonlydir'));
  return {
    url: `redis://:${password}@127.0.0.1:${port}`,
    get pid() {
      return server.pid;
    },
    close: async () => {
      stopFlushing();
      await server.close();
    },
  };
}

function configuration(folder: string, port: number, password: string): string {
  return [
    'bind 127.0.0.1',
    `port ${port}`,
    `requirepass ${password}`,
    `dir ${JSON.stringify(folder)}`,
    'appendonly yes',
    'appendfsync no',
    'save ""',
    'maxmemory-policy noeviction',
    '',
  ].join('\n');
}

async function untilAnswers(server: RedisServer, port: number, password: string): Promise<void> {
  for (const end = Date.now() + START_MS; Date.now() < end; await delay(20)) {
    if (server.hasEnded) throw new KnownError(`The embedded Redis ended at its start. ${server.logEnd()}`);
    if (await askRedis(port, password)) return;
  }
  throw new KnownError(`The embedded Redis did not answer within ${START_MS / 1000} s. ${server.logEnd()}`);
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  await new Promise((closed) => probe.close(closed));
  return port;
}

/** Flushes the files of a folder to the disk every second. Returns a function that ends this. */
function flushRegularly(folder: string): () => void {
  let flushing: Promise<void> | undefined;
  const timer = setInterval(() => {
    // On a slow disk, a flush that still runs is not started again.
    flushing ??= flushFiles(folder)
      .catch((error: Error) => process.emitWarning(error))
      .finally(() => (flushing = undefined));
  }, FLUSH_MS).unref();
  return () => clearInterval(timer);
}

/** Resolves when all data of the files in a folder is on the disk. */
async function flushFiles(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const file = await open(join(folder, name)).catch(unlessGone);
    try {
      await file?.datasync();
    } finally {
      await file?.close();
    }
  }
}

/** Ignores a missing file, because the server replaces its files from time to time. */
function unlessGone(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}
