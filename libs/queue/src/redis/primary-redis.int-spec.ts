import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../../../../test/support/eventually.js';
import { freePort, startRedis } from '../../../../test/support/start-redis.js';
import { startCluster, type RedisCluster } from '../../../../test/support/start-cluster.js';
import { startSentinels, type SentinelSet } from '../../../../test/support/start-sentinels.js';
import { loadScript } from './lua-script.js';
import { openConnection, type ConnectionKind, type PrimaryRedis } from './primary-redis.js';

const KEY = '{errand}:test';
const open: PrimaryRedis[] = [];
const connect = (url: string, kind: ConnectionKind = 'patient'): PrimaryRedis => {
  const redis = openConnection(url, kind);
  open.push(redis);
  return redis;
};
afterEach(() => open.splice(0).forEach((redis) => redis.disconnect()));

/** Adds numbers to a list, one after the other, until `signal` aborts. Returns the numbers that were acknowledged. */
async function write(redis: PrimaryRedis, signal: AbortSignal): Promise<number[]> {
  const acknowledged: number[] = [];
  for (let n = 0; !signal.aborted; n++) {
    await redis.rpush(KEY, n);
    acknowledged.push(n);
  }
  return acknowledged;
}

describe('A connection over Sentinels', () => {
  let set: SentinelSet;
  beforeAll(async () => (set = await startSentinels()));
  afterAll(() => set.stop());

  it('A patient connection writes on at the new primary after the old one was killed', async () => {
    const redis = connect(set.url);
    const stop = new AbortController();
    const writing = write(redis, stop.signal);
    await eventually(async () => (await (await set.primary()).admin.llen(KEY)) > 100);
    const old = await set.primary();
    await old.kill();
    await eventually(async () => (await set.primary()) !== old);
    const present = await set.primary();
    const before = await present.admin.llen(KEY).catch(() => 0);
    await eventually(async () => (await present.admin.llen(KEY).catch(() => 0)) > before + 100);
    stop.abort();
    const written = await writing;
    // Replication is asynchronous: the last write before the kill may be lost or executed twice.
    const stored = new Set((await present.admin.lrange(KEY, 0, -1)).map(Number));
    expect(written.filter((n) => !stored.has(n)).length).toBeLessThanOrEqual(1);
    await old.restart();
  });
});

describe('A connection to a primary that hangs', () => {
  let set: SentinelSet;
  beforeAll(async () => (set = await startSentinels()));
  afterAll(() => set.stop());

  it('Every kind of connection leaves a primary that hangs once another one has its place', async () => {
    const [patient, commands, subscriber] = [
      connect(set.url),
      connect(set.url, 'commands'),
      connect(set.url, 'subscriber'),
    ];
    await Promise.all([patient.set(KEY, 1), commands.get(KEY), subscriber.subscribe(KEY)]);
    const old = await set.primary();
    old.signal('SIGSTOP');
    const written = patient.set(KEY, 2);
    await eventually(async () => (await set.primary()) !== old);
    const { port } = await set.primary();
    await written;
    await eventually(() => commands.get(KEY).catch(() => false as const));
    for (const redis of [patient, commands, subscriber])
      await eventually(() => redis.status === 'ready' && redis.primary.node.port === port);
    expect(await commands.get(KEY)).toBe('2');
    old.signal('SIGCONT');
  });
});

describe('A connection to a Cluster', () => {
  let cluster: RedisCluster;
  beforeAll(async () => (cluster = await startCluster()));
  afterAll(() => cluster.stop());

  it('Any node as a plain address leads to the primary that has the keys', async () => {
    for (const { port } of cluster.nodes) {
      const redis = connect(`redis://127.0.0.1:${port}`);
      await redis.set(KEY, port);
      expect(redis.primary.node.port).toBe((await cluster.owner()).port);
    }
  });

  it('A manual failover fails no command, no pipeline and no script', async () => {
    const redis = connect(cluster.url);
    const file = join(mkdtempSync(join(tmpdir(), 'errand-script-')), 'increment.lua');
    writeFileSync(file, "return redis.call('INCR', KEYS[1])\n");
    const script = loadScript<number>(file);
    const replica = await cluster.replica();
    const stop = new AbortController();
    const writing = (async () => {
      for (let n = 1; !stop.signal.aborted; n++) {
        expect(await script.run(redis, [`${KEY}:script`], [])).toBe(n);
        const replies = (await redis.pipeline().incr(`${KEY}:count`).get(`${KEY}:count`).exec()) ?? [];
        expect(replies).toEqual([
          [null, n],
          [null, String(n)],
        ]);
      }
    })();
    await eventually(async () => Number(await redis.get(`${KEY}:count`)) > 50);
    await replica.admin.cluster('FAILOVER');
    await eventually(async () => (await cluster.owner()) === replica);
    const before = Number(await redis.get(`${KEY}:count`));
    await eventually(async () => Number(await redis.get(`${KEY}:count`)) > before + 50);
    stop.abort();
    await writing;
    expect(redis.primary.node.port).toBe(replica.port);
  });
});

describe('A connection to a lone server', () => {
  it('It is lost once the server has been away for some seconds, and not lost when the server is there', async () => {
    const port = await freePort();
    const redis = connect(`redis://127.0.0.1:${port}`);
    expect(redis.isLost).toBe(false);
    await eventually(() => redis.isLost);
    const server = await startRedis(port);
    await redis.ping();
    expect(redis.isLost).toBe(false);
    await server.stop();
  });
});
