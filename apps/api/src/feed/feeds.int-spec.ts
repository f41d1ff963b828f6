import { FeedLog } from '@errand/queue';
import type { Registry } from '@errand/registry';
import { useQueues } from '../../../../libs/queue/test/use-queues.js';
import { InvocationWatcher } from '../stream/wait-for-invocation.js';
import { Feeds } from './feeds.js';

const kit = useQueues();
const SCOPE = { tenant: 'default', reach: 'default', showsTenant: false } as const;

it('A feed that opens while the server closes ends without an event', async () => {
  const { queues, notifications } = kit;
  const watcher = new InvocationWatcher(queues, notifications, {} as Registry);
  const feeds = new Feeds(queues, notifications, new FeedLog(queues, notifications), { all: [] }, watcher);
  feeds.release();
  const query = { topics: new Set(['invocations'] as const), follow: [], filter: {} };
  const texts = await feeds.stream({ scope: SCOPE, query, lastEventId: undefined }, () => () => {});
  expect(await texts.next()).toEqual({ done: true, value: undefined });
});
