import { eventually } from '../../../../test/support/eventually.js';
import { RedisProcesses, serverArguments, type RedisProcess } from '../../../../test/support/redis-processes.js';
import { openConnection, type PrimaryRedis } from './primary-redis.js';
import { LateReplicasError, ReplicaWait } from './replica-wait.js';

const processes = new RedisProcesses();
let primary: RedisProcess;
let replica: RedisProcess;
let redis: PrimaryRedis;
beforeAll(async () => {
  primary = await processes.start((port, folder) => serverArguments(port, folder));
  const replicaof = { replicaof: `127.0.0.1 ${primary.port}` };
  replica = await processes.start((port, folder) => serverArguments(port, folder, replicaof));
  redis = openConnection(`redis://127.0.0.1:${primary.port}`, 'commands');
  await eventually(async () => (await replica.admin.info('replication')).includes('master_link_status:up'));
  await redis.ping();
});
afterAll(async () => {
  redis.disconnect();
  await processes.stop();
});

const rounds = async () => Number(await redis.get('{errand}:replica-rounds'));

describe('The wait for replicas', () => {
  it('A write is confirmed when the replica has it', async () => {
    const wait = new ReplicaWait(redis, 1);
    const { server } = wait;
    await redis.set('{errand}:written', 'yes');
    await wait.confirm(server);
    expect(await replica.admin.get('{errand}:written').catch((error: Error) => error.message)).toBe('yes');
    wait.close();
  });

  it('A replica that hangs is late, and other commands do not wait for it', async () => {
    const wait = new ReplicaWait(redis, 1);
    await wait.confirm(wait.server);
    replica.signal('SIGSTOP');
    await redis.set('{errand}:written', 'no');
    const confirming = wait.confirm(wait.server);
    expect(await redis.get('{errand}:written')).toBe('no');
    await expect(confirming).rejects.toThrow(LateReplicasError);
    await expect(confirming).rejects.toThrow('Fewer than 1 replicas of Redis have confirmed the write');
    replica.signal('SIGCONT');
    await eventually(() =>
      wait.confirm(wait.server).then(
        () => true,
        () => false,
      ),
    );
    wait.close();
  });

  it('Calls that come during a round share the next one', async () => {
    const wait = new ReplicaWait(redis, 1);
    const before = await rounds();
    await Promise.all(Array.from({ length: 100 }, () => wait.confirm(wait.server)));
    expect((await rounds()) - before).toBeLessThanOrEqual(2);
    wait.close();
  });

  it('A write at a server that is not the primary any more is not confirmed', async () => {
    const wait = new ReplicaWait(redis, 1);
    await expect(wait.confirm('another server')).rejects.toThrow('the primary has changed');
    await expect(wait.confirm(undefined)).rejects.toThrow(LateReplicasError);
    wait.close();
  });

  it('No replica is waited for without the setting', async () => {
    const before = await rounds();
    const wait = new ReplicaWait(redis, 0);
    await wait.confirm(undefined);
    wait.close();
    expect(await rounds()).toBe(before);
  });
});
