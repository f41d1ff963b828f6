import { useQueues } from '../../test/use-queues.js';
import { NotificationHub } from '../index.js';
import { keys } from '../redis/names.js';
import { eventually } from '../../../../test/support/eventually.js';
import { FeedLog, LOG_START } from './feed-log.js';

const kit = useQueues({ each: true });

describe('The log of the feed', () => {
  it('Nothing is sent to Redis until a process announces listeners; then every process publishes', async () => {
    const another = await NotificationHub.open(kit.redis.url);
    try {
      const [writer, reader] = [new FeedLog(kit.queues, another), new FeedLog(kit.queues, kit.notifications)];
      await writer.publishFeed('acme', 'refusal', { id: 'ref_1' });
      expect(await kit.queues.redis.exists(keys.feed('acme'))).toBe(0);
      await reader.announce('acme');
      const id = await eventually(async () => {
        await writer.publishFeed('acme', 'refusal', { id: 'ref_2' });
        return (await reader.read('acme', LOG_START, 1))[0];
      });
      expect(id).toEqual({ id: expect.any(String) as unknown, event: 'refusal', data: '{"id":"ref_2"}' });
      const newest = await reader.newest('acme');
      expect(await reader.read('acme', newest, 10)).toEqual([]);
      expect(await reader.newest('other')).toBe(LOG_START);
      const lives = await kit.queues.redis.pttl(keys.feed('acme'));
      expect(lives).toBeGreaterThan(0);
      expect(lives).toBeLessThanOrEqual(300_000);
    } finally {
      another.close();
    }
  });
});
