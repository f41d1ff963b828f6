import { rmSync } from 'node:fs';
import { eventually } from '../../../../test/support/eventually.js';
import { RedisProcesses, serverArguments, type RedisProcess } from '../../../../test/support/redis-processes.js';
import { startCluster } from '../../../../test/support/start-cluster.js';
import { connectQueues, type Queues } from './connect.js';

const processes = new RedisProcesses();
let server: RedisProcess;
let queues: Queues;
beforeEach(async () => {
  server = await processes.start((port, folder) => serverArguments(port, folder, { save: '3600 1' }));
  queues = connectQueues(`redis://127.0.0.1:${server.port}`, { ageSeconds: 60, count: 10 });
});
afterEach(async () => {
  await queues.close();
  await server.kill();
});
afterAll(() => processes.stop());

const check = () => queues.checkWrites(() => {});
const until = (reason: string) => eventually(async () => (await check()) === reason, `the reason is: ${reason}`);

describe('The check of writes', () => {
  it('A primary is ok, also after it was a replica for a time', async () => {
    await until('ok');
    await server.admin.replicaof('127.0.0.1', '1');
    await until('Redis is a replica and takes no writes');
    await server.admin.replicaof('NO', 'ONE');
    await until('ok');
  });

  it.each([
    ['maxmemory', '1mb', '0', 'Redis takes no writes: its memory is full (maxmemory)'],
    ['min-replicas-to-write', '1', '0', 'Redis takes no writes: too few replicas follow it (min-replicas-to-write)'],
  ])('A server with %s %s has a reason, and is ok again afterwards', async (name, bad, good, reason) => {
    await until('ok');
    await server.admin.set('filler', 'x'.repeat(2_000_000));
    await server.admin.config('SET', name, bad);
    await until(reason);
    await server.admin.config('SET', name, good);
    await until('ok');
  });

  it('A server that cannot write to its disk has a reason', async () => {
    await until('ok');
    rmSync(server.folder, { recursive: true });
    await server.admin.bgsave();
    await until('Redis takes no writes: it cannot write to its disk');
  });

  it('A server that hangs or is away does not answer, and many checks need one write', async () => {
    await until('ok');
    server.signal('SIGSTOP');
    const reasons = await Promise.all(Array.from({ length: 100 }, check));
    expect(new Set(reasons)).toEqual(new Set(['Redis does not answer']));
    server.signal('SIGCONT');
    await until('ok');
    await server.kill();
    await until('Redis does not answer');
  });

  it('A user without the right to write has a reason', async () => {
    await server.admin.acl('SETUSER', 'reader', 'on', '>secret', '~*', '&*', '+@all', '-set');
    const reader = connectQueues(`redis://reader:secret@127.0.0.1:${server.port}`, { ageSeconds: 60, count: 10 });
    await eventually(async () => (await reader.checkWrites(() => {})) === 'the user of Redis may not write');
    await reader.close();
  });
});

describe('The check of writes on a Cluster', () => {
  it('A Cluster without a primary for the keys is down, and works again with one', async () => {
    const cluster = await startCluster();
    const { port } = await cluster.stranger();
    const own = connectQueues(`redis://127.0.0.1:${port}`, { ageSeconds: 60, count: 10 });
    try {
      await eventually(async () => (await own.checkWrites(() => {})) === 'ok');
      const [owner, replica] = [await cluster.owner(), await cluster.replica()];
      await Promise.all([owner.kill(), replica.kill()]);
      await eventually(async () => (await own.checkWrites(() => {})) === 'the Redis Cluster is down');
      await owner.restart();
      await eventually(async () => (await own.checkWrites(() => {})) === 'ok');
      expect(own.redis.primary.node.port).toBe(owner.port);
    } finally {
      await own.close();
      await cluster.stop();
    }
  });
});
