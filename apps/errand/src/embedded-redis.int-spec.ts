import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { startEmbeddedRedis, type EmbeddedRedis } from './embedded-redis.js';
import { isAlive, processStart } from './processes.js';
import { eventually } from '../../../test/support/eventually.js';

describe('The embedded Redis', () => {
  let dataDir: string;
  const open: EmbeddedRedis[] = [];

  beforeEach(() => (dataDir = mkdtempSync(join(tmpdir(), 'errand-redis-'))));
  afterEach(async () => {
    for (const redis of open.splice(0)) await redis.close();
    rmSync(dataDir, { recursive: true });
  });

  async function start(): Promise<EmbeddedRedis> {
    const redis = await startEmbeddedRedis(dataDir);
    open.push(redis);
    return redis;
  }

  it('The embedded Redis evicts nothing, writes an append-only file and needs the password', async () => {
    const { url } = await start();
    const settings = await ask(url, (client) => client.config('GET', 'maxmemory-policy', 'appendonly', 'bind'));
    expect(settings).toEqual(expect.arrayContaining(['noeviction', 'yes', '127.0.0.1']));
    const stranger = new URL(url);
    stranger.password = '';
    await expect(ask(stranger.href, (client) => client.ping())).rejects.toThrow();
    expect(statSync(join(dataDir, 'redis', 'redis.conf')).mode & 0o077).toBe(0);
  });

  it('The embedded Redis keeps its data over a restart', async () => {
    const first = await start();
    const firstPid = first.pid!;
    await ask(first.url, (client) => client.set('kept', 'yes'));
    await first.close();
    expect(isAlive(firstPid)).toBe(false);
    expect(await ask((await start()).url, (client) => client.get('kept'))).toBe('yes');
  });

  it('The embedded Redis loses no acknowledged write when it is killed, and is restarted at the same address', async () => {
    const redis = await start();
    const writer = new Redis(redis.url, { retryStrategy: () => null, maxRetriesPerRequest: 0 });
    writer.on('error', () => {});
    const answered: string[] = [];
    const write = async (key: string) => {
      await writer.set(key, 'no loss');
      answered.push(key);
    };
    const killed = redis.pid!;
    const writing = Promise.allSettled(Array.from({ length: 20_000 }, (_, n) => write(`key:${n}`)));
    await eventually(() => answered.length >= 1_000);
    process.kill(killed, 'SIGKILL');
    await writing;
    await eventually(() => redis.pid !== killed && ask(redis.url, (client) => client.ping()).catch(() => false));
    expect(await ask(redis.url, (client) => client.exists(...answered))).toBe(answered.length);
  });

  it('A new embedded Redis replaces one that an earlier process left running', async () => {
    const left = await start();
    await ask(left.url, (client) => client.set('taken over', 'yes'));
    const leftPid = left.pid!;
    const next = await start();
    expect(isAlive(leftPid)).toBe(false);
    expect(await ask(next.url, (client) => client.get('taken over'))).toBe('yes');
  });

  it('The embedded Redis ends soon after the process that started it was killed', async () => {
    const starter = startElsewhere(dataDir);
    const [pid] = (await once(starter, 'message')) as [number];
    expect(processStart(pid)).toBeDefined();
    starter.kill('SIGKILL');
    await eventually(() => processStart(pid) === undefined);
  });

  it('A failed start reports the log of Redis', async () => {
    await (await start()).close();
    const folder = join(dataDir, 'redis', 'appendonlydir');
    writeFileSync(join(folder, 'appendonly.aof.manifest'), 'this is no manifest');
    await expect(start()).rejects.toThrow(/ended at its start[\s\S]*manifest/i);
    expect(readFileSync(join(dataDir, 'redis', 'redis.log'), 'utf8')).toMatch(/manifest/i);
  });
});

/** Starts an embedded Redis in another process, which sends the pid of its Redis and stays. The process compiles TypeScript as it loads it. */
function startElsewhere(dataDir: string): ChildProcess {
  const root = join(__dirname, '../../..');
  const program = join(dataDir, 'starter.js');
  writeFileSync(
    program,
    `const Module = require('node:module');
     const { transformFileSync } = require(${JSON.stringify(require.resolve('@swc/core'))});
     const resolve = Module._resolveFilename;
     Module._resolveFilename = (name, parent, ...rest) => {
       const source = name.replace(/^@errand\\/(.+)$/, ${JSON.stringify(join(root, 'libs/$1/src/index.ts'))});
       const isOurs = parent?.filename?.endsWith('.ts') && source.startsWith('.');
       return resolve(isOurs ? source.replace(/\\.js$/, '.ts') : source, parent, ...rest);
     };
     require.extensions['.ts'] = (module, file) =>
       module._compile(transformFileSync(file, { module: { type: 'commonjs' } }).code, file);
     const { startEmbeddedRedis } = require(${JSON.stringify(join(__dirname, 'embedded-redis.ts'))});
     startEmbeddedRedis(__dirname).then(({ pid }) => {
       process.send(pid);
       setInterval(() => {}, 1000);
     });`,
  );
  return fork(program, { cwd: root });
}

async function ask<T>(url: string, work: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis(url, { maxRetriesPerRequest: 0, retryStrategy: () => null });
  client.on('error', () => {});
  try {
    return await work(client);
  } finally {
    client.disconnect();
  }
}
