import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { eventually } from './support/eventually.js';
import { startRedis, type TestRedis } from './support/start-redis.js';

const ATTEMPTS = 20;
const SCRIPT = "return redis.call('GET', 'key')";

/** Uses a server, stops it, and returns the next one. */
async function nextAfter(use: (admin: Redis, server: TestRedis) => Promise<unknown>): Promise<[TestRedis, TestRedis]> {
  const before = await startRedis();
  const { pid, port } = before;
  const admin = new Redis(before.url, { retryStrategy: () => null });
  admin.on('error', () => {});
  try {
    await use(admin, before);
  } finally {
    admin.disconnect();
  }
  await before.stop();
  return [{ ...before, pid, port }, await startRedis()];
}

/** Uses servers until one is used again: on a busy machine, a reset can take too long. */
async function reusedAfter(use: (admin: Redis) => Promise<unknown>): Promise<[TestRedis, TestRedis]> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const [before, next] = await nextAfter(use);
    if (next.pid === before.pid) return [before, next];
    await next.stop();
  }
  throw new Error(`none of ${ATTEMPTS} servers was used again`);
}

describe('The Redis servers of tests', () => {
  it('A test gets the server of an earlier test, empty and at another port', async () => {
    const [before, next] = await reusedAfter(async (admin) => {
      await admin.set('key', 'value');
      await admin.eval(SCRIPT, 0);
      await admin.client('PAUSE', 600_000, 'WRITE');
    });
    expect(next.port).not.toBe(before.port);
    const admin = new Redis(next.url);
    try {
      await admin.set('other', 1);
      expect([await admin.get('key'), await admin.dbsize()]).toEqual([null, 1]);
      const loads = await admin.info('stats');
      expect(loads).toContain('total_connections_received:1\r\n');
      expect(await admin.info('memory')).toContain('number_of_cached_scripts:0\r\n');
    } finally {
      admin.disconnect();
      await next.stop();
    }
  });

  it.each<[string, (admin: Redis, server: TestRedis) => Promise<unknown>]>([
    ['with another setting', (admin) => admin.config('SET', 'maxmemory', '1gb')],
    ['with another user', (admin) => admin.acl('SETUSER', 'other', 'on')],
    ['that was killed', (_, server) => server.kill()],
  ])('A server %s is not used again', async (_, use) => {
    const [before, next] = await nextAfter(use);
    expect(next.pid).not.toBe(before.pid);
    await next.stop();
  });

  it('A server with a client that stays connected is not used again', async () => {
    const clients: Redis[] = [];
    const [before, next] = await nextAfter(async (_, { url }) => {
      const client = new Redis(url, { retryStrategy: () => null });
      client.on('error', () => {});
      clients.push(client);
      await client.ping();
    });
    for (const client of clients) client.disconnect();
    expect(next.pid).not.toBe(before.pid);
    await next.stop();
  });

  it('The servers of a process end after it was killed', async () => {
    const support = join(__dirname, 'support');
    const code = `require('./start-redis.ts').startRedis().then(({ pid }) => { console.log(pid); setInterval(() => {}, 1_000); });`;
    const args = ['--require', './load-typescript.cjs', '--eval', code];
    const child = spawn(process.execPath, args, { cwd: support, stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    expect(isAlive(Number(line))).toBe(true);
    child.kill('SIGKILL');
    await eventually(() => !isAlive(Number(line)), 'the server has ended');
  });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
