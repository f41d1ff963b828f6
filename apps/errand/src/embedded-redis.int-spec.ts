import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { transformFileSync } from '@swc/core';
import { Redis } from 'ioredis';
import { startEmbeddedRedis, type EmbeddedRedis } from './embedded-redis.js';
import { isAlive, processStart } from './processes.js';
import { eventually } from '../../../test/support/eventually.js';

describe('the embedded Redis', () => {
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

  it('evicts nothing, writes all to its append-only file, and lets nobody in without the password', async () => {
    const { url } = await start();
    const settings = await ask(url, (client) => client.config('GET', 'maxmemory-policy', 'appendonly', 'bind'));
    expect(settings).toEqual(expect.arrayContaining(['noeviction', 'yes', '127.0.0.1']));
    const stranger = new URL(url);
    stranger.password = '';
    await expect(ask(stranger.href, (client) => client.ping())).rejects.toThrow();
    expect(statSync(join(dataDir, 'redis', 'redis.conf')).mode & 0o077).toBe(0);
  });

  it('keeps what it holds over a restart', async () => {
    const first = await start();
    const firstPid = first.pid!;
    await ask(first.url, (client) => client.set('kept', 'yes'));
    await first.close();
    expect(isAlive(firstPid)).toBe(false);
    expect(await ask((await start()).url, (client) => client.get('kept'))).toBe('yes');
  });

  it('loses nothing that it answered when it is killed, and serves again where it was', async () => {
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

  it('takes the place of one that was left over', async () => {
    const left = await start();
    await ask(left.url, (client) => client.set('taken over', 'yes'));
    const leftPid = left.pid!;
    const next = await start();
    expect(isAlive(leftPid)).toBe(false);
    expect(await ask(next.url, (client) => client.get('taken over'))).toBe('yes');
  });

  it('ends soon when the process that started it is killed', async () => {
    const starter = startElsewhere(dataDir);
    const [pid] = (await once(starter, 'message')) as [number];
    expect(processStart(pid)).toBeDefined();
    starter.kill('SIGKILL');
    await eventually(() => processStart(pid) === undefined);
  });

  it('says what Redis said when it cannot start', async () => {
    await (await start()).close();
    const folder = join(dataDir, 'redis', 'appendonlydir');
    writeFileSync(join(folder, 'appendonly.aof.manifest'), 'this is no manifest');
    await expect(start()).rejects.toThrow(/ended at its start[\s\S]*manifest/i);
    expect(readFileSync(join(dataDir, 'redis', 'redis.log'), 'utf8')).toMatch(/manifest/i);
  });
});

/** The same in a process of its own, which tells the pid of its Redis and stays. */
function startElsewhere(dataDir: string): ChildProcess {
  for (const name of ['embedded-redis', 'flush-regularly', 'redis-server', 'ask-redis', 'processes', 'known-error']) {
    const { code } = transformFileSync(join(__dirname, `${name}.ts`), { module: { type: 'commonjs' } });
    writeFileSync(join(dataDir, `${name}.js`), code);
  }
  const program = join(dataDir, 'starter.js');
  writeFileSync(
    program,
    `require('./embedded-redis.js').startEmbeddedRedis(__dirname).then(({ pid }) => {
       process.send(pid);
       setInterval(() => {}, 1000);
     });`,
  );
  return fork(program);
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
