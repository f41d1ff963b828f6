import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer as createSocketServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { QUICK_START } from '../../../test/support/start-process.js';
import { startCluster } from '../../../test/support/start-cluster.js';
import { startSentinels } from '../../../test/support/start-sentinels.js';
import { freePort, startRedis } from '../../../test/support/start-redis.js';
import { CommandReader } from './command-reader.js';
import { ERRAND, outcomeOf } from './run-errand.js';

let folder: string;
let reader: CommandReader;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'errand-doctor-'));
  reader = await CommandReader.start({ env: { ERRAND_DATA_DIR: join(folder, 'data'), ERRAND_NO_DOCKER: 'true' } });
});
afterEach(() => rmSync(join(folder, 'data'), { recursive: true, force: true }));
afterAll(async () => {
  await reader.stop();
  rmSync(folder, { recursive: true });
});

/** The output of `./errand doctor`. It may fail for other reasons of this machine. */
async function doctor(settings: Record<string, string> = {}): Promise<string> {
  const env = { ERRAND_PORT: String(await freePort()), ...settings };
  return (await reader.runIn({ env }, 'doctor')).stderr;
}

/** The same in a process of its own. */
async function startedDoctor(settings: Record<string, string>, user: { uid?: number; gid?: number } = {}) {
  const child = spawn(process.execPath, [...QUICK_START, ERRAND, 'doctor'], {
    env: {
      ...process.env,
      ERRAND_DATA_DIR: join(folder, 'data'),
      ERRAND_PORT: String(await freePort()),
      ERRAND_NO_DOCKER: 'true',
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...user,
  });
  return (await outcomeOf(child)).stderr;
}

/** A server that answers as an API of Errand. */
async function fakeApi(answer: object): Promise<{ server: Server; port: number; url: string }> {
  const server = createServer((_request, response) => response.end(JSON.stringify(answer))).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { server, port, url: `http://127.0.0.1:${port}` };
}

function recordStack(url: string, pid = process.pid): void {
  mkdirSync(join(folder, 'data'), { recursive: true });
  writeFileSync(join(folder, 'data/up.json'), JSON.stringify({ url, pid }));
}

describe('./errand doctor', () => {
  it('The doctor asks the stack of the data folder, and repeats what it is missing', async () => {
    const checks = { redis: 'ok', workers: 'no worker is alive: accepted invocations wait until one starts' };
    const { server, port, url } = await fakeApi({ ready: true, checks, runners: { default: 0 } });
    recordStack(url);
    const shown = await startedDoctor({ ERRAND_PORT: String(port) });
    expect(shown).toMatch(
      new RegExp(`! stack +runs on ${url} \\(process \\d+\\), but:\\n +workers: no worker is alive`),
    );
    expect(shown).toMatch(new RegExp(`✓ port +${port}, Errand is running on it\n`));
    expect(shown).toMatch(/! runners +no running script-runner offers default/);
    server.close();
  });

  it('The doctor names each server of mcp.json that is away, and since when', async () => {
    const away = { file: 'mcp.json', message: "The server 'far' is away: no answer", server: 'far' };
    const items = [
      { ...away, since: '2026-11-23T05:00:00.000Z' },
      { file: 'a.json', message: 'other' },
    ];
    const { server, url } = await fakeApi({ ready: true, checks: { redis: 'ok' }, items });
    recordStack(url);
    expect(await doctor()).toMatch(/! servers of mcp\.json +far: away since 2026-11-23T05:00:00\.000Z/);
    server.close();
  });

  it('The doctor distinguishes another Errand and another program from the stack of the data folder', async () => {
    const other = await fakeApi({ ready: true, checks: { redis: 'ok' } });
    expect(await doctor({ ERRAND_PORT: String(other.port) })).toMatch(
      /✓ port .*Errand is running on it; it is not the stack of /,
    );
    other.server.close();
    const program = await fakeApi({ status: 'ok' });
    expect(await doctor({ ERRAND_PORT: String(program.port) })).toMatch(/✗ port +\d+ is used by another program/);
    program.server.close();
  });

  it('The doctor reports a record of a stack that is gone, or that cannot be understood', async () => {
    recordStack(`http://127.0.0.1:${await freePort()}`, 2 ** 22 + 1);
    expect(await doctor()).toMatch(/✓ stack +none runs with .*; the last one was killed/);
    recordStack(`http://127.0.0.1:${await freePort()}`);
    expect(await doctor()).toMatch(/! stack +process \d+ runs, but nothing answers at/);
    writeFileSync(join(folder, 'data/up.json'), '{');
    expect(await doctor()).toMatch(/! stack .*up\.json cannot be understood/);
  });

  it('The doctor refuses a port that cannot exist', async () => {
    expect(await doctor({ ERRAND_PORT: '30O0' })).toMatch(
      /✗ port +ERRAND_PORT must be a whole number from 0 to 65535, not '30O0'/,
    );
  });

  it('The doctor asks the Redis of ERRAND_REDIS_URL with its password, and does not print the password', async () => {
    const redis = await startRedis();
    expect(await doctor({ ERRAND_REDIS_URL: redis.url })).toMatch(
      /✓ Redis +127\.0\.0\.1:\d+, Redis \d+\.\d+\.\d+, from ERRAND_REDIS_URL/,
    );
    const admin = new Redis(redis.url);
    await admin.config('SET', 'requirepass', 'right secret');
    await admin.quit();
    const refused = /✗ Redis +ERRAND_REDIS_URL: the Redis at 127\.0\.0\.1:\d+ refuses the user or the password/;
    expect(await doctor({ ERRAND_REDIS_URL: redis.url })).toMatch(refused);
    const wrong = await doctor({ ERRAND_REDIS_URL: redis.url.replace('//', '//:wrongsecret@') });
    expect(wrong).toMatch(refused);
    expect(wrong).not.toContain('wrongsecret');
    expect(await doctor({ ERRAND_REDIS_URL: redis.url.replace('//', '//:right%20secret@') })).toMatch(/✓ Redis/);
    await redis.stop();
  });

  it('The doctor shows the primary that Sentinels name, its replicas and its policy, and refuses a replica', async () => {
    const set = await startSentinels();
    const [primary, replica] = [await set.primary(), await set.replica()];
    const shown = `127\\.0\\.0\\.1:${primary.port}, Redis \\d+\\.\\d+\\.\\d+, from ERRAND_REDIS_URL`;
    const state = '; 1 replica; maxmemory-policy noeviction';
    expect(await doctor({ ERRAND_REDIS_URL: set.url })).toMatch(
      new RegExp(`✓ Redis +${shown}, primary by the Sentinels${state}`),
    );
    await primary.admin.config('SET', 'maxmemory-policy', 'allkeys-lru');
    expect(await doctor({ ERRAND_REDIS_URL: `redis://127.0.0.1:${primary.port}` })).toMatch(
      new RegExp(`✓ Redis +${shown}; 1 replica; maxmemory-policy allkeys-lru \\(it deletes accepted work`),
    );
    expect(await doctor({ ERRAND_REDIS_URL: `redis://127.0.0.1:${replica.port}` })).toMatch(
      /✗ Redis +the Redis at .* is a replica and takes no writes/,
    );
    expect(await doctor({ ERRAND_REDIS_URL: set.url.replace('/errand', '/other') })).toMatch(
      /its Sentinels watch errand, not other/,
    );
    await set.stop();
  });

  it('The doctor finds the primary of a Cluster from any node, and refuses a wrong address without its password', async () => {
    const cluster = await startCluster();
    const [owner, stranger] = [await cluster.owner(), await cluster.stranger()];
    const shown = new RegExp(
      `✓ Redis +127\\.0\\.0\\.1:${owner.port}, Redis .*, primary of the Redis Cluster; 1 replica;`,
    );
    expect(await doctor({ ERRAND_REDIS_URL: cluster.url })).toMatch(shown);
    expect(await doctor({ ERRAND_REDIS_URL: `redis://127.0.0.1:${stranger.port}` })).toMatch(shown);
    await cluster.stop();
    const wrong = await doctor({ ERRAND_REDIS_URL: 'redis+sentinel://:wrongsecret@a:1' });
    expect(wrong).toMatch(/✗ Redis +ERRAND_REDIS_URL must be an address such as redis:\/\/host:6379/);
    expect(wrong).not.toContain('wrongsecret');
  });

  it('The doctor recognizes another program than Redis, and an address where nothing answers', async () => {
    // Without `resume`, the server would not see the end of a connection, and hold it for ever.
    const server = createSocketServer((socket) => socket.resume().end('HTTP/1.1 400 Bad Request\r\n\r\n')).listen(
      0,
      '127.0.0.1',
    );
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    expect(await doctor({ ERRAND_REDIS_URL: `redis://127.0.0.1:${port}` })).toMatch(
      /another program than Redis answers at/,
    );
    server.close();
    expect(await doctor({ ERRAND_REDIS_URL: `redis://127.0.0.1:${await freePort()}` })).toMatch(
      /nothing answers at .*ECONNREFUSED/,
    );
  });

  const itAsRoot = process.getuid?.() === 0 ? it : it.skip;
  if (itAsRoot === it.skip)
    console.warn('Skipped: the doctor without permissions. Only root can run a command as another user.');
  itAsRoot('The doctor of a user without permissions says that it cannot look', async () => {
    const nobody = { uid: 65_534, gid: 65_534 };
    const socket = join(folder, 'docker.sock');
    const engine = createSocketServer().listen(socket);
    await once(engine, 'listening');
    chmodSync(socket, 0o600);
    chmodSync(folder, 0o755);
    recordStack('http://127.0.0.1:1');
    chmodSync(join(folder, 'data'), 0o700);
    const shown = await startedDoctor({ ERRAND_NO_DOCKER: '', DOCKER_HOST: `unix://${socket}` }, nobody);
    expect(shown).toMatch(/✗ data folder +cannot look: no permission to use /);
    expect(shown).toMatch(/! stack +cannot look: no permission to read .*up\.json/);
    for (const title of ['Docker engine', 'base image', 'python image', 'bun image', 'runc', 'runtimes'])
      expect(shown).toMatch(new RegExp(`! ${title} +cannot look: no permission to open ${socket}`));
    engine.close();
  });
});
