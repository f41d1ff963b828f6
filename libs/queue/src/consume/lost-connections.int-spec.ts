import { eventually } from '../../../../test/support/eventually.js';
import { SilentProxy } from '../../test/silent-proxy.js';
import { succeed, useQueues } from '../../test/use-queues.js';
import { keys } from '../redis/names.js';
import { countConsumers, ConsumerPresence } from './heartbeats.js';
import { consume } from './consume.js';

const test = useQueues({ each: true });

describe('A consumer', () => {
  it('A consumer takes jobs again after all its connections were lost, and leaves none of them open', async () => {
    const proxy = await SilentProxy.start(test.redis.url);
    const options = { concurrency: 1, lockMs: 1_000, stalledMs: 500, onError: () => {} };
    test.keep(consume(proxy.url, 'invocations', options, succeed));
    await test.until(await test.submit(), 'succeeded');
    // The clients of the test itself are closed as well. They come back.
    await test.queues.redis.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    await test.queues.redis.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
    await test.until(await eventually(() => test.submit().catch(() => false as const)), 'succeeded');
    proxy.close();
  });

  it('A consumer that takes no jobs is not counted', async () => {
    const { redis } = test.queues;
    let takesJobs = false;
    const consumer = { slots: 1, lockMs: 10_000, takesJobs: () => takesJobs, onError: () => {} };
    const stuck = new ConsumerPresence(redis, 'invocations', consumer);
    await stuck.ready();
    expect(await countConsumers(redis, 'invocations')).toBe(0);
    await stuck.stop();
    takesJobs = true;
    const working = new ConsumerPresence(redis, 'invocations', consumer);
    await working.ready();
    expect(await countConsumers(redis, 'invocations')).toBe(1);
    await working.stop();
    expect(await redis.exists(keys.consumers('invocations'))).toBe(0);
  });
});
