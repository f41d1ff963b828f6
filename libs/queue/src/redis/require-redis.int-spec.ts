import { RedisProcesses, serverArguments, type RedisProcess } from '../../../../test/support/redis-processes.js';
import { startSentinels, type SentinelSet } from '../../../../test/support/start-sentinels.js';
import { freePort } from '../../../../test/support/start-redis.js';
import { requireRedis } from './require-redis.js';

const processes = new RedisProcesses();
let set: SentinelSet;
let node: RedisProcess;
beforeAll(async () => {
  set = await startSentinels();
  node = await processes.start((port, folder) => serverArguments(port, folder, { 'cluster-enabled': 'yes' }));
});
afterAll(async () => {
  await set.stop();
  await processes.stop();
});

const refusal = (url: string) =>
  requireRedis(url).then(
    () => 'accepted',
    (error: Error & { hint?: boolean }) => {
      expect(error.hint).toBe(true);
      return error.message;
    },
  );

describe('The check of ERRAND_REDIS_URL at boot', () => {
  it('The Sentinels and the primary are accepted', async () => {
    expect(await refusal(set.url)).toBe('accepted');
    expect(await refusal(`redis://127.0.0.1:${(await set.primary()).port}`)).toBe('accepted');
  });

  it('A replica is refused with the address of its primary', async () => {
    const [primary, replica] = [await set.primary(), await set.replica()];
    const message = await refusal(`redis://127.0.0.1:${replica.port}`);
    expect(message).toBe(
      `The Redis at 127.0.0.1:${replica.port} cannot be used: Redis is a replica and takes no writes.\n` +
        `Its primary is 127.0.0.1:${primary.port}: name that one, or its Sentinels as redis+sentinel://host:26379/<master>.`,
    );
  });

  it('A Sentinel as a plain address is refused with the right form', async () => {
    expect(await refusal(`redis://127.0.0.1:${set.sentinels[0]?.port}`)).toContain(
      'the address names a Sentinel: write it as redis+sentinel://host:port/<master>',
    );
  });

  it('An unknown master is refused with the nearest name', async () => {
    expect(await refusal(set.url.replace('/errand', '/erand'))).toContain('they watch errand, did you mean errand?');
  });

  it('A Redis in place of a Sentinel, and a lone Redis in place of a Cluster, are refused', async () => {
    const { port } = await set.primary();
    expect(await refusal(`redis+sentinel://127.0.0.1:${port}/errand`)).toContain('names a Redis, not its Sentinels');
    expect(await refusal(`redis+cluster://127.0.0.1:${port}`)).toContain('names a Redis that is in no Cluster');
  });

  it('A node of a Cluster is refused with a database, and while the Cluster is down', async () => {
    expect(await refusal(`redis://127.0.0.1:${node.port}/3`)).toContain('a Redis Cluster has only database 0');
    expect(await refusal(`redis://127.0.0.1:${node.port}`)).toContain('the Redis Cluster is down');
  });

  it('An address where nothing answers, and a wrong password, are refused without showing the password', async () => {
    const away = await freePort();
    expect(await refusal(`redis+sentinel://:hunter2@127.0.0.1:${away}/errand`)).toMatch(
      /^The Redis at 127\.0\.0\.1:\d+\/errand cannot be used: no Sentinel answers: 127\.0\.0\.1:\d+: connect ECONNREFUSED/,
    );
    const { admin, port } = await set.primary();
    await admin.config('SET', 'requirepass', 'right');
    const wrong = await refusal(`redis://:hunter2@127.0.0.1:${port}`);
    expect(wrong).toContain('WRONGPASS');
    expect(wrong).not.toContain('hunter2');
    await admin.config('SET', 'requirepass', '');
  });
});
