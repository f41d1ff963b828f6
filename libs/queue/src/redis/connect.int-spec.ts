import { setTimeout as sleep } from 'node:timers/promises';
import { newInvocationId } from '@errand/contracts';
import { startRedis, type TestRedis } from '../../../../test/support/start-redis.js';
import { eventually } from '../../../../test/support/eventually.js';
import { connectQueues } from './connect.js';
import { openConnection } from './primary-redis.js';

let redis: TestRedis;
beforeAll(async () => (redis = await startRedis()));
afterAll(() => redis.stop());

describe('A connection for commands', () => {
  it('The time limit for a reply holds for commands, and for another connection to the same Redis', async () => {
    const short = openConnection(redis.url, 'commands', undefined, 100);
    const patient = openConnection(redis.url, 'commands', undefined, 600_000);
    const sibling = patient.sibling('commands');
    try {
      await Promise.all([patient.ping(), sibling.ping()]);
      await eventually(() => short.status === 'ready');
      process.kill(redis.pid, 'SIGSTOP');
      const late = [patient.ping(), sibling.ping()];
      await expect(short.ping()).rejects.toThrow('Command timed out');
      process.kill(redis.pid, 'SIGCONT');
      await expect(Promise.all(late)).resolves.toEqual(['PONG', 'PONG']);
    } finally {
      process.kill(redis.pid, 'SIGCONT');
      for (const connection of [short, patient, sibling]) connection.disconnect();
    }
  });
});

describe('The queues of a process', () => {
  it('Queues work after a Redis that did not respond in time at their start', async () => {
    const queues = connectQueues(redis.url, { ageSeconds: 60, count: 10 });
    // Redis stops as soon as the connection is ready, before BullMQ can ask it anything.
    queues.redis.once('ready', () => process.kill(redis.pid, 'SIGSTOP'));
    try {
      await eventually(() => queues.redis.status === 'ready');
      const early = queues.byName.invocations.getJob(newInvocationId()).catch(() => 'refused');
      expect(await early).toBe('refused');
      process.kill(redis.pid, 'SIGCONT');
      const look = () => queues.byName.invocations.getJob(newInvocationId()).then(() => true);
      expect(await eventually(() => look().catch(() => sleep(10, false)))).toBe(true);
      expect(await queues.deliveries.getJob('none')).toBeUndefined();
    } finally {
      process.kill(redis.pid, 'SIGCONT');
      await queues.close();
    }
  });
});
