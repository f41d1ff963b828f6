import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { askRedis } from './ask-redis.js';
import { endLeftover, findExecutable } from './processes.js';

/** A private Redis. `close` ends it; what it holds stays on disk for the next start. */
export interface EmbeddedRedis {
  url: string;
  pid: number;
  close(): Promise<void>;
}

const START_MS = 60_000;
const STOP_MS = 10_000;

/**
 * Starts a Redis of our own in `<dataDir>/redis`, on a free port of loopback and behind a random password.
 *
 * Durability: every write is in the append-only file before its client is answered, so whatever kills Redis, us or both, nothing that
 * was accepted is lost. The file is flushed to the disk each second: only a crash of the whole machine can cost the last
 * second. (`appendfsync always` closes that too, at a flush for each batch of writes; run a Redis of your own for it.)
 * @throws Error where no server is installed or it does not answer, with the end of its log
 */
export async function startEmbeddedRedis(dataDir: string): Promise<EmbeddedRedis> {
  const folder = resolve(dataDir, 'redis');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  await endLeftover(join(folder, 'redis.pid'), folder);
  const [port, password] = [await freePort(), randomBytes(24).toString('hex')];
  writeFileSync(join(folder, 'redis.conf'), configuration(folder, port, password), { mode: 0o600 });
  const server = launch(folder);
  const endWithUs = () => server.kill('SIGTERM');
  process.once('exit', endWithUs);
  await untilAnswers(server, folder, port, password);
  return {
    url: `redis://:${password}@127.0.0.1:${port}`,
    pid: server.pid!,
    close: async () => {
      process.off('exit', endWithUs);
      await stop(server);
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
    'appendfsync everysec',
    'save ""',
    'maxmemory-policy noeviction',
    '',
  ].join('\n');
}

/**
 * In a process group of its own: a Ctrl-C at the terminal must not take Redis from under what is still draining. `setpriv` has
 * the kernel end it should we die by a kill -9; without it, the next start ends what is left.
 */
function launch(folder: string): ChildProcess {
  const program = findExecutable('redis-server', 'valkey-server');
  if (!program)
    throw new Error(
      'There is no redis-server: run `sudo apt-get install redis-server`, or name a running Redis in ERRAND_REDIS_URL',
    );
  const setpriv = findExecutable('setpriv');
  const command = [...(setpriv ? [setpriv, '--pdeathsig', 'TERM'] : []), program, join(folder, 'redis.conf')];
  const log = openSync(join(folder, 'redis.log'), 'a', 0o600);
  const server = spawn(command[0]!, command.slice(1), { cwd: folder, detached: true, stdio: ['ignore', log, log] });
  closeSync(log);
  server.on('error', () => {}); // it then has no pid, and `untilAnswers` says so
  if (server.pid) writeFileSync(join(folder, 'redis.pid'), String(server.pid));
  return server;
}

async function untilAnswers(server: ChildProcess, folder: string, port: number, password: string): Promise<void> {
  for (const end = Date.now() + START_MS; Date.now() < end; await delay(20)) {
    if (hasEnded(server))
      throw new Error(
        `The embedded Redis ended at its start. Its log, ${folder}/redis.log, ends with:\n${logEnd(folder)}`,
      );
    if (await askRedis(port, password)) return;
  }
  await stop(server);
  throw new Error(
    `The embedded Redis did not answer within ${START_MS / 1000} s. Its log, ${folder}/redis.log, ends with:\n${logEnd(folder)}`,
  );
}

/** SIGTERM lets it flush what it holds. */
async function stop(server: ChildProcess): Promise<void> {
  if (hasEnded(server)) return;
  const ended = once(server, 'exit');
  server.kill('SIGTERM');
  const force = setTimeout(() => server.kill('SIGKILL'), STOP_MS);
  await ended;
  clearTimeout(force);
}

const hasEnded = (server: ChildProcess) =>
  server.pid === undefined || server.exitCode !== null || server.signalCode !== null;

function logEnd(folder: string): string {
  const file = join(folder, 'redis.log');
  return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n').slice(-6).join('\n') : '(there is none)';
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  await new Promise((closed) => probe.close(closed));
  return port;
}
